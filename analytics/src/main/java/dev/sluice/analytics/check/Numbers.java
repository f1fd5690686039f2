package dev.sluice.analytics.check;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Some numbers of summary.json, counted again. */
abstract class Numbers extends RunRules {
  /** What rests on two times of the tables is off by at most this, in ms. */
  static final double TIMES_MS = 2 * HALF_GRAIN_NS / 1e6;

  private static final double RELATIVE = 1e-7;

  /** Jobs that count. */
  final List<Job> measured = folder.measured();

  final long fromNs = config.warmupNs();
  final long toNs;

  /** Paths of the numbers that were counted again, as pointers. */
  final Set<String> counted = new HashSet<>();

  Numbers(RunFolder folder) {
    super(folder);
    toNs = folder.wasInterrupted() ? cutNs() : config.durationNs();
  }

  /**
   * End of a window that was cut at an arrival: the stated one, if rounding alone separates the
   * two.
   */
  private long cutNs() {
    long durationNs = config.durationNs();
    long lastNs = folder.jobs().stream().mapToLong(job -> job.enqueueNs).max().orElse(durationNs);
    long cutNs = Math.max(fromNs, Math.min(durationNs, lastNs));
    double stated = statedNumber("window_seconds");
    long statedNs = Double.isNaN(stated) ? cutNs : fromNs + Math.round(stated * 1e9);
    return Math.abs(statedNs - cutNs) <= HALF_GRAIN_NS ? statedNs : cutNs;
  }

  double windowSeconds() {
    return (toNs - fromNs) / 1e9;
  }

  boolean isInside(long atNs) {
    return fromNs <= atNs && atNs < toNs;
  }

  /** True if a time, before it was rounded, may have lain on the other side of a window's edge. */
  boolean isAtEdge(long atNs) {
    return isAt(atNs, fromNs) || isAt(atNs, toNs);
  }

  /** True if a time, before it was rounded, may have lain on the other side of an instant. */
  static boolean isAt(long atNs, long edgeNs) {
    return Math.abs(atNs - edgeNs) <= HALF_GRAIN_NS;
  }

  boolean isServer() {
    return config.scenario().equals("server");
  }

  boolean isOffline() {
    return config.scenario().equals("offline");
  }

  /** Compares a number with its recount; NaN and infinity stand for null. */
  void equal(String path, double count) {
    between(path, count, count, count);
  }

  /**
   * Compares a number with its recount.
   *
   * @param path names joined by slashes
   * @param tolerance by how much rows that were rounded may be off
   */
  void equal(String path, double count, double tolerance) {
    between(path, count - tolerance, count, count + tolerance);
  }

  /**
   * Compares a number with the least and the most that rows may come to that were rounded.
   *
   * @param count what they come to as they stand
   */
  void between(String path, double least, double count, double most) {
    JsonNode stated = stated(path);
    if (stated.isMissingNode()) {
      differs(path, "it is missing, and the rows come to (%s)", count);
    } else if (Double.isFinite(count)) {
      double slack = 1e-9 + RELATIVE * Math.abs(count);
      double number = stated.asDouble();
      boolean same = stated.isNumber() && least - slack <= number && number <= most + slack;
      if (!same) {
        differs(path, "it says (%s), and the rows come to (%s)", stated, count);
      }
    } else if (!stated.isNull()) {
      differs(path, "it says (%s), and the rows come to none", stated);
    }
  }

  /** Compares a flag; null stands for one that is not judged. */
  void same(String path, @Nullable Boolean count) {
    JsonNode stated = stated(path);
    if (count == null ? !stated.isNull() : !stated.isBoolean() || stated.asBoolean() != count) {
      differs(path, "it says (%s), and the rows come to (%s)", stated, String.valueOf(count));
    }
  }

  /** Compares a number for each name, and that there are no others. */
  void equalEach(String path, Map<String, ? extends Number> counts) {
    counts.forEach((name, count) -> equal(path + "/" + escaped(name), count.doubleValue()));
    Iterable<String> names = () -> folder.summary().at("/" + path).fieldNames();
    for (String name : names) {
      if (!counts.containsKey(name)) {
        counted.add("/" + path + "/" + escaped(name));
        differs(path + "/" + name, "the rows know of no (%s)", name);
      }
    }
  }

  static String escaped(String name) {
    return name.replace("~", "~0").replace("/", "~1");
  }

  /** Number as the summary states it; NaN where it is null or missing. */
  double statedNumber(String path) {
    return folder.summary().at("/" + path).asDouble(Double.NaN);
  }

  private JsonNode stated(String path) {
    counted.add("/" + path);
    looked(Rule.SUMMARY);
    findings.number();
    return folder.summary().at("/" + path);
  }

  final void differs(String path, String what, Object... values) {
    findings.fault(Rule.SUMMARY, "summary.json " + path.replace('/', '.'), what, values);
  }

  static <T> long[] sorted(Collection<T> rows, ToLongFunction<T> value) {
    return rows.stream().mapToLong(value).sorted().toArray();
  }

  static <T> double[] sortedReal(Collection<T> rows, ToDoubleFunction<T> value) {
    return rows.stream().mapToDouble(value).sorted().toArray();
  }

  /** The least rank at or below which a percentage of some values lies, from 1; 0 of none. */
  static long rank(long count, int percent) {
    return -Math.floorDiv(-percent * count, 100);
  }

  /**
   * The smallest value that at least a percentage of all is not above, in ms; infinite where it is
   * one of those that are not in the array.
   */
  static double rankMs(long[] sortedNs, long count, int percent) {
    int rank = (int) rank(count, percent);
    return rank == 0
        ? Double.NaN
        : rank > sortedNs.length ? Double.POSITIVE_INFINITY : sortedNs[rank - 1] / 1e6;
  }

  static double rankMs(long[] sortedNs, int percent) {
    return rankMs(sortedNs, sortedNs.length, percent);
  }

  /** Median by nearest rank; NaN without a value. */
  static double median(double[] sorted) {
    return sorted.length == 0 ? Double.NaN : sorted[(sorted.length - 1) / 2];
  }

  static double mean(double[] values) {
    return Arrays.stream(values).sum() / values.length;
  }

  /** Mean in ms of a sum in ns; NaN without a value. */
  static double meanMs(long[] ns) {
    return Arrays.stream(ns).sum() / 1e6 / ns.length;
  }
}
