package dev.sluice.bench;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One measurement of Sluice's own speed, which fills one or more rows of the bench's table. */
interface Bench {
  /** Name on the command line. */
  String name();

  /** Rows of the table that this bench fills. */
  List<Row> rows();

  /**
   * Measures once.
   *
   * @return readings by row; a row without a reading counts as missed, unless its peer is missing
   * @throws MeasurementFailedException if nothing could be read
   */
  Map<Row, Double> measure() throws IOException, InterruptedException, MeasurementFailedException;

  /**
   * A row of the table.
   *
   * <p>The goal is a plain number, or a number of <em>fixed loops</em>: times of one loop of
   * arithmetic on the machine that measures. A machine that takes twice as long for the loop has
   * twice as much time for such a row, and half as many jobs a second to do.
   *
   * @param name kept by later versions
   * @param unit unit of the readings and of the goal
   * @param atLeast true: the goal is a lower bound; false: it is an upper bound
   * @param bound goal in the row's unit; of a scaled row, in fixed loops or in events a fixed loop
   * @param scaled whether the bound is counted by fixed loops
   * @param peer program that the row compares Sluice with; null: none. Where the program is missing
   *     the row has no reading, and is not missed
   */
  record Row(
      String name,
      String unit,
      boolean atLeast,
      double bound,
      boolean scaled,
      @Nullable String peer) {
    private static final double MS_PER_SECOND = 1e3;

    static Row atLeast(String name, String unit, double goal) {
      return new Row(name, unit, true, goal, false, null);
    }

    static Row atMost(String name, String unit, double goal) {
      return new Row(name, unit, false, goal, false, null);
    }

    /**
     * A time that may last a number of fixed loops.
     *
     * @param unit s or ms
     */
    static Row atMostLoops(String name, String unit, double loops) {
      return new Row(name, unit, false, loops, true, null);
    }

    /**
     * A rate of at least a number of events in the time of a fixed loop.
     *
     * @param unit events a second, such as jobs/s
     */
    static Row atLeastPerLoop(String name, String unit, double events) {
      return new Row(name, unit, true, events, true, null);
    }

    /** Returns this row as one that needs another program. */
    Row beside(String program) {
      return new Row(name, unit, atLeast, bound, scaled, program);
    }

    /**
     * Returns the goal on a machine, in the row's unit.
     *
     * @param loopMs time of the machine's fixed loop
     */
    double goal(double loopMs) {
      if (!scaled) {
        return bound;
      }
      double seconds = loopMs / MS_PER_SECOND;
      return switch (unit) {
        case "ms" -> bound * loopMs;
        case "s" -> bound * seconds;
        default -> bound / seconds;
      };
    }

    boolean isMetBy(double reading, double loopMs) {
      double goal = goal(loopMs);
      return atLeast ? reading >= goal : reading <= goal;
    }

    /** Returns a reading or a goal with the row's unit. */
    String text(double value) {
      return unit.isEmpty() ? number(value) : number(value) + " " + unit;
    }

    /** Text of a number: with separators from 1000 on, with three digits below. */
    static String number(double value) {
      return Math.abs(value) >= 1000
          ? String.format(Locale.ROOT, "%,.0f", value)
          : String.format(Locale.ROOT, value == Math.rint(value) ? "%.0f" : "%.3g", value);
    }
  }
}
