package dev.sluice.harness.simulate;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.Environment;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.ExperimentFiles;
import dev.sluice.harness.frame.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/**
 * The highest rate at which a share of an experiment's jobs is good, in virtual time, beside the
 * highest rate at which a scheduler that knows the future may keep that share. Every rate has the
 * jobs of one list, whose arrivals are moved together: the experiment's rate is where they are
 * drawn.
 */
public final class SimulatedCapacity {
  /** Figure: the highest rate at which the bound leaves the share good. */
  public static final String BOUND = "bound_jobs_sec";

  /** Figure: the highest rate at which the share was good. */
  public static final String CAPACITY = "capacity_jobs_sec";

  /** Figure: the one over the other. */
  public static final String OF_BOUND = "capacity_of_bound";

  /** Beginning of figures: the share of good jobs at a share of the bound's rate. */
  public static final String GOOD_SHARE_AT = "good_share_at_";

  /** Distance of a rate that keeps the share to one that does not. */
  private static final double RESOLUTION = 1.005;

  /** Most times that the drawn rate is doubled or halved to find the bound's. */
  private static final int DOUBLINGS_MAX = 20;

  /** Most times that the bound's rate is halved to find one that a policy keeps. */
  private static final int HALVINGS_MAX = 5;

  /** Least capacity, in shares of the bound's rate, that is told from none. */
  public static final double OF_BOUND_MIN = 1.0 / (1 << HALVINGS_MAX);

  private final SimulatedExperiment experiment;
  private final double drawnAtJobsSec;

  @FunctionalInterface
  private interface Keeps {
    boolean at(double jobsSec) throws UserMistakeException;
  }

  /** Reads the files; an experiment without a rate, or without a bound on its times, is refused. */
  public SimulatedCapacity(ParsedExperiment parsed) throws UserMistakeException {
    experiment = SimulatedExperiment.of(parsed, null);
    drawnAtJobsSec = experiment.parsed().experiment().load().askedRateJobsPerSec();
    UserMistakeException.throwIf(
        parsed.experiment().load().scenario() != Scenario.SERVER || Double.isNaN(drawnAtJobsSec),
        parsed.location("scenario"),
        "the capacity is a rate, and this experiment has none",
        "scenario: server is meant, and arrivals that are drawn");
    ExperimentBound.of(experiment).refuseUncountable();
  }

  public static List<String> figures(List<Double> sharesOfBound) {
    List<String> names = new ArrayList<>(List.of(BOUND, CAPACITY, OF_BOUND));
    sharesOfBound.forEach(share -> names.add(GOOD_SHARE_AT + Decimals.plain(share)));
    return names;
  }

  /**
   * Searches, and leaves a folder with summary.json and config.yaml.
   *
   * @param goodShare share of the measured jobs that must be good, in (0, 1]
   * @param sharesOfBound rates at which the share of good jobs is told, in shares of the bound's
   * @param bounds rates of the bound by what they depend on, for all policies of a sweep
   */
  public int write(
      Path results,
      String runId,
      double goodShare,
      List<Double> sharesOfBound,
      Map<String, OptionalDouble> bounds)
      throws UserMistakeException, IOException {
    try (var folder = RunFolder.create(results, runId)) {
      ObjectNode figures = JsonNodeFactory.instance.objectNode();
      figures.put("run_name", experiment.parsed().experiment().runName());
      figures.put("simulated", true);
      figures.put("request_digest", experiment.requests().digest());
      Environment environment = experiment.environment();
      OptionalDouble bound = boundJobsSec(goodShare, bounds);
      if (bound.isPresent()) {
        double boundJobsSec = bound.getAsDouble();
        double capacity = capacityJobsSec(goodShare, boundJobsSec, environment);
        figures.put(BOUND, boundJobsSec);
        figures.put(CAPACITY, capacity);
        figures.put(OF_BOUND, capacity / boundJobsSec);
        for (double share : sharesOfBound) {
          figures.put(
              GOOD_SHARE_AT + Decimals.plain(share),
              goodShareAt(share * boundJobsSec, environment));
        }
      }
      Files.writeString(
          folder.path().resolve(FolderFiles.SUMMARY), figures.toPrettyString() + "\n");
      Files.writeString(
          folder.path().resolve(FolderFiles.CONFIG),
          ResolvedConfig.write(experiment.parsed().experiment())
              + ExperimentFile.RECORDED
              + ":\n"
              + ExperimentFiles.toYaml(experiment.parsed(), folder.path()));
      folder.finish();
      return ExitStatus.DONE;
    }
  }

  private OptionalDouble boundJobsSec(double goodShare, Map<String, OptionalDouble> bounds)
      throws UserMistakeException {
    String key =
        ResolvedConfig.write(experiment.parsed().experiment())
            .lines()
            .filter(line -> !line.matches("(scheduler|admission).*"))
            .collect(Collectors.joining("\n"));
    OptionalDouble known = bounds.get(key);
    if (known == null) {
      known =
          highest(
              drawnAtJobsSec,
              DOUBLINGS_MAX,
              rate -> {
                ExperimentBound.Good good = ExperimentBound.of(at(rate)).good(kind -> true, null);
                return good.goodMax() >= goodShare * good.jobs();
              });
      bounds.put(key, known);
    }
    return known;
  }

  private double capacityJobsSec(double goodShare, double boundJobsSec, Environment environment)
      throws UserMistakeException {
    return highest(
            boundJobsSec,
            HALVINGS_MAX,
            rate -> rate <= boundJobsSec && goodShareAt(rate, environment) >= goodShare)
        .orElse(0);
  }

  /**
   * Finds a rate that is kept, the next higher one of the search being missed; nothing if none is
   * kept after all halvings of the first.
   */
  private static OptionalDouble highest(double first, int halvingsMax, Keeps keeps)
      throws UserMistakeException {
    double kept = first;
    double missed = first;
    if (keeps.at(first)) {
      for (int i = 0; i < halvingsMax && missed == kept; i++) {
        missed = 2 * kept;
        kept = keeps.at(missed) ? missed : kept;
      }
    } else {
      for (int i = 0; i < halvingsMax && missed == kept; i++) {
        kept = missed / 2;
        missed = keeps.at(kept) ? missed : kept;
      }
      if (kept == missed) {
        return OptionalDouble.empty();
      }
    }
    while (missed / kept > RESOLUTION) {
      double rate = Math.sqrt(missed * kept);
      if (keeps.at(rate)) {
        kept = rate;
      } else {
        missed = rate;
      }
    }
    return OptionalDouble.of(kept);
  }

  private SimulatedExperiment at(double jobsSec) {
    return experiment.stretched(drawnAtJobsSec / jobsSec);
  }

  /** Simulates the requests at a rate, and returns the share of measured jobs that were good. */
  private double goodShareAt(double jobsSec, Environment environment) {
    RunRows rows = at(jobsSec).simulate("capacity", environment, null).report().rows();
    if (!rows.log().faults().isEmpty()) {
      throw new IllegalStateException("a simulation that is not whole: " + rows.log().faults());
    }
    int measured = 0;
    int good = 0;
    for (JobRow job : rows.jobs().all()) {
      if (job.isMeasured()) {
        measured++;
        good += job.isViolation() ? 0 : 1;
      }
    }
    return (double) good / measured;
  }
}
