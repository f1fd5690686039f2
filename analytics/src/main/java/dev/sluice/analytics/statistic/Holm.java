package dev.sluice.analytics.statistic;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Several tests as one family: the probability that any of them finds a difference where none is
 * stays below the level, whatever depends on what (S. Holm, A Simple Sequentially Rejective
 * Multiple Test Procedure, Scandinavian Journal of Statistics 6, 1979).
 *
 * @param found for each test, in the order given, whether it finds a difference
 * @param level what the p of a test that found none would have had to be, at most, for that test to
 *     find one beside the same others
 */
public record Holm(List<Boolean> found, double level) {
  public Holm {
    found = List.copyOf(found);
  }

  /**
   * Judges tests together.
   *
   * @param ps probability of each test's result without a true difference
   * @param level probability that any test finds a difference where none is, in (0, 1)
   */
  public static Holm of(List<Double> ps, double level) {
    List<Integer> bySize =
        IntStream.range(0, ps.size()).boxed().sorted(Comparator.comparing(ps::get)).toList();
    var found = new Boolean[ps.size()];
    Arrays.fill(found, false);
    for (int rank = 0; rank < bySize.size(); rank++) {
      double step = level / (ps.size() - rank);
      if (ps.get(bySize.get(rank)) > step) {
        return new Holm(Arrays.asList(found), step);
      }
      found[bySize.get(rank)] = true;
    }
    return new Holm(new ArrayList<>(Arrays.asList(found)), level);
  }
}
