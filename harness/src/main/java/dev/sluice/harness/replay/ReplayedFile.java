package dev.sluice.harness.replay;

import dev.sluice.contract.file.QuotedText;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.producer.requests.RecordedLoad;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A file of requests that a run is to send, as overrides of the run's experiment. */
public final class ReplayedFile {
  private ReplayedFile() {}

  /**
   * Options of the replay, as a person wrote them; null: not given.
   *
   * @param speed factor by which times are divided
   * @param from beginning of what is measured, in recorded seconds
   * @param to end of what is played, in recorded seconds
   * @param slo whose promises count
   * @param map recorded names and those of the experiment
   * @param drop recorded names that are left out
   * @param salvage whether a recording that was cut short is taken
   */
  public record Options(
      @Nullable String speed,
      @Nullable String from,
      @Nullable String to,
      @Nullable String slo,
      List<String> map,
      List<String> drop,
      boolean salvage) {
    public Options {
      map = List.copyOf(map);
      drop = List.copyOf(drop);
    }
  }

  /**
   * Returns the overrides that make an experiment replay a file. Its path is made absolute, since
   * paths of an experiment count from the experiment's folder.
   *
   * @param fileOrRun recording, folder of a run, or trace
   * @throws UserMistakeException if there is no such file, or the folder holds no recording
   */
  public static List<String> overrides(Path fileOrRun, Options options)
      throws UserMistakeException {
    Path file = RecordedLoad.file(fileOrRun);
    UserMistakeException.throwIf(
        !Files.exists(file),
        fileOrRun.toString(),
        "the file does not exist",
        "its path is wrong; the folder of a run, a recording or a trace is meant");
    List<String> overrides = new ArrayList<>();
    overrides.add(
        "arrivals={process: %s, file: %s}"
            .formatted(
                RecordedLoad.isRecording(file) ? "replay" : "trace",
                QuotedText.of(file.toAbsolutePath().normalize().toString())));
    add("speed", options.speed(), overrides);
    add("from", options.from(), overrides);
    add("to", options.to(), overrides);
    add("slo", options.slo(), overrides);
    add("map", list(options.map()), overrides);
    add("drop", list(options.drop()), overrides);
    add("salvage", options.salvage() ? "true" : null, overrides);
    return overrides;
  }

  private static void add(String key, @Nullable String value, List<String> overrides) {
    if (value != null) {
      overrides.add("arrivals." + key + "=" + value);
    }
  }

  private static @Nullable String list(List<String> items) {
    return items.isEmpty()
        ? null
        : items.stream().map(QuotedText::of).collect(Collectors.joining(", ", "[", "]"));
  }
}
