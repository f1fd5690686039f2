package dev.sluice.analytics.check;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Counts the numbers of summary.json again, and names those that rest on no row. */
final class Recount extends Numbers {
  private static final List<String> CAUSES = List.of("tokens", "window", "capability", "policy");

  private final Supplier<LogRule> log;

  /**
   * @param log what only the log tells, asked for last
   */
  Recount(RunFolder folder, Supplier<LogRule> log) {
    super(folder);
    this.log = log;
  }

  @Override
  void check() {
    for (Numbers numbers :
        List.of(
            new JobNumbers(folder),
            new LoadNumbers(folder),
            new LaneNumbers(folder),
            new PredictionNumbers(folder))) {
      findings.add(numbers.found());
      counted.addAll(numbers.counted);
    }
    thresholds();
    interruption();
    fromLog(log.get());
    nameTheRest("", folder.summary());
  }

  /** A threshold's value is the figure that it names. */
  private void thresholds() {
    for (Map.Entry<String, JsonNode> threshold : folder.summary().path("thresholds").properties()) {
      String name = threshold.getKey();
      String figure = folder.summary().has(name) ? name : name.replace('.', '/');
      equal("thresholds/" + escaped(name) + "/value", statedNumber(figure));
    }
  }

  /** An interruption shortens the window: a run that says so may not pass for comparable. */
  private void interruption() {
    boolean said = false;
    for (JsonNode reason : folder.summary().path("not_comparable")) {
      said |= reason.asText().equals("interrupted");
    }
    if (folder.wasInterrupted() && !said) {
      fault("not_comparable", "it lacks (interrupted), which the run was");
    }
  }

  private void fromLog(LogRule known) {
    if (!known.isWhole) {
      return;
    }
    if (!known.lanesByExecutor.isEmpty()) {
      equal("lanes", known.lanesByExecutor.values().stream().mapToInt(lanes -> lanes).sum());
    }
    for (String cause : CAUSES) {
      long blockedNs =
          known.blocked.stream()
              .filter(span -> span.cause().equals(cause))
              .mapToLong(span -> Math.min(span.toNs(), toNs) - Math.max(span.fromNs(), fromNs))
              .filter(ns -> ns > 0)
              .sum();
      equal("blocked_ms_" + cause, blockedNs / 1e6);
    }
    equal("fit_cpu_seconds", known.fitCpuNs.values().stream().mapToLong(ns -> ns).sum() / 1e9);
    boolean says = folder.summary().has("jobs_never_sent"); // an earlier Sluice does not
    if (says || known.neverSent >= 0) {
      equal("jobs_never_sent", known.neverSent >= 0 ? known.neverSent : Double.NaN);
    }
    if (folder.summary().path("clock_offset_ms_max").isNumber()) {
      equal("clock_offset_ms_max", known.clockOffsetNs / 1e6);
    }
  }

  /** Names each number that nothing above has counted. */
  private void nameTheRest(String path, JsonNode node) {
    if (node.isNumber() && !counted.contains(path)) {
      findings.rests(path.substring(1).replace('/', '.'));
    }
    for (Map.Entry<String, JsonNode> field : node.properties()) {
      nameTheRest(path + "/" + escaped(field.getKey()), field.getValue());
    }
    for (int i = 0; node.isArray() && i < node.size(); i++) {
      nameTheRest(path + "/" + i, node.get(i));
    }
  }
}
