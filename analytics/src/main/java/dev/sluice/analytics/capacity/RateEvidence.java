package dev.sluice.analytics.capacity;

import dev.sluice.analytics.capacity.RunEvidence.Sample;
import dev.sluice.analytics.statistic.Bounds;
import dev.sluice.analytics.statistic.MeanInterval;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.statistics.distribution.BetaDistribution;

/**
 * What all runs of one policy at one rate tell of a target, their batches pooled. A rate passes if
 * the interval of every scope is below the bound (95 %, shared among the looks at a rate), and
 * fails if one is above it, if most of its runs were unstable, or if the target bounds a mean and a
 * job was not done: the mean would gain by dropping.
 *
 * <p>An interval of a share is never narrower than that of as many independent jobs (C. J. Clopper
 * and E. S. Pearson, Biometrika 26, 1934), so that a run in which no job broke the target does not
 * pass by its silence. Of eight runs or more their own means count in place of batches: they are
 * independent.
 */
record RateEvidence(List<RunEvidence> runs) {
  private static final int INDEPENDENT = 8;

  /** Most runs of a rate. */
  static final int RUNS_MAX = 36;

  /** Numbers of runs at which a rate is judged: a look after each run would err more often. */
  private static final int[] LOOKS = {RUNS_MAX, 12, 4, 1};

  /** Confidence of one look, so that all of them together have 95 % (Bonferroni). */
  private static final double CONFIDENCE = 1 - (1 - MeanInterval.CONFIDENCE) / LOOKS.length;

  private static final double TAIL = (1 - CONFIDENCE) / 2;

  enum Verdict {
    PASS,
    FAIL,
    UNDECIDED,
    SILENT
  }

  /** The runs that say something, as far as the rate is judged by them. */
  private List<RunEvidence> telling() {
    List<RunEvidence> telling = runs.stream().filter(run -> run.silent().isEmpty()).toList();
    for (int look : LOOKS) {
      if (telling.size() >= look) {
        return telling.subList(0, look);
      }
    }
    return telling;
  }

  Verdict verdict(Target target) {
    List<RunEvidence> telling = telling();
    if (telling.isEmpty()) {
      return runs.isEmpty() ? Verdict.UNDECIDED : Verdict.SILENT;
    }
    long unstable = telling.stream().filter(RunEvidence::unstable).count();
    if (2 * unstable > telling.size()) {
      return Verdict.FAIL;
    }
    Verdict worst = Verdict.PASS;
    for (int scope = 0; scope < target.scopes().size(); scope++) {
      Verdict one = verdict(target, telling, scope);
      if (one == Verdict.FAIL) {
        return Verdict.FAIL;
      }
      worst = one == Verdict.UNDECIDED ? one : worst;
    }
    return worst;
  }

  private static Verdict verdict(Target target, List<RunEvidence> telling, int scope) {
    long count = 0;
    long broken = 0;
    List<Double> batches = new ArrayList<>();
    List<Double> own = new ArrayList<>();
    for (RunEvidence run : telling) {
      Sample sample = run.samples().get(scope);
      count += sample.count();
      broken += sample.broken();
      batches.addAll(sample.means());
      if (!sample.means().isEmpty()) {
        own.add(sample.means().stream().mapToDouble(v -> v).average().orElseThrow());
      }
    }
    if (!target.isShare() && broken > 0) {
      return Verdict.FAIL; // a job that is not done takes without end, and so does the mean
    }
    MeanInterval interval =
        MeanInterval.of(
            own.size() >= INDEPENDENT ? own : batches,
            CONFIDENCE,
            target.isShare() ? Bounds.SHARE : Bounds.FROM_ZERO);
    if (!interval.hasEnds()) {
      return Verdict.UNDECIDED;
    }
    double low = interval.low();
    double high = interval.high();
    if (target.isShare()) {
      low = Math.min(low, broken == 0 ? 0 : beta(broken, count - broken + 1, TAIL));
      high = Math.max(high, broken == count ? 1 : beta(broken + 1, count - broken, 1 - TAIL));
    }
    return high < target.limit()
        ? Verdict.PASS
        : low > target.limit() ? Verdict.FAIL : Verdict.UNDECIDED;
  }

  private static double beta(long a, long b, double probability) {
    return BetaDistribution.of((double) a, (double) b).inverseCumulativeProbability(probability);
  }
}
