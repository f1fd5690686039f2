package dev.sluice.analytics.compare;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.statistic.Holm;
import dev.sluice.analytics.statistic.PairedDifference;
import dev.sluice.contract.file.UserMistakeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What B is beside A, figure by figure: better, worse, within noise, or nothing that can be told.
 *
 * <p>The primary figure is tested at 5 %; all others together at 5 %, by Holm's procedure. So
 * settings that do not differ get a verdict on the primary one in one comparison of twenty, and one
 * on any other in one of twenty.
 *
 * @param method how differences were judged, for people
 * @param lines the figures, the primary one first
 */
public record Comparison(String method, List<Line> lines) {
  static final double LEVEL = 0.05;

  /** Verdict on B in one figure. */
  public enum Verdict {
    BETTER,
    WORSE,
    WITHIN_NOISE,
    CANNOT_TELL;

    String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /**
   * A figure of both settings.
   *
   * @param sample what the runs say
   * @param level what the p of this figure's test would have had to be, at most, for a verdict
   */
  record Line(
      HeadlineFigure figure, boolean primary, Sample sample, Verdict verdict, double level) {
    /**
     * True difference that four of five such comparisons would find, of a ratio its logarithm; NaN
     * unless the verdict is within noise.
     */
    double detectable() {
      PairedDifference difference = sample.difference();
      return verdict == Verdict.WITHIN_NOISE && difference != null
          ? difference.detectable(level)
          : Double.NaN;
    }
  }

  /**
   * Compares two settings: of one pair of runs by the batch means of both, of several by the pairs.
   *
   * @param jobs jobs of the two
   * @param primary name of the primary figure; null: goodput
   * @throws UserMistakeException if there is no such figure, or a run's trace.csv cannot be read
   */
  public static Comparison of(ComparedSides sides, ComparedJobs jobs, @Nullable String primary)
      throws UserMistakeException {
    List<List<JsonNode>> pairs = sides.summaries();
    List<HeadlineFigure> figures = HeadlineFigure.of(pairs.get(0).get(0), primary);
    return judge(
        figures,
        pairs.size() == 1
            ? new BatchesOfTwoRuns(
                sides.pairs().get(0).a().run(),
                sides.pairs().get(0).b().run(),
                jobs.a().only(),
                jobs.b().only())
            : new PairsOfRuns(pairs));
  }

  /**
   * Checks the name of a primary figure before anything runs.
   *
   * @param primary null: goodput
   * @param classes names of the experiment's classes
   * @param workloads names of its workloads
   * @throws UserMistakeException if there is no such figure, or it has no better end
   */
  public static void checkPrimary(
      @Nullable String primary, List<String> classes, List<String> workloads)
      throws UserMistakeException {
    if (primary != null) {
      HeadlineFigure.named(primary, classes, workloads);
    }
  }

  static Comparison judge(List<HeadlineFigure> figures, Sample.Source source) {
    List<Sample> samples = figures.stream().map(source::of).toList();
    List<Integer> others = new ArrayList<>();
    List<Double> ps = new ArrayList<>();
    for (int i = 1; i < figures.size(); i++) {
      if (samples.get(i).why() == null) {
        others.add(i);
        ps.add(Objects.requireNonNull(samples.get(i).difference()).p());
      }
    }
    Holm holm = Holm.of(ps, LEVEL);
    List<Line> lines = new ArrayList<>();
    for (int i = 0; i < figures.size(); i++) {
      Sample sample = samples.get(i);
      PairedDifference difference = sample.difference();
      Verdict verdict = Verdict.CANNOT_TELL;
      if (sample.why() == null && difference != null) {
        boolean found = i == 0 ? difference.p() <= LEVEL : holm.found().get(others.indexOf(i));
        verdict = found ? verdict(figures.get(i), difference) : Verdict.WITHIN_NOISE;
      }
      lines.add(new Line(figures.get(i), i == 0, sample, verdict, i == 0 ? LEVEL : holm.level()));
    }
    return new Comparison(source.method(), lines);
  }

  private static Verdict verdict(HeadlineFigure figure, PairedDifference difference) {
    return difference.interval().mean() > 0 == figure.higherIsBetter()
        ? Verdict.BETTER
        : Verdict.WORSE;
  }

  /** Verdict on the primary figure. */
  public Verdict primaryVerdict() {
    return lines.get(0).verdict;
  }

  /** True if B is worse in any figure. */
  public boolean isWorse() {
    return lines.stream().anyMatch(line -> line.verdict == Verdict.WORSE);
  }

  /**
   * What two settings' runs say of one figure.
   *
   * @param a its mean over the runs of A; NaN: a run has none
   * @param b its mean over the runs of B; NaN: a run has none
   * @param difference difference of B to A, of a ratio its logarithm; null: there is none
   * @param why why there is no verdict; null: there may be one
   */
  record Sample(double a, double b, @Nullable PairedDifference difference, @Nullable String why) {
    static Sample none(double a, double b, String why) {
      return new Sample(a, b, null, why);
    }

    /** Source of samples. */
    interface Source {
      Sample of(HeadlineFigure figure);

      /** How differences are judged, for people. */
      String method();
    }
  }
}
