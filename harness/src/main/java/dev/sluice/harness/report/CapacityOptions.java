package dev.sluice.harness.report;

import dev.sluice.contract.experiment.Experiment.Load;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.LivePolicy;
import dev.sluice.harness.frame.Registries;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Options of a search for capacities, as the user wrote them.
 *
 * @param policies names with commas; null: the experiment's own
 * @param between {@code FROM..TO}
 * @param resolution a share, or a percentage
 * @param runsMax most runs of each policy
 * @param profile service times of a simulation in place of those that the experiment names; null:
 *     none
 */
public record CapacityOptions(
    Path config,
    List<String> overrides,
    Path results,
    @Nullable String runId,
    String target,
    @Nullable String policies,
    String between,
    String resolution,
    int runsMax,
    boolean simulate,
    @Nullable Path profile) {
  private static final String NUMBER = "\\s*([0-9]+(?:\\.[0-9]+)?)\\s*";
  private static final Pattern RANGE = Pattern.compile(NUMBER + "\\.\\." + NUMBER);
  private static final Pattern SHARE = Pattern.compile(NUMBER + "(%?)");

  public CapacityOptions {
    overrides = List.copyOf(overrides);
  }

  /**
   * The experiment, at a rate, under a policy and with a seed; without thresholds.
   *
   * @param load the experiment's load
   * @param lengths how many times as long its measured window is
   */
  List<String> overridesFor(Load load, double rate, String policy, long seed, int lengths) {
    List<String> all = new ArrayList<>(overrides);
    if (lengths > 1) {
      all.add("duration_seconds=" + (load.warmupSeconds() + lengths * load.measuredSeconds()));
    }
    all.add("arrival_rate_jobs_per_sec=" + Double.toString(rate));
    all.add("scheduler_name=" + policy);
    all.add("seed=" + seed);
    all.add("thresholds={}");
    return all;
  }

  ParsedExperiment read(List<String> all) throws UserMistakeException {
    ParsedExperiment parsed = ExperimentFile.read(config, all, Registries.vocabulary());
    return simulate ? parsed : LivePolicy.orRefuse(parsed);
  }

  /** Lowest and highest rate. */
  double[] range() throws UserMistakeException {
    Matcher matcher = RANGE.matcher(between);
    if (!matcher.matches()) {
      throw new UserMistakeException(
          "--between", "the value (" + between + ") is no range", "you meant 50..2000");
    }
    double from = Double.parseDouble(matcher.group(1));
    double to = Double.parseDouble(matcher.group(2));
    if (from == to) {
      throw new UserMistakeException(
          "--between",
          "the value (" + between + ") is one rate, not a range",
          "./sluice run with --set arrival_rate_jobs_per_sec=" + matcher.group(1) + " is meant");
    }
    if (from > to) {
      throw new UserMistakeException(
          "--between",
          "the range (" + between + ") is turned round",
          "you meant " + matcher.group(2) + ".." + matcher.group(1));
    }
    if (from <= 0 || to > 1e6) {
      throw new UserMistakeException(
          "--between",
          "rates (" + between + ") must be above 0 and at most 1000000 jobs/s",
          "you meant 50..2000");
    }
    return new double[] {from, to};
  }

  double resolutionShare() throws UserMistakeException {
    Matcher matcher = SHARE.matcher(resolution);
    double share =
        matcher.matches()
            ? Double.parseDouble(matcher.group(1)) / (matcher.group(2).isEmpty() ? 1 : 100)
            : 0;
    if (!(share >= 0.001 && share <= 1)) {
      throw new UserMistakeException(
          "--resolution",
          "the value (" + resolution + ") must be between 0.1% and 100%",
          "you meant 5%");
    }
    return share;
  }
}
