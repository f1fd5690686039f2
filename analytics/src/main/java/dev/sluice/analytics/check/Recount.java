package dev.sluice.analytics.check;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Numbers of summary.json that were counted again, and the rows that they are counted from. */
final class Recount {
  /** Times in the tables are rounded half up to microseconds: each is off by at most this. */
  static final long HALF_GRAIN_NS = 500;

  /** What rests on two times of the tables is off by at most this, in ms. */
  static final double TIMES_MS = 2 * HALF_GRAIN_NS / 1e6;

  private static final double RELATIVE = 1e-7;

  private final RunFolder folder;
  private final Findings findings;
  private final Set<String> counted = new HashSet<>();
  private final List<Job> measured;
  private final List<Batch> measuredBatches;
  private final long fromNs;
  private final long toNs;

  Recount(RunFolder folder, Findings findings) {
    this.folder = folder;
    this.findings = findings;
    this.measured = folder.jobs().stream().filter(Job::isMeasured).toList();
    Set<Batch> batches = new LinkedHashSet<>();
    for (Job job : measured) {
      Batch batch = folder.batchByKey().get(job.batchKey());
      if (job.isDone() && batch != null && batch.ran()) {
        batches.add(batch);
      }
    }
    this.measuredBatches = List.copyOf(batches);
    this.fromNs = folder.config().warmupNs();
    long durationNs = folder.config().durationNs();
    long lastNs = folder.jobs().stream().mapToLong(job -> job.enqueueNs).max().orElse(durationNs);
    boolean interrupted = folder.summary().path("interrupted").asBoolean(false);
    this.toNs = interrupted ? closest(Math.max(fromNs, Math.min(durationNs, lastNs))) : durationNs;
  }

  /** The stated end of a window that was cut at an arrival, if rounding alone separates the two. */
  private long closest(long cutNs) {
    double stated = statedNumber("window_seconds");
    long statedNs = Double.isNaN(stated) ? cutNs : fromNs + Math.round(stated * 1e9);
    return Math.abs(statedNs - cutNs) <= HALF_GRAIN_NS ? statedNs : cutNs;
  }

  RunFolder folder() {
    return folder;
  }

  List<Job> measured() {
    return measured;
  }

  /** Batches that ended measured jobs as done, each once. */
  List<Batch> measuredBatches() {
    return measuredBatches;
  }

  long fromNs() {
    return fromNs;
  }

  long toNs() {
    return toNs;
  }

  double windowSeconds() {
    return (toNs - fromNs) / 1e9;
  }

  /** True if a time lies in the measured window. */
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
    return folder.config().scenario().equals("server");
  }

  boolean isOffline() {
    return folder.config().scenario().equals("offline");
  }

  /** Compares a count with its recount. */
  void equal(String path, long count) {
    equal(path, (double) count, 0);
  }

  /** Compares a number with its recount; NaN and infinity stand for null. */
  void equal(String path, double count) {
    equal(path, count, 0);
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
      fault(path, "it is missing, and the rows come to (%s)".formatted(count));
    } else if (Double.isFinite(count)) {
      double slack = 1e-9 + RELATIVE * Math.abs(count);
      double number = stated.asDouble();
      boolean same = stated.isNumber() && least - slack <= number && number <= most + slack;
      if (!same) {
        fault(path, "it says (%s), and the rows come to (%s)".formatted(stated, count));
      }
    } else if (!stated.isNull()) {
      fault(path, "it says (%s), and the rows come to none".formatted(stated));
    }
  }

  /** Compares a flag; null stands for one that is not judged. */
  void same(String path, @Nullable Boolean count) {
    JsonNode stated = stated(path);
    if (count == null ? !stated.isNull() : !stated.isBoolean() || stated.asBoolean() != count) {
      fault(path, "it says (%s), and the rows come to (%s)".formatted(stated, count));
    }
  }

  /** Compares a number for each name, and that there are no others. */
  void equalEach(String path, Map<String, ? extends Number> counts) {
    JsonNode stated = folder.summary().at("/" + path);
    counts.forEach((name, count) -> equal(path + "/" + escaped(name), count.doubleValue()));
    for (Iterator<String> names = stated.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!counts.containsKey(name)) {
        counted.add("/" + path + "/" + escaped(name));
        fault(path + "/" + name, "the rows know of no (" + name + ")");
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
    findings.looked(Rule.SUMMARY, 1);
    findings.number();
    return folder.summary().at("/" + path);
  }

  private void fault(String path, String what) {
    findings.fault(Rule.SUMMARY, "summary.json " + path.replace('/', '.'), what);
  }

  /** Names each number of the summary that nothing above has counted. */
  void nameTheRest() {
    List<String> rest = new ArrayList<>();
    collect("", folder.summary(), rest);
    rest.forEach(path -> findings.rests(path.substring(1).replace('/', '.')));
  }

  private void collect(String path, JsonNode node, List<String> rest) {
    if (node.isNumber() && !counted.contains(path)) {
      rest.add(path);
    } else if (node.isObject()) {
      node.properties()
          .forEach(field -> collect(path + "/" + escaped(field.getKey()), field.getValue(), rest));
    } else if (node.isArray()) {
      for (int i = 0; i < node.size(); i++) {
        collect(path + "/" + i, node.get(i), rest);
      }
    }
  }
}
