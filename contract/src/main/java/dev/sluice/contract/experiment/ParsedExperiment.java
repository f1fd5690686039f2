package dev.sluice.contract.experiment;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * An experiment and what its file said about it.
 *
 * @param file as the user named it
 * @param warnings lines to print as they are
 * @param locations {@code file:line} of each key that was given, by its dotted name; an entry of
 *     workloads as {@code workloads.NAME}
 */
public record ParsedExperiment(
    Experiment experiment, Path file, List<String> warnings, Map<String, String> locations) {
  public ParsedExperiment {
    warnings = List.copyOf(warnings);
    locations = Map.copyOf(locations);
  }

  /**
   * Where a mistake in a key's value is to be reported: the key's line, or the whole file if it was
   * not given.
   *
   * @param dottedKey for example {@code lanes.latency_table}
   */
  public String location(String dottedKey) {
    return locations.getOrDefault(dottedKey, file.toString());
  }

  /** A path of the file, which is relative to the file's own folder. */
  public Path resolve(String path) {
    return file.toAbsolutePath().resolveSibling(path).normalize();
  }
}
