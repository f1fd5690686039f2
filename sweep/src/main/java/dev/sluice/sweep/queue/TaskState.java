package dev.sluice.sweep.queue;

import dev.sluice.sweep.queue.QueueEvent.Outcome;
import dev.sluice.sweep.queue.QueueSettings.Verdict;
import org.jspecify.annotations.Nullable;

/** What a queue knows of one task. It changes with the queue's events; not safe for threads. */
public final class TaskState {
  public enum Phase {
    WAITING,
    RUNNING,
    DONE,
    FAILED
  }

  final int number;
  final String name;
  String config;
  @Nullable Integer bound;
  Phase phase = Phase.WAITING;

  /** Place in the queue: lower ones wait longer. */
  long order;

  int attempt;
  int failures;
  int gpu = QueueState.NO_GPU;
  String digest = "";
  String log = "";

  /** Boot in which it runs; empty: it does not run. */
  String boot = "";

  long sinceMs;
  long ranMs;
  int status = Verdict.UNKNOWN;
  String why = "";
  @Nullable Outcome outcome;

  TaskState(int number, String name, String config) {
    this.number = number;
    this.name = name;
    this.config = config;
  }

  public String name() {
    return name;
  }

  public String config() {
    return config;
  }

  /** The one GPU that the task may run on; null: any. */
  public @Nullable Integer bound() {
    return bound;
  }

  public Phase phase() {
    return phase;
  }

  public int attempt() {
    return attempt;
  }

  public int gpu() {
    return gpu;
  }

  /** Digest of the config at the last attempt; empty: none. */
  public String digest() {
    return digest;
  }

  /** Log file of the last attempt; empty: none. */
  public String log() {
    return log;
  }

  public long sinceMs() {
    return sinceMs;
  }

  /** How long the last attempt that ended ran. */
  public long ranMs() {
    return ranMs;
  }

  public int status() {
    return status;
  }

  /** Reason of the last end; empty: none. */
  public String why() {
    return why;
  }

  /** How the task last ended; null: never yet. */
  public @Nullable Outcome outcome() {
    return outcome;
  }
}
