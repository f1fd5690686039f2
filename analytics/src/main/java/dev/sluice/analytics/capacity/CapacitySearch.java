package dev.sluice.analytics.capacity;

import dev.sluice.analytics.capacity.RateEvidence.Verdict;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.DoubleStream;

/**
 * The search for one policy's capacity: which rate to run next, by what the runs so far tell, and
 * the answer. It halves the range between the highest pass and the lowest fail. A rate that is
 * undecided gets further runs, with other seeds, up to {@value RateEvidence#RUNS_MAX}; so do a pass
 * above a fail and that fail. Nothing but its own runs makes a rate pass.
 */
public final class CapacitySearch {
  private static final int RUNS_MAX = RateEvidence.RUNS_MAX;
  private static final int SILENT_MAX = 2;
  private static final int LONGER = 4;

  private final Target target;
  private final Settings settings;
  private final Map<Double, List<RunEvidence>> runs = new TreeMap<>();
  private final Map<Double, Integer> made = new HashMap<>();
  private int lengths = 1;
  private int count;

  /**
   * What is searched.
   *
   * @param from lowest rate of the range
   * @param to highest rate of the range
   * @param resolution ratio of lowest fail and highest pass, less 1, at which the search ends
   * @param runsMax most runs of the policy
   * @param measuredSeconds length of the measured window
   * @param warmupSeconds time before it
   * @param lengthsMax most times that the measured window may be as long
   */
  public record Settings(
      double from,
      double to,
      double resolution,
      int runsMax,
      double measuredSeconds,
      double warmupSeconds,
      int lengthsMax) {}

  /** How a search came out. */
  public enum Outcome {
    RESOLVED,
    BELOW,
    ABOVE,
    GENERATOR_ENDS,
    NOT_RESOLVED
  }

  /**
   * The answer.
   *
   * @param pass highest rate that passed with no fail at or below it; NaN: none
   * @param fail lowest rate that failed; NaN: none
   */
  public record Answer(Outcome outcome, double pass, double fail, String words) {}

  public CapacitySearch(Target target, Settings settings) {
    this.target = target;
    this.settings = settings;
  }

  /** Takes a run; the first longer one sets aside what was undecided before. */
  public void add(RunEvidence run) {
    while (lengths < run.lengths()) {
      lengthen();
    }
    runs.computeIfAbsent(run.rate(), rate -> new ArrayList<>()).add(run);
    made.merge(run.rate(), 1, Integer::sum);
    count++;
  }

  public int runsOf(double rate) {
    return runs.getOrDefault(rate, List.of()).size();
  }

  /** Number of runs of a rate that were made, which tells the next one's seed. */
  public int madeOf(double rate) {
    return made.getOrDefault(rate, 0);
  }

  /** How many times as long as the experiment's the measured window of the next run is. */
  public int lengths() {
    return lengths;
  }

  /** True if further runs of a rate may decide it. */
  public boolean isOpen(double rate) {
    return count < settings.runsMax() && mayDecide(rate);
  }

  /** True if the runs of a rate that is asked for did not decide it, and longer ones may. */
  public boolean wantsLongerRuns() {
    return LONGER * lengths <= settings.lengthsMax()
        && count < settings.runsMax()
        && asked().stream()
            .anyMatch(rate -> runsOf(rate) >= RUNS_MAX && verdict(rate) == Verdict.UNDECIDED);
  }

  /** Makes the runs from now on longer; what shorter runs did not decide is judged anew. */
  public void lengthen() {
    lengths *= LONGER;
    runs.keySet().removeIf(rate -> verdict(rate) == Verdict.UNDECIDED);
  }

  /** Verdict on a rate in words: pass, fail, undecided or silent. */
  public String verdictOf(double rate) {
    return verdict(rate).name().toLowerCase(Locale.ROOT);
  }

  private Verdict verdict(double rate) {
    return new RateEvidence(runs.getOrDefault(rate, List.of())).verdict(target);
  }

  public OptionalDouble next() {
    return count >= settings.runsMax() ? OptionalDouble.empty() : wanted();
  }

  /** The rate to run next, whatever the budget; empty: further runs would tell nothing. */
  private OptionalDouble wanted() {
    for (double end : new double[] {settings.from(), settings.to()}) {
      if (runsOf(end) == 0) {
        return OptionalDouble.of(end);
      }
    }
    double crossed = lowestFail();
    if (highestPass() > crossed) {
      double again = runsOf(crossed) <= runsOf(highestPass()) ? crossed : highestPass();
      return runsOf(again) < RUNS_MAX ? OptionalDouble.of(again) : OptionalDouble.empty();
    }
    for (double rate : asked()) {
      if (mayDecide(rate)) {
        return OptionalDouble.of(rate);
      }
    }
    return between();
  }

  /** The rates that ran and lie between the highest pass and the lowest fail. */
  private List<Double> asked() {
    double pass = rates(Verdict.PASS).max().orElse(0);
    double fail = rates(Verdict.FAIL).min().orElse(Double.POSITIVE_INFINITY);
    return runs.keySet().stream().filter(rate -> rate > pass && rate < fail).toList();
  }

  private boolean mayDecide(double rate) {
    Verdict verdict = verdict(rate);
    return (verdict == Verdict.UNDECIDED && runsOf(rate) < RUNS_MAX)
        || (verdict == Verdict.SILENT && runsOf(rate) < SILENT_MAX);
  }

  /** A rate between the highest pass and what is next above it. */
  private OptionalDouble between() {
    double low = rates(Verdict.PASS).max().orElse(0);
    double high = rates(Verdict.FAIL).min().orElse(Double.POSITIVE_INFINITY);
    if (low == 0 || (Double.isInfinite(high) && verdict(settings.to()) == Verdict.PASS)) {
      return OptionalDouble.empty();
    }
    double above = high;
    double below = low;
    for (double rate : runs.keySet()) { // rates that cannot be decided part the range
      if (rate > low && rate < high) {
        above = Math.min(above, rate);
        below = Math.max(below, rate);
      }
    }
    if (above / low > 1 + settings.resolution() / (above == high ? 1 : 4)) {
      return OptionalDouble.of(middle(low, above));
    }
    if (above != high && !Double.isInfinite(high) && high / low > 1 + settings.resolution()) {
      return high / below > 1 + settings.resolution() / 4
          ? OptionalDouble.of(middle(below, high))
          : OptionalDouble.empty();
    }
    return OptionalDouble.empty();
  }

  /** The geometric mean, in four digits where these lie between the two. */
  public static double middle(double low, double high) {
    double mean = Math.sqrt(low * high);
    double rounded =
        new BigDecimal(mean).round(new MathContext(4, RoundingMode.HALF_EVEN)).doubleValue();
    return low < rounded && rounded < high ? rounded : mean;
  }

  private DoubleStream rates(Verdict verdict) {
    return runs.keySet().stream().filter(rate -> verdict(rate) == verdict).mapToDouble(r -> r);
  }

  private double highestPass() {
    return rates(Verdict.PASS).max().orElse(Double.NaN);
  }

  private double lowestFail() {
    return rates(Verdict.FAIL).min().orElse(Double.NaN);
  }

  /** The answer by the runs so far. */
  public Answer answer() {
    double pass = highestPass();
    double fail = lowestFail();
    if (pass > fail) {
      return new Answer(
          Outcome.NOT_RESOLVED,
          Double.NaN,
          fail,
          "%s passed, and %s below it failed: %s"
              .formatted(text(pass), text(fail), wayOut(fail, pass)));
    }
    if (fail == settings.from()) {
      return new Answer(Outcome.BELOW, Double.NaN, fail, "below " + text(fail) + ", which failed");
    }
    if (pass == settings.to()) {
      return new Answer(Outcome.ABOVE, pass, Double.NaN, "above " + text(pass) + ", which passed");
    }
    if (fail / pass <= 1 + settings.resolution()) {
      return new Answer(
          Outcome.RESOLVED,
          pass,
          fail,
          "between %s, which passed, and %s, which failed".formatted(text(pass), text(fail)));
    }
    double silent = rates(Verdict.SILENT).min().orElse(Double.NaN);
    if (Double.isNaN(fail) && !Double.isNaN(silent) && wanted().isEmpty()) {
      boolean late = runs.getOrDefault(silent, List.of()).stream().allMatch(RunEvidence::late);
      return new Answer(
          Outcome.GENERATOR_ENDS,
          pass,
          fail,
          (late ? "the generator ends at " : "runs say nothing from ")
              + text(silent)
              + (Double.isNaN(pass) ? "" : "; " + text(pass) + " passed"));
    }
    String known =
        Double.isNaN(pass) || Double.isNaN(fail)
            ? "%s, %s"
                .formatted(
                    Double.isNaN(pass) ? "no rate passed" : text(pass) + " passed",
                    Double.isNaN(fail) ? "no rate failed" : text(fail) + " failed")
            : "between %s, which passed, and %s, which failed, %s apart; %s asked"
                .formatted(
                    text(pass),
                    text(fail),
                    percent(fail / pass - 1),
                    percent(settings.resolution()));
    return new Answer(Outcome.NOT_RESOLVED, pass, fail, known + ": " + wayOut(pass, fail));
  }

  private static String percent(double share) {
    return new BigDecimal(100 * share)
            .round(new MathContext(2, RoundingMode.HALF_EVEN))
            .stripTrailingZeros()
            .toPlainString()
        + " %";
  }

  /**
   * What would find an answer between two rates; NaN: the range's end. The distance that runs can
   * tell shrinks with the root of their length.
   */
  private String wayOut(double low, double high) {
    if (count >= settings.runsMax()) {
      return "add --runs " + 4 * settings.runsMax();
    }
    if (next().isPresent()) {
      return "the same command goes on";
    }
    for (double rate : runs.keySet()) {
      if (!(rate <= low) && !(rate >= high) && verdict(rate) == Verdict.SILENT) {
        return "runs at " + text(rate) + " say nothing";
      }
    }
    double missing = (high / low - 1) / settings.resolution();
    double longer =
        Double.isNaN(missing) ? LONGER : Math.max(LONGER, 2 * missing * missing) * lengths;
    return "add --set duration_seconds="
        + (long) Math.ceil(settings.warmupSeconds() + longer * settings.measuredSeconds());
  }

  /** A rate in up to six digits, with its unit. */
  public static String text(double rate) {
    return new BigDecimal(rate).round(new MathContext(6)).stripTrailingZeros().toPlainString()
        + "/s";
  }

  /**
   * The rising values that are nearest to the given ones, which are in order: the fit of least
   * squares, by pooling adjacent violators (R. E. Barlow et al., Statistical Inference under Order
   * Restrictions, Wiley 1972).
   */
  public static double[] rising(double[] values) {
    var mean = new double[values.length];
    var size = new int[values.length];
    int pools = 0;
    for (double value : values) {
      mean[pools] = value;
      size[pools] = 1;
      pools++;
      while (pools > 1 && mean[pools - 2] > mean[pools - 1]) {
        int both = size[pools - 2] + size[pools - 1];
        mean[pools - 2] =
            (mean[pools - 2] * size[pools - 2] + mean[pools - 1] * size[pools - 1]) / both;
        size[pools - 2] = both;
        pools--;
      }
    }
    var fit = new double[values.length];
    int next = 0;
    for (int pool = 0; pool < pools; pool++) {
      for (int i = 0; i < size[pool]; i++) {
        fit[next++] = mean[pool];
      }
    }
    return fit;
  }
}
