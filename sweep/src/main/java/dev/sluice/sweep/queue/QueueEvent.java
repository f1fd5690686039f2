package dev.sluice.sweep.queue;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fact in the life of a queue, one line of its journal. Times are wall time, milliseconds since
 * 1970; a task's number never changes.
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

  /** The fields of the event's line, its kind first. */
  default List<String> fields() {
    if (this instanceof Queued e) {
      return fields("queued", e.task, e.name, e.config, e.gpu == null ? "" : e.gpu, e.atMs);
    }
    if (this instanceof Started e) {
      return fields("started", e.task, e.attempt, e.gpu, e.digest, e.log, e.boot, e.atMs);
    }
    if (this instanceof Ended e) {
      return fields(
          "ended", e.task, e.attempt, e.outcome, e.status, e.why, e.again, e.ranMs, e.atMs);
    }
    if (this instanceof Aside e) {
      return fields("aside", e.gpu, e.atMs);
    }
    return fields("resumed", ((Resumed) this).atMs);
  }

  private static List<String> fields(Object... values) {
    List<String> fields = new ArrayList<>(values.length);
    for (Object value : values) {
      fields.add(value.toString());
    }
    return fields;
  }

  /**
   * The event of a line's fields.
   *
   * @throws IllegalArgumentException if they are those of no event
   */
  static QueueEvent of(List<String> fields) {
    var in = new Fields(fields);
    QueueEvent event =
        switch (in.text()) {
          case "queued" -> new Queued(in.whole(), in.text(), in.text(), in.wholeOrNull(), in.ms());
          case "started" ->
              new Started(
                  in.whole(), in.whole(), in.whole(), in.text(), in.text(), in.text(), in.ms());
          case "ended" ->
              new Ended(
                  in.whole(),
                  in.whole(),
                  Outcome.valueOf(in.text()),
                  in.whole(),
                  in.text(),
                  Boolean.parseBoolean(in.text()),
                  in.ms(),
                  in.ms());
          case "aside" -> new Aside(in.whole(), in.ms());
          case "resumed" -> new Resumed(in.ms());
          default -> throw new IllegalArgumentException("no event begins so: " + fields);
        };
    in.end();
    return event;
  }

  /** Fields of a line, read in their order. */
  final class Fields {
    private final List<String> all;
    private int next;

    Fields(List<String> all) {
      this.all = all;
    }

    String text() {
      if (next == all.size()) {
        throw new IllegalArgumentException("a field is missing: " + all);
      }
      return all.get(next++);
    }

    int whole() {
      return Integer.parseInt(text());
    }

    @Nullable Integer wholeOrNull() {
      String text = text();
      return text.isEmpty() ? null : Integer.valueOf(text);
    }

    long ms() {
      return Long.parseLong(text());
    }

    void end() {
      if (next != all.size()) {
        throw new IllegalArgumentException("there are fields too many: " + all);
      }
    }
  }
}
