package dev.sluice.harness.replay;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.scheduler.replay.Decision;
import dev.sluice.scheduler.replay.Difference;
import dev.sluice.scheduler.replay.Difference.LoggedFact;
import dev.sluice.scheduler.replay.Tally;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Texts of compared decisions. */
final class DecisionReport {
  private DecisionReport() {}

  /**
   * Returns the lines of the first other decision; none if all are equal.
   *
   * @param state line of the state in which it was made, and of what comes next; may be empty
   * @param counts whether the others behind it were counted
   */
  static List<String> first(Tally tally, List<String> state, boolean counts) {
    Difference first = tally.first();
    if (first == null) {
      return List.of();
    }
    List<String> lines = new ArrayList<>();
    String which =
        !counts
            ? "first difference"
            : "first of %,d %s".formatted(tally.others(), tally.others() == 1 ? "other" : "others");
    lines.add(which + ": after " + text(first.after()));
    List<String> then = columns(first.then());
    List<String> now = columns(first.now());
    if (first.fields().isEmpty()) {
      lines.add("  then  " + aligned(then, now));
      lines.add("  now   " + aligned(now, then));
    } else {
      lines.add("  then  " + String.join("  ", then));
      lines.add(
          "  now   the same, but "
              + first.fields().stream()
                  .map(f -> f.name() + " " + f.now() + " in place of " + f.then())
                  .collect(Collectors.joining(", ")));
    }
    if (first.note() != null) {
      lines.add("  note  " + first.note());
    }
    if (first.kind() == Difference.Kind.ORDER) {
      lines.add("  note  it stands elsewhere in the record than among the decisions made again");
    }
    if (!state.isEmpty()) {
      lines.add("  state " + state.get(0));
      String until = first.after().shard() + "/" + first.after().offset();
      lines.add("  next  " + state.get(1) + "; again with --until " + until);
    }
    lines.add(
        counts
            ? "others by class: %s; by kind: %s"
                .formatted(
                    tally.othersByClass().isEmpty() ? "of no job" : counts(tally.othersByClass()),
                    counts(tally.othersByKind()))
            : "kind: " + first.kind().text() + "; nothing behind this decision was compared");
    return lines;
  }

  private static String counts(Map<String, Long> counts) {
    return counts.entrySet().stream()
        .map(e -> e.getKey() + " %,d".formatted(e.getValue()))
        .collect(Collectors.joining(", "));
  }

  private static String aligned(List<String> columns, List<String> others) {
    var line = new StringBuilder();
    for (int i = 0; i < columns.size(); i++) {
      String column = columns.get(i);
      line.append(column);
      if (i < columns.size() - 1) {
        int width = i < others.size() && others.size() > 1 ? others.get(i).length() : 0;
        line.append(" ".repeat(2 + Math.max(0, width - column.length())));
      }
    }
    return line.toString().stripTrailing();
  }

  /** Returns the jobs that start by either decision. */
  static Set<String> jobIds(Difference difference) {
    Set<String> ids = new HashSet<>();
    for (Decision decision : List.of(difference.then(), difference.now())) {
      if (decision instanceof Decision.Started start) {
        ids.addAll(start.jobIds());
      }
    }
    return ids;
  }

  /** Returns the columns of a decision, of which one may be empty. */
  private static List<String> columns(Decision decision) {
    if (!(decision instanceof Decision.Started start)) {
      return List.of(((Decision.Other) decision).text());
    }
    int more = start.jobIds().size() - 1;
    String lanes = start.lanes().stream().map(String::valueOf).collect(Collectors.joining("+"));
    return List.of(
        start.id() + " on " + start.executorId() + "/" + lanes,
        start.jobIds().get(0) + (more > 0 ? " + " + more : ""),
        "%s %s %s, %s"
            .formatted(
                start.model().workload(),
                start.model().backend(),
                start.model().precision(),
                StateText.samples(start.samples())),
        StateText.scores(start.scoreTerms()));
  }

  /** Returns a fact in words: shard and offset, time, kind and subject. */
  static String text(LoggedFact fact) {
    return "fact %d/%d, %s s, %s"
        .formatted(
            fact.shard(), fact.offset(), StateText.seconds(fact.nowNs(), 3), text(fact.fact()));
  }

  private static String text(@Nullable Fact fact) {
    if (fact == null) {
      return "bytes that are no event";
    }
    if (fact instanceof JobRequested job) {
      return "JobRequested " + job.jobId();
    }
    if (fact instanceof WorkflowRequested workflow) {
      return "WorkflowRequested " + workflow.requestId();
    }
    if (fact instanceof BatchCompleted done) {
      return "BatchCompleted %s of %s/%d"
          .formatted(done.dispatchId(), done.executorId(), done.lane());
    }
    if (fact instanceof ExecutorReported report) {
      return "ExecutorReported " + report.executorId();
    }
    if (fact instanceof PredictionsPublished table) {
      return "PredictionsPublished " + table.modelVersion() + " for " + table.deviceKind();
    }
    if (fact instanceof ArrivalsEnded ended) {
      return "ArrivalsEnded of generator " + ended.generator();
    }
    return fact instanceof RunStarted ? "RunStarted" : "Ticked";
  }

  /** Puts a comparison into JSON. */
  static void put(ObjectNode into, Tally tally) {
    into.put("decisions", tally.compared());
    into.put("equal", tally.equalCount());
    into.put("others", tally.others());
    tally.othersByClass().forEach(into.putObject("others_by_class")::put);
    tally.othersByKind().forEach(into.putObject("others_by_kind")::put);
  }

  /** Puts the first other decision into JSON. */
  static void put(ObjectNode into, Difference first) {
    into.put("kind", first.kind().text());
    into.put("shard", first.after().shard());
    into.put("fact_offset", first.after().offset());
    into.put("fact", text(first.after().fact()));
    into.put("now_ns", first.after().nowNs());
    into.put("class", first.classType());
    put(into.putObject("then"), first.then());
    put(into.putObject("now"), first.now());
    var fields = into.putArray("fields");
    first
        .fields()
        .forEach(
            f ->
                fields.addObject().put("name", f.name()).put("then", f.then()).put("now", f.now()));
    into.put("note", first.note());
  }

  private static void put(ObjectNode into, Decision decision) {
    into.put("text", String.join("  ", columns(decision)));
    if (decision instanceof Decision.Started start) {
      into.put("dispatch_id", start.id().toString()).put("executor_id", start.executorId());
      start.lanes().forEach(into.putArray("lanes")::add);
      start.jobIds().forEach(into.putArray("jobs")::add);
      into.put("samples", start.samples());
      start.scoreTerms().forEach(into.putObject("score_terms")::put);
    }
  }
}
