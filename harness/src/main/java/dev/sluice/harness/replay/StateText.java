package dev.sluice.harness.replay;

import dev.sluice.scheduling.core.Inspection;
import dev.sluice.scheduling.core.Inspection.Candidate;
import dev.sluice.scheduling.core.Inspection.LaneUse;
import dev.sluice.scheduling.driver.CoreEntity.WaitingJob;
import dev.sluice.scheduling.policy.Choice.Cause;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Texts of a core's state, made while the core is in it. */
final class StateText {
  private static final int SHOWN_LANES = 4;
  private static final int SHOWN_CANDIDATES = 3;

  private StateText() {}

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

  /**
   * Returns the candidates that come next, and how many jobs cannot start, in one line.
   *
   * @param shown jobs that are shown already
   */
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
      Candidate candidate = startable.get(job.spec().id());
      String why = candidate == null ? heldUp(state, job) : couldStart(candidate);
      lines.add(waiting(job.spec(), state.nowNs() - job.appendedAtNs(), state.nowNs(), why));
    }
    return lines;
  }

  private static String waiting(JobSpec spec, long waitedNs, long nowNs, String why) {
    long leftNs = spec.deadlineNs() - nowNs;
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
            ms(waitedNs),
            promise,
            why);
  }

  private static String heldUp(Inspection state, WaitingJob job) {
    return "held up by "
        + Objects.requireNonNull(state.find(job.spec().id())).reasons().causes().stream()
            .map(StateText::text)
            .collect(Collectors.joining(", "));
  }

  private static String couldStart(Candidate candidate) {
    String scores = scores(candidate.terms());
    return "could start" + (scores.isEmpty() ? "" : ": " + scores);
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
