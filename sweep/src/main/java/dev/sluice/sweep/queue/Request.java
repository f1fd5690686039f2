package dev.sluice.sweep.queue;

import dev.sluice.sweep.queue.Journal.CheckedLine;
import dev.sluice.sweep.queue.QueueEvent.Queued;
import dev.sluice.sweep.queue.QueueEvent.Resumed;
import dev.sluice.sweep.queue.TaskState.Phase;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Tasks that a person or a program wants to run. */
public record Request(List<Entry> entries) {
  /**
   * One task.
   *
   * @param config what {@link Work} makes a command of
   * @param gpu the one GPU that it may run on; null: any
   * @param again whether it runs again though it was done, whatever its marker says
   */
  public record Entry(String name, String config, @Nullable Integer gpu, boolean again) {}

  /** What the request does to a queue: tasks that wait or run already stay as they are. */
  List<QueueEvent> events(QueueState state, long nowMs) {
    List<QueueEvent> events = new ArrayList<>(List.of(new Resumed(nowMs)));
    Set<String> fresh = new HashSet<>();
    int number = state.nextNumber();
    for (Entry entry : entries) {
      TaskState known = state.task(entry.name);
      boolean free =
          known == null
              ? fresh.add(entry.name)
              : known.phase() == Phase.FAILED || (known.phase() == Phase.DONE && entry.again);
      if (free) {
        int task = known == null ? number++ : known.number;
        events.add(new Queued(task, entry.name, entry.config, entry.gpu, nowMs));
      }
    }
    return events;
  }

  String text() {
    return entries.stream()
        .map(entry -> CheckedLine.of(CheckedLine.components(entry)))
        .collect(Collectors.joining());
  }

  /**
   * Reads what {@link #text} wrote.
   *
   * @throws IllegalArgumentException if it is damaged
   */
  static Request parse(String text) {
    List<Entry> entries = new ArrayList<>();
    for (String line : text.lines().toList()) {
      List<String> fields = CheckedLine.fields(line);
      if (fields == null) {
        throw new IllegalArgumentException("a request is damaged: " + line);
      }
      entries.add(CheckedLine.record(Entry.class, fields));
    }
    return new Request(entries);
  }
}
