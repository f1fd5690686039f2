package dev.sluice.sweep.queue;

import dev.sluice.sweep.queue.QueueEvent.Ended;
import dev.sluice.sweep.queue.QueueEvent.Outcome;
import dev.sluice.sweep.queue.QueueEvent.Queued;
import dev.sluice.sweep.queue.QueueEvent.Started;
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
  Queued queued;

  /** The last attempt; its number is 0 before the first. */
  Started started = new Started(0, 0, QueueState.NO_GPU, "", "", "", 0);

  @Nullable Ended ended;
  Phase phase = Phase.WAITING;

  /** Place in the queue: lower ones wait longer. */
  long order;

  int failures;
  long sinceMs;

  TaskState(Queued queued) {
    number = queued.task();
    this.queued = queued;
  }

  public String name() {
    return queued.name();
  }

  public String config() {
    return queued.config();
  }

  /** The one GPU that the task may run on; null: any. */
  public @Nullable Integer bound() {
    return queued.gpu();
  }

  public Phase phase() {
    return phase;
  }

  public int attempt() {
    return started.attempt();
  }

  public int gpu() {
    return started.gpu();
  }

  /** Digest of the config at the last attempt; empty: none. */
  public String digest() {
    return started.digest();
  }

  /** Log file of the last attempt; empty: none. */
  public String log() {
    return started.log();
  }

  public long sinceMs() {
    return sinceMs;
  }

  /** How long the last attempt that ended ran. */
  public long ranMs() {
    return ended == null ? 0 : ended.ranMs();
  }

  public int status() {
    return ended == null ? Verdict.UNKNOWN : ended.status();
  }

  /** Reason of the last end; empty: none. */
  public String why() {
    return ended == null ? "" : ended.why();
  }

  /** How the task last ended; null: never yet. */
  public @Nullable Outcome outcome() {
    return ended == null ? null : ended.outcome();
  }
}
