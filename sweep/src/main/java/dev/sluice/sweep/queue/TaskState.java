package dev.sluice.sweep.queue;

import dev.sluice.sweep.queue.QueueEvent.Ended;
import dev.sluice.sweep.queue.QueueEvent.Outcome;
import dev.sluice.sweep.queue.QueueEvent.Queued;
import dev.sluice.sweep.queue.QueueEvent.Started;
import dev.sluice.sweep.queue.QueueSettings.Verdict;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a queue knows of one task. It changes with the queue's events; not safe for threads. */
public final class TaskState {
  public enum Phase {
    WAITING,
    RUNNING,
    DONE,
    FAILED;

    /** The phase in words, for a person and in JSON. */
    public String words() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  final int number;
  Queued queued;

  Started started = new Started(0, 0, QueueState.NO_GPU, "", "", "", 0);
  Ended ended = new Ended(0, 0, Outcome.WITHDRAWN, Verdict.UNKNOWN, "", false, 0, 0);
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

  public long sinceMs() {
    return sinceMs;
  }

  /** The last attempt; its number is 0, and its digest and its log are empty, before the first. */
  public Started started() {
    return started;
  }

  /** How the task last ended; before the first end its attempt is 0, and its reason is empty. */
  public Ended ended() {
    return ended;
  }
}
