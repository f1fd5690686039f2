package dev.sluice.bench;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** One measurement of Sluice's own speed, which fills one or more rows of the bench's table. */
public interface Bench {
  /** Name on the command line. */
  String name();

  /** Rows of the table that this bench fills. */
  List<Row> rows();

  /**
   * Measures once.
   *
   * @return readings by row; a row without a reading counts as missed
   * @throws MeasurementFailedException if nothing could be read
   */
  Map<Row, Double> measure() throws IOException, InterruptedException, MeasurementFailedException;

  /**
   * A row of the table.
   *
   * @param name kept by later versions
   * @param unit unit of the readings and of the goal
   * @param atLeast true: the goal is a lower bound; false: it is an upper bound
   */
  record Row(String name, String unit, boolean atLeast, double goal) {
    public static Row atLeast(String name, String unit, double goal) {
      return new Row(name, unit, true, goal);
    }

    public static Row atMost(String name, String unit, double goal) {
      return new Row(name, unit, false, goal);
    }

    public boolean isMetBy(double reading) {
      return atLeast ? reading >= goal : reading <= goal;
    }

    public String goalText() {
      return (atLeast ? ">= " : "<= ") + text(goal);
    }

    /** Text of a number: with separators from 1000 on, with three digits below. */
    public static String text(double value) {
      return Math.abs(value) >= 1000
          ? String.format(Locale.ROOT, "%,.0f", value)
          : String.format(Locale.ROOT, value == Math.rint(value) ? "%.0f" : "%.3g", value);
    }
  }
}
