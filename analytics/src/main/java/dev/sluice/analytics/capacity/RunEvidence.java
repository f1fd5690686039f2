package dev.sluice.analytics.capacity;

import dev.sluice.analytics.capacity.Target.Scope;
import dev.sluice.analytics.statistic.BatchMeans;
import java.util.ArrayList;
import java.util.List;

/**
 * What one run tells of a target.
 *
 * @param lengths how many times as long its measured window was as the experiment's
 * @param unstable true if its queue rose over the whole window, so that it fails
 * @param silent why the run says nothing, such as a late generator; empty: it says something
 * @param late true if it says nothing because its generator was late, or the harness at its limit
 * @param p99Ms p99 of all measured jobs; infinite if it falls on a job that is not done
 */
public record RunEvidence(
    String policy,
    double rate,
    long seed,
    int lengths,
    boolean unstable,
    boolean late,
    String silent,
    double p99Ms,
    double goodputJobsSec,
    List<Sample> samples) {
  /**
   * Jobs of one scope.
   *
   * @param count number of jobs in the series
   * @param broken number of jobs that break the target where it bounds a share, or that are not
   *     done where it bounds a mean
   * @param means means of batches in time that do not resemble their neighbours, as far as a test
   *     shows; few where neighbours of twenty did; empty: the series is too short
   */
  public record Sample(String scope, long count, long broken, List<Double> means) {
    public Sample {
      means = List.copyOf(means);
    }
  }

  public RunEvidence {
    lengths = Math.max(1, lengths); // a journal of an earlier version does not say it
    samples = List.copyOf(samples);
  }

  /** Builds the samples of a target from a run's measured jobs, in the order of their arrival. */
  public static final class Samples {
    private static final int JOINED = 4;

    private final Target target;
    private final List<Series> series = new ArrayList<>();

    private static final class Series {
      final List<Double> values = new ArrayList<>();
      long broken;
    }

    public Samples(Target target) {
      this.target = target;
      target.scopes().forEach(scope -> series.add(new Series()));
    }

    /**
     * Adds a job.
     *
     * @param endToEndMs infinite unless the job is done
     * @param waitMs infinite unless the job is done
     */
    public void add(
        String classType,
        String workload,
        boolean violates,
        boolean done,
        double endToEndMs,
        double waitMs) {
      double value = target.value(violates, done, endToEndMs, waitMs);
      boolean breaks = target.isShare() ? value > 0 : !done;
      for (int i = 0; i < series.size(); i++) {
        if (target.scopes().get(i).holds(classType, workload)) {
          series.get(i).broken += breaks ? 1 : 0;
          if (done || target.isShare()) { // a mean without an end is told by the jobs that break it
            series.get(i).values.add(value);
          }
        }
      }
    }

    public List<Sample> build() {
      List<Sample> samples = new ArrayList<>();
      for (int i = 0; i < series.size(); i++) {
        Series one = series.get(i);
        Scope scope = target.scopes().get(i);
        double[] values = one.values.stream().mapToDouble(v -> v).toArray();
        BatchMeans batches = BatchMeans.of(values);
        samples.add(
            new Sample(
                scope.text(),
                values.length,
                one.broken,
                batches.isTrusted() ? batches.means() : joined(batches.means())));
      }
      return samples;
    }

    /** Means of longer batches, whose neighbours resemble each other less. */
    private static List<Double> joined(List<Double> means) {
      List<Double> joined = new ArrayList<>();
      for (int i = 0; i + JOINED <= means.size(); i += JOINED) {
        joined.add(
            means.subList(i, i + JOINED).stream().mapToDouble(v -> v).average().orElseThrow());
      }
      return joined;
    }
  }
}
