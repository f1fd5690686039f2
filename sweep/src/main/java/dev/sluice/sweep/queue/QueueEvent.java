package dev.sluice.sweep.queue;

import dev.sluice.sweep.queue.Journal.CheckedLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A fact in the life of a queue, one line of its journal. Times are wall time, milliseconds since
 * 1970; a task's number never changes. Names of kinds and the order of components are those of the
 * journal's lines, so they never change either.
 */
public sealed interface QueueEvent {
  /** How an attempt ended, or a task without one. */
  enum Outcome {
    /** The command has ended, and its marker or its status says that the work is done. */
    DONE,
    /** The marker was there before anything ran. */
    DONE_BEFORE,
    /** The command has failed, or is gone. */
    FAILED,
    /** The attempt never ran: the task waits where it waited. */
    WITHDRAWN,
    /** A person ended it. */
    KILLED
  }

  /**
   * A task waits, for the first time or again, behind all others.
   *
   * @param config what {@link Work} makes a command of
   * @param gpu the one GPU that it may run on; null: any
   */
  record Queued(int task, String name, String config, @Nullable Integer gpu, long atMs)
      implements QueueEvent {}

  /**
   * An attempt is about to start.
   *
   * @param attempt number of the attempt, from 1
   * @param gpu id of the GPU; {@link QueueState#NO_GPU} without
   * @param digest digest of the config
   * @param log file of its output
   * @param boot id of the machine's boot
   */
  record Started(int task, int attempt, int gpu, String digest, String log, String boot, long atMs)
      implements QueueEvent {}

  /**
   * An attempt has ended, or a task without one (attempt 0).
   *
   * @param status exit status; {@link Verdict#UNKNOWN}: nobody knows
   * @param why reason in words; empty: none is needed
   * @param again whether the task waits again, behind the others
   */
  record Ended(
      int task,
      int attempt,
      Outcome outcome,
      int status,
      String why,
      boolean again,
      long ranMs,
      long atMs)
      implements QueueEvent {}

  /** A GPU gets no more tasks. */
  record Aside(int gpu, long atMs) implements QueueEvent {}

  /** All GPUs get tasks again. */
  record Resumed(long atMs) implements QueueEvent {}

  /** The fields of the event's line: its kind, and its components. */
  default List<String> fields() {
    List<String> fields = new ArrayList<>(List.of(kind(getClass())));
    fields.addAll(CheckedLine.components((Record) this));
    return fields;
  }

  /**
   * The event of a line's fields.
   *
   * @throws IllegalArgumentException if they are those of no event
   */
  static QueueEvent of(List<String> fields) {
    for (Class<?> type : QueueEvent.class.getPermittedSubclasses()) {
      if (kind(type).equals(fields.get(0))) {
        return (QueueEvent)
            CheckedLine.record(type.asSubclass(Record.class), fields.subList(1, fields.size()));
      }
    }
    throw new IllegalArgumentException("no event begins so: " + fields);
  }

  private static String kind(Class<?> type) {
    return type.getSimpleName().toLowerCase(Locale.ROOT);
  }
}
