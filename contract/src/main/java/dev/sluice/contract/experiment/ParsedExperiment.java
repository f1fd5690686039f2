package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.Load;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * An experiment, with the places of its keys in the file.
 *
 * @param file path of the file as the user named it
 * @param folder folder that relative paths count from: the file's own, or, in a run's config.yaml,
 *     that of the file that was run, which {@code recorded.paths_from} names
 * @param recordedDigests digests that a run's config.yaml has of the files it names, by dotted key
 * @param locations {@code file:line} of each key that was given, by its dotted name; an entry of
 *     workloads as {@code workloads.NAME}
 */
public record ParsedExperiment(
    Experiment experiment,
    Path file,
    Path folder,
    Map<String, String> recordedDigests,
    List<String> warnings,
    Map<String, String> locations,
    Vocabulary vocabulary) {
  /** Beginning of a path of a file that comes with Sluice. */
  private static final String SHIPPED = "sluice:";

  public ParsedExperiment {
    recordedDigests = Map.copyOf(recordedDigests);
    warnings = List.copyOf(warnings);
    locations = Map.copyOf(locations);
  }

  /** Tells whether the rate is still to be found, from what the lanes can do. */
  public boolean needsRate() {
    Load load = experiment.load();
    return load.offeredLoad() != null
        && Double.isNaN(load.arrivalRateJobsPerSec())
        && !(load.arrivals() instanceof Replay);
  }

  public ParsedExperiment withRate(double jobsPerSecond) {
    Load load = experiment.load();
    return with(load.with(load.durationSeconds(), load.warmupSeconds(), jobsPerSecond));
  }

  /**
   * Returns the same experiment with all times of its arrivals multiplied by a factor: the measured
   * window is as many times as long, and the rate is divided by the factor. The tail stays.
   */
  public ParsedExperiment stretched(double factor) {
    Load load = experiment.load();
    return with(
        load.with(
            load.durationSeconds() * factor,
            load.warmupSeconds() * factor,
            load.arrivalRateJobsPerSec() / factor));
  }

  private ParsedExperiment with(Load load) {
    return new ParsedExperiment(
        experiment.with(load), file, folder, recordedDigests, warnings, locations, vocabulary);
  }

  /**
   * The location to report for a mistake in a key's value: the key's line, or the whole file if the
   * key is absent.
   *
   * @param dottedKey for example {@code lanes.latency_table}
   */
  public String location(String dottedKey) {
    return locations.getOrDefault(dottedKey, file.toString());
  }

  /**
   * Resolves a path that the file gives: from {@link #folder}, or, if it begins with {@code
   * sluice:}, from the folder {@code configs} of Sluice itself.
   */
  public Path resolve(String path) {
    return path.startsWith(SHIPPED)
        ? Path.of(System.getProperty("sluice.home", "."), "configs")
            .resolve(path.substring(SHIPPED.length()))
            .normalize()
        : folder.resolve(path).normalize();
  }
}
