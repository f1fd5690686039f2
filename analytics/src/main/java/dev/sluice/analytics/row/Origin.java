package dev.sluice.analytics.row;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Origin of a run's folder. What is unknown is null.
 *
 * @param commandLine command that made the folder, as a shell takes it
 * @param commit short hash of the working copy that Sluice was started from, with {@code -dirty}
 *     where files differ from it
 * @param machine machine of the process that made the folder
 * @param startedAt start of the run; null where the log says it
 * @param endedAt end of the run; null where the log says it
 */
public record Origin(
    @Nullable String commandLine,
    @Nullable String commit,
    Machine machine,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt) {
  /** Version of the names and meanings of summary.json, from 1. */
  public static final int SCHEMA_VERSION = 1;

  public static final Origin UNKNOWN =
      new Origin(null, null, new Machine(null, null, null, null), null, null);

  private static final DateTimeFormatter UTC =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  public record Machine(
      @Nullable String host,
      @Nullable Integer processors,
      @Nullable String processor,
      @Nullable Long memoryBytes) {}

  /** This origin with the times of a run; {@code ended} is null if it has no end. */
  public Origin at(Instant began, @Nullable Instant ended) {
    return new Origin(commandLine, commit, machine, began, ended);
  }

  /** The origin by name, as it stands in summary.json and, below {@code recorded}, config.yaml. */
  public Map<String, @Nullable Object> values() {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    values.put("started_at", startedAt == null ? null : UTC.format(startedAt));
    values.put("ended_at", endedAt == null ? null : UTC.format(endedAt));
    values.put("command_line", commandLine);
    values.put("commit", commit);
    values.put("host", machine.host());
    values.put("processors", machine.processors());
    values.put("processor", machine.processor());
    values.put("memory_bytes", machine.memoryBytes());
    return values;
  }
}
