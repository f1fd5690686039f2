package dev.sluice.analytics.figure;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.Bounds;
import java.util.List;

/**
 * A family of figures: one class, and one line in {@link Figures}, or in a file of services of a
 * jar that lies beside Sluice's jars.
 */
public interface Figure {
  /**
   * Returns the numbers of the family, which a threshold may bound, in a fixed order. A number that
   * each class has is listed once, without a class.
   */
  List<Definition> numbers();

  /** Adds the family's figures of a run, which must not depend on another family's. */
  void addTo(Summary summary, RunRows run);

  /**
   * A number of a run, as its family declares it. Compare, thresholds, sweeps and intervals read
   * the declaration, and nothing of the name.
   *
   * @param name its name in summary.json, without a class
   * @param unit what it is counted in
   * @param range values that it can have
   * @param better direction in which a setting is better; NEITHER: no comparison judges it
   * @param ofDone true if it is a mean over done jobs alone, which gains by jobs that are not done
   * @param fewBelow number of values below which it decides no threshold; 0: any number decides
   * @param countBehind name of the number that counts these values, without a class if the number
   *     has none
   */
  record Definition(
      String name,
      Unit unit,
      Bounds range,
      Better better,
      boolean ofDone,
      int fewBelow,
      String countBehind) {
    public enum Unit {
      COUNT,
      MILLISECONDS,
      SECONDS,
      PER_SECOND,
      RATIO
    }

    /** Directions in which a setting is better. */
    public enum Better {
      MORE,
      LESS,
      NEITHER
    }

    /** A number from 0 of which neither more nor less is better, until it says otherwise. */
    public static Definition of(String name, Unit unit) {
      return new Definition(name, unit, Bounds.FROM_ZERO, Better.NEITHER, false, 0, "all_count");
    }

    public Definition within(Bounds bounds) {
      return new Definition(name, unit, bounds, better, ofDone, fewBelow, countBehind);
    }

    public Definition moreIsBetter() {
      return new Definition(name, unit, range, Better.MORE, ofDone, fewBelow, countBehind);
    }

    public Definition lessIsBetter() {
      return new Definition(name, unit, range, Better.LESS, ofDone, fewBelow, countBehind);
    }

    public Definition ofDoneJobs() {
      return new Definition(name, unit, range, better, true, fewBelow, countBehind);
    }

    /** With a number of jobs, of all classes, below which it decides no threshold. */
    public Definition fewBelow(int jobs) {
      return fewBelow(jobs, countBehind);
    }

    public Definition fewBelow(int values, String counted) {
      return new Definition(name, unit, range, better, ofDone, values, counted);
    }
  }
}
