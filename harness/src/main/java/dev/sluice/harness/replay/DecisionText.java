package dev.sluice.harness.replay;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.scheduler.replay.Decision;
import dev.sluice.scheduler.replay.Difference;
import dev.sluice.scheduler.replay.Difference.LoggedFact;
import dev.sluice.scheduler.replay.Tally;
import dev.sluice.scheduling.core.Inspection;
import dev.sluice.scheduling.core.Inspection.Candidate;
import dev.sluice.scheduling.core.Inspection.LaneUse;
import dev.sluice.scheduling.driver.CoreEntity.WaitingJob;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Texts of compared decisions, and of the states of a core in which they were made. */
final class DecisionText {
  private static final int SHOWN_LANES = 4;
  private static final int SHOWN_CANDIDATES = 3;

  private DecisionText() {}

  /**
   * Returns the lines of the first other decision, with its state; the others behind it may be
   * counted.
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
    if (decision instanceof Decision.Prepared lane) {
      return List.of(
          "%s releases %s and loads %s".formatted(lane.laneId(), lane.releases(), lane.loads()));
    }
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
                samples(start.samples())),
        scores(start.scoreTerms()));
  }

  static String text(LoggedFact fact) {
    return "fact %d/%d, %s s, %s"
        .formatted(fact.shard(), fact.offset(), seconds(fact.nowNs(), 3), text(fact.fact()));
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
    return fact.getClass().getSimpleName();
  }

  static void put(ObjectNode into, Tally tally) {
    into.put("decisions", tally.compared());
    into.put("equal", tally.equalCount());
    into.put("others", tally.others());
    tally.othersByClass().forEach(into.putObject("others_by_class")::put);
    tally.othersByKind().forEach(into.putObject("others_by_kind")::put);
  }

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

  /** Returns the state in one line: what waits, what lanes hold, which tokens are free. */
  static String line(Inspection state) {
    return String.join("; ", waiting(state), lanes(state.lanes()), tokens(state));
  }

  private static String waiting(Inspection state) {
    List<WaitingJob> jobs = state.waitingJobs();
    if (jobs.isEmpty()) {
      return "nothing waits";
    }
    Map<String, Long> byClass =
        jobs.stream()
            .collect(
                Collectors.groupingBy(
                    job -> job.spec().classType(), TreeMap::new, Collectors.counting()));
    long oldestNs = jobs.stream().mapToLong(WaitingJob::appendedAtNs).min().orElseThrow();
    return "%d wait (%s, oldest %s ms)"
        .formatted(
            jobs.size(),
            byClass.entrySet().stream()
                .map(e -> e.getValue() + " " + e.getKey())
                .collect(Collectors.joining(", ")),
            ms(state.nowNs() - oldestNs));
  }

  private static String lanes(List<LaneUse> lanes) {
    List<LaneUse> busy = lanes.stream().filter(lane -> !lane.held().isEmpty()).toList();
    if (lanes.isEmpty()) {
      return "no lane has joined";
    }
    if (busy.isEmpty()) {
      return lanes.size() == 1 ? "the lane is idle" : "all " + lanes.size() + " lanes are idle";
    }
    String shown =
        busy.stream()
            .limit(SHOWN_LANES)
            .map(lane -> lane.executorId() + "/" + lane.index() + " " + use(lane))
            .collect(Collectors.joining(", "));
    int more = busy.size() - SHOWN_LANES;
    return shown + (more > 0 ? ", and " + more + " more lanes busy" : "");
  }

  private static String use(LaneUse lane) {
    return lane.hangs() ? "hangs" : "busy until about " + seconds(lane.freeAtNs(), 1) + " s";
  }

  private static String tokens(Inspection state) {
    boolean several = state.tokens().size() > 1;
    String text =
        state.tokens().stream()
            .map(
                use ->
                    (several ? use.executorId() + ": " : "")
                        + (use.budget() == Long.MAX_VALUE
                            ? "no budget of tokens"
                            : use.free() + " of " + use.budget() + " tokens free"))
            .collect(Collectors.joining(", "));
    return text.isEmpty() ? "no executor has joined" : text;
  }

  /** Returns the candidates that come next, and how many jobs cannot start, in one line. */
  static String nextLine(Inspection state, Set<String> shown) {
    String next =
        state.candidates(Integer.MAX_VALUE).stream()
            .filter(candidate -> !shown.contains(candidate.job().id()))
            .limit(SHOWN_CANDIDATES)
            .map(c -> c.job().id() + (c.score() == null ? "" : " " + number(c.score())))
            .collect(Collectors.joining(", "));
    String held =
        state.waitingByCause().entrySet().stream()
            .filter(entry -> entry.getKey() != Cause.POLICY)
            .map(entry -> entry.getValue() + " by " + text(entry.getKey()))
            .collect(Collectors.joining(", "));
    return (next.isEmpty() ? "no other job could start" : next)
        + (held.isEmpty() ? "" : "; not startable: " + held);
  }

  /** Returns the state in full: a line for each job, lane and budget. */
  static List<String> lines(Inspection state) {
    List<String> lines = new ArrayList<>();
    lines.add("  " + line(state));
    for (LaneUse lane : state.lanes()) {
      String held =
          lane.held().stream()
              .map(dispatch -> dispatch.dispatchId().toString())
              .collect(Collectors.joining(", "));
      String use =
          held.isEmpty()
              ? "%s, since %s s"
                  .formatted(lane.idle() ? "idle" : "takes nothing", seconds(lane.freeAtNs(), 3))
              : use(lane) + ": " + held;
      lines.add("  lane  %s/%d  %s".formatted(lane.executorId(), lane.index(), use));
    }
    Map<String, Candidate> startable =
        state.candidates(Integer.MAX_VALUE).stream()
            .collect(Collectors.toMap(c -> c.job().id(), c -> c));
    for (WaitingJob job : state.waitingJobs()) {
      lines.add(waiting(state, job, startable.get(job.spec().id())));
    }
    return lines;
  }

  private static String waiting(Inspection state, WaitingJob job, @Nullable Candidate candidate) {
    JobSpec spec = job.spec();
    long leftNs = spec.deadlineNs() - state.nowNs();
    String scores = candidate == null ? "" : scores(candidate.terms());
    String why =
        candidate != null
            ? "could start" + (scores.isEmpty() ? "" : ": " + scores)
            : "held up by "
                + Objects.requireNonNull(state.find(spec.id())).reasons().causes().stream()
                    .map(DecisionText::text)
                    .collect(Collectors.joining(", "));
    String promise =
        spec.sloNs() == Long.MAX_VALUE
            ? ""
            : ", %s %s its promise"
                .formatted(ms(Math.abs(leftNs)), leftNs < 0 ? "after" : "before");
    return "  waits %s  %s, %s %s %s, %s; %s ms so far%s; %s"
        .formatted(
            spec.id(),
            spec.classType(),
            spec.workload(),
            spec.backend(),
            spec.precision(),
            samples(spec.samples()),
            ms(state.nowNs() - job.appendedAtNs()),
            promise,
            why);
  }

  /** Returns a score as the sum of its terms; terms of zero are left out. */
  static String scores(Map<String, Double> terms) {
    if (terms.isEmpty()) {
      return "";
    }
    double sum = terms.values().stream().mapToDouble(Double::doubleValue).sum();
    var text = new StringBuilder(number(sum));
    String plus = " = ";
    String minus = " = -";
    for (Map.Entry<String, Double> term : terms.entrySet()) {
      double value = term.getValue();
      if (value != 0) {
        text.append(value < 0 ? minus : plus).append(term.getKey()).append(' ');
        text.append(number(Math.abs(value)));
        plus = " + ";
        minus = " - ";
      }
    }
    return text.toString();
  }

  /** Returns a number with up to four digits that count, at least one behind the point. */
  private static String number(double value) {
    if (value == 0 || !Double.isFinite(value)) {
      return value == 0 ? "0.0" : String.valueOf(value);
    }
    int digits = Math.max(1, Math.min(9, 3 - (int) Math.floor(Math.log10(Math.abs(value)))));
    String text = String.format(Locale.ROOT, "%." + digits + "f", value);
    return text.replaceFirst("(\\.\\d+?)0+$", "$1");
  }

  static String samples(int samples) {
    return samples == 1 ? "1 sample" : samples + " samples";
  }

  private static String text(Cause cause) {
    return cause.name().toLowerCase(Locale.ROOT);
  }

  static String seconds(long ns, int digits) {
    return String.format(Locale.ROOT, "%." + digits + "f", ns / 1e9);
  }

  private static String ms(long ns) {
    return String.format(Locale.ROOT, "%,d", Math.round(ns / 1e6));
  }
}
