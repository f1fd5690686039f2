package dev.sluice.analytics.compare;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.compare.Comparison.Sample;
import dev.sluice.analytics.statistic.PairedDifference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Samples of several pairs of runs: each pair gives one difference, by Student's t over pairs. */
final class PairsOfRuns implements Sample.Source {
  /** Fewest pairs for a verdict. */
  static final int PAIRS_MIN = 8;

  private static final String DIGEST = "request_digest";

  private final List<List<JsonNode>> pairs;

  /**
   * @param pairs summaries of A and B, at least one pair
   */
  PairsOfRuns(List<List<JsonNode>> pairs) {
    this.pairs = pairs;
  }

  @Override
  public String method() {
    boolean equal =
        pairs.stream().allMatch(pair -> pair.get(0).path(DIGEST).equals(pair.get(1).path(DIGEST)));
    return "Student's t over %d pairs of runs with %s requests"
        .formatted(pairs.size(), equal ? "equal" : "other");
  }

  @Override
  public Sample of(HeadlineFigure figure) {
    List<Double> differences = new ArrayList<>();
    double sumA = 0;
    double sumB = 0;
    int without = 0;
    boolean zero = false;
    for (List<JsonNode> pair : pairs) {
      Double a = figure.in(pair.get(0));
      Double b = figure.in(pair.get(1));
      without += (a == null ? 1 : 0) + (b == null ? 1 : 0);
      sumA += a == null ? Double.NaN : a;
      sumB += b == null ? Double.NaN : b;
      if (a == null || b == null) {
        continue;
      }
      zero |= figure.isRatio() && (a <= 0 || b <= 0);
      differences.add(figure.isRatio() ? Math.log(b / a) : b - a);
    }
    double a = sumA / pairs.size();
    double b = sumB / pairs.size();
    if (without > 0) {
      return Sample.none(
          a,
          b,
          "infinite or without a value in %d of %d runs".formatted(without, 2 * pairs.size()));
    }
    if (zero) {
      return Sample.none(a, b, "0 in a run, so that there is no ratio");
    }
    PairedDifference difference = PairedDifference.of(differences);
    String why = leftOut(figure, pairs);
    if (why == null && pairs.size() < PAIRS_MIN) {
      why = "%d pairs, and %d are needed".formatted(pairs.size(), PAIRS_MIN);
    }
    return new Sample(a, b, difference, why);
  }

  /** Why an average cannot be judged: it leaves out jobs that were not done. Null: it can. */
  static @Nullable String leftOut(HeadlineFigure figure, List<List<JsonNode>> pairs) {
    if (!figure.definition().ofDone()) {
      return null;
    }
    String scope = figure.scope().isEmpty() ? "all_" : figure.scope();
    long notDone = 0;
    for (List<JsonNode> pair : pairs) {
      for (JsonNode run : pair) {
        Double count = HeadlineFigure.value(run, scope + "count");
        Double done = HeadlineFigure.value(run, scope + "done");
        notDone += count == null || done == null ? 0 : Math.round(count - done);
      }
    }
    return notDone == 0
        ? null
        : "an average over done jobs alone, and %d jobs were not done".formatted(notDone);
  }
}
