package dev.sluice.sweep.queue;

import dev.sluice.sweep.queue.Journal.CheckedLine;
import dev.sluice.sweep.queue.Scheduler.Work;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task that a person or a program wants to run.
 *
 * @param config what {@link Work} makes a command of
 * @param gpu the one GPU that it may run on; null: any
 * @param again whether it runs again though it was done, whatever its marker says
 */
public record Request(String name, String config, @Nullable Integer gpu, boolean again) {
  /** The line of the request in a file that is handed over. */
  String line() {
    return CheckedLine.of(CheckedLine.components(this));
  }

  /**
   * Reads lines of requests.
   *
   * @throws IllegalArgumentException if one is damaged
   */
  static List<Request> parse(String text) {
    List<Request> requests = new ArrayList<>();
    for (String line : text.lines().toList()) {
      List<String> fields = CheckedLine.fields(line);
      if (fields == null) {
        throw new IllegalArgumentException("a request is damaged: " + line);
      }
      requests.add(CheckedLine.record(Request.class, fields));
    }
    return requests;
  }
}
