package dev.sluice.harness.replay;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.scheduler.replay.Decision;
import dev.sluice.scheduler.replay.Difference;
import dev.sluice.scheduler.replay.Moment;
import dev.sluice.scheduler.replay.Tally;
import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Texts of compared decisions. */
final class DecisionReport {
  private DecisionReport() {}

  /** Returns the lines of the first other decision. */
  static List<String> first(Tally tally, Difference first, @Nullable StateText state) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "first of %,d %s: after %s"
            .formatted(
                tally.others(), tally.others() == 1 ? "other" : "others", words(first.after())));
    List<String> then = columns(first.then());
    List<String> now = columns(first.now());
    if (!first.fields().isEmpty()) {
      lines.add("  then  " + String.join("  ", then));
      lines.add(
          "  now   the same, but "
              + first.fields().stream()
                  .map(f -> f.name() + " " + f.now() + " in place of " + f.then())
                  .collect(Collectors.joining(", ")));
    } else {
      lines.add("  then  " + aligned(then, now));
      lines.add("  now   " + aligned(now, then));
    }
    String note = first.note();
    if (note != null) {
      lines.add("  note  " + note);
    }
    if (first.kind() == Difference.Kind.ORDER) {
      lines.add("  note  it stands elsewhere in the record than among the decisions made again");
    }
    if (state != null) {
      Set<String> shown = new HashSet<>(jobIds(first.then()));
      shown.addAll(jobIds(first.now()));
      lines.add("  state " + state.line());
      lines.add(
          "  next  "
              + state.nextLine(shown)
              + "; again with --until "
              + first.after().shard()
              + "/"
              + first.after().offset());
    }
    return lines;
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

  static List<String> jobIds(Decision decision) {
    return decision instanceof Decision.Started start ? start.jobIds() : List.of();
  }

  /** Returns the columns of a decision, of which one may be empty. */
  private static List<String> columns(Decision decision) {
    if (decision instanceof Decision.Started start) {
      int more = start.jobIds().size() - 1;
      return List.of(
          start.id()
              + " on "
              + start.executorId()
              + "/"
              + start.lanes().stream().map(String::valueOf).collect(Collectors.joining("+")),
          start.jobIds().get(0) + (more > 0 ? " + " + more : ""),
          "%s %s %s, %s"
              .formatted(
                  start.model().workload(),
                  start.model().backend(),
                  start.model().precision(),
                  StateText.samples(start.samples())),
          StateText.scores(start.scoreTerms()));
    }
    return List.of(words(decision));
  }

  private static String words(Decision decision) {
    if (decision instanceof Decision.Ended ended) {
      JobEnded event = ended.event();
      return event.jobId()
          + " ends "
          + event.status().name().toLowerCase(Locale.ROOT)
          + (event.reason() == null ? "" : " (" + event.reason() + ")")
          + (event.dispatchId() == null ? "" : " in " + event.dispatchId())
          + ", attempt "
          + event.attempt()
          + ", at "
          + StateText.seconds(event.endedAtNs(), 3)
          + " s";
    }
    if (decision instanceof Decision.Idle idle) {
      Blocked event = idle.event();
      return "lanes idle from "
          + StateText.seconds(event.fromNs(), 3)
          + " to "
          + StateText.seconds(event.toNs(), 3)
          + " s by "
          + event.cause();
    }
    if (decision instanceof Decision.Dropped dropped) {
      return "drops " + dropped.jobId() + " as " + dropped.reason();
    }
    if (decision instanceof Decision.Nothing nothing) {
      Cause cause = nothing.cause();
      return "nothing" + (cause == null ? "" : ", held up by " + StateText.text(cause));
    }
    if (decision instanceof Decision.Unreadable unreadable) {
      return "bytes that are no decision: " + unreadable.beginning();
    }
    return String.join("  ", columns(decision));
  }

  /** Returns a fact in words: shard and offset, time, kind and subject. */
  static String words(Moment moment) {
    return "fact %d/%d, %s s, %s"
        .formatted(
            moment.shard(),
            moment.offset(),
            StateText.seconds(moment.nowNs(), 3),
            words(moment.fact()));
  }

  private static String words(@Nullable Fact fact) {
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

  /** Returns counts of the others, by class and by kind. */
  static String others(Tally tally) {
    return "others by class: "
        + (tally.othersByClass().isEmpty() ? "of no job" : counts(tally.othersByClass()))
        + "; by kind: "
        + counts(
            tally.othersByKind().entrySet().stream()
                .collect(
                    Collectors.toMap(
                        e -> e.getKey().text(),
                        Map.Entry::getValue,
                        (a, b) -> a,
                        LinkedHashMap::new)));
  }

  private static String counts(Map<String, Long> counts) {
    return counts.entrySet().stream()
        .map(e -> e.getKey() + " %,d".formatted(e.getValue()))
        .collect(Collectors.joining(", "));
  }

  /** Puts a comparison into JSON. */
  static void put(ObjectNode into, Tally tally) {
    into.put("decisions", tally.compared());
    into.put("equal", tally.equalCount());
    into.put("others", tally.others());
    ObjectNode byClass = into.putObject("others_by_class");
    tally.othersByClass().forEach(byClass::put);
    ObjectNode byKind = into.putObject("others_by_kind");
    tally.othersByKind().forEach((kind, count) -> byKind.put(kind.text(), count));
  }

  /** Puts the first other decision into JSON. */
  static void put(ObjectNode into, Difference first) {
    into.put("kind", first.kind().text());
    into.put("shard", first.after().shard());
    into.put("fact_offset", first.after().offset());
    into.put("fact", words(first.after().fact()));
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
    into.put("text", words(decision));
    if (decision instanceof Decision.Started start) {
      into.put("dispatch_id", start.id().toString()).put("executor_id", start.executorId());
      start.lanes().forEach(into.putArray("lanes")::add);
      start.jobIds().forEach(into.putArray("jobs")::add);
      into.put("samples", start.samples());
      ObjectNode terms = into.putObject("score_terms");
      start.scoreTerms().forEach(terms::put);
    }
  }
}
