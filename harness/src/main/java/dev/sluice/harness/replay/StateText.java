package dev.sluice.harness.replay;

import dev.sluice.scheduling.core.Candidate;
import dev.sluice.scheduling.core.Inspection;
import dev.sluice.scheduling.core.LaneUse;
import dev.sluice.scheduling.core.TokenUse;
import dev.sluice.scheduling.core.WaitingJob;
import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A core's state in words, taken while the core is in it.
 *
 * @param nowNs log time
 * @param waiting waiting jobs, as they came
 * @param candidates jobs that could start now, the best first
 * @param waitingByCause counts of waiting jobs by the first cause that holds them up
 */
record StateText(
    long nowNs,
    List<Waiting> waiting,
    List<LaneUse> lanes,
    List<TokenUse> tokens,
    List<Candidate> candidates,
    Map<Cause, Integer> waitingByCause) {
  private static final int SHOWN_LANES = 4;
  private static final int SHOWN_CANDIDATES = 3;

  /** A waiting job, and why it does not start. */
  record Waiting(WaitingJob job, String causes) {}

  static StateText of(Inspection state) {
    return new StateText(
        state.nowNs(),
        state.waitingJobs().stream().map(job -> new Waiting(job, causes(state, job))).toList(),
        state.lanes(),
        state.tokens(),
        state.candidates(Integer.MAX_VALUE),
        new TreeMap<>(state.waitingByCause()));
  }

  private static String causes(Inspection state, WaitingJob job) {
    var watched = state.find(job.spec().id());
    return watched == null
        ? ""
        : watched.reasons().causes().stream()
            .map(StateText::text)
            .collect(Collectors.joining(", "));
  }

  /** Returns the state in one line: what waits, what lanes hold, which tokens are free. */
  String line() {
    List<String> parts = new ArrayList<>();
    parts.add(waitingWords());
    parts.add(laneWords());
    parts.add(tokenWords());
    return String.join("; ", parts);
  }

  private String waitingWords() {
    if (waiting.isEmpty()) {
      return "nothing waits";
    }
    Map<String, Integer> byClass = new TreeMap<>();
    long oldestNs = Long.MAX_VALUE;
    for (Waiting one : waiting) {
      byClass.merge(one.job().spec().classType(), 1, Integer::sum);
      oldestNs = Math.min(oldestNs, one.job().arrivedAtNs());
    }
    return waiting.size()
        + " wait ("
        + byClass.entrySet().stream()
            .map(e -> e.getValue() + " " + e.getKey())
            .collect(Collectors.joining(", "))
        + ", oldest "
        + ms(nowNs - oldestNs)
        + " ms)";
  }

  private String laneWords() {
    List<LaneUse> busy = lanes.stream().filter(lane -> !lane.held().isEmpty()).toList();
    if (lanes.isEmpty()) {
      return "no lane has joined";
    }
    if (busy.isEmpty()) {
      return lanes.size() == 1 ? "the lane is idle" : "all " + lanes.size() + " lanes are idle";
    }
    String words =
        busy.stream()
            .limit(SHOWN_LANES)
            .map(StateText::busyWords)
            .collect(Collectors.joining(", "));
    int more = busy.size() - Math.min(SHOWN_LANES, busy.size());
    return words + (more > 0 ? ", and " + more + " more lanes busy" : "");
  }

  private static String busyWords(LaneUse lane) {
    return lane.executorId()
        + "/"
        + lane.index()
        + (lane.hangs() ? " hangs" : " busy until about " + seconds(lane.freeAtNs(), 1) + " s");
  }

  private String tokenWords() {
    return tokens.isEmpty()
        ? "no executor has joined"
        : tokens.stream()
            .map(
                use ->
                    (tokens.size() > 1 ? use.executorId() + ": " : "")
                        + (use.budget() == Long.MAX_VALUE
                            ? "no budget of tokens"
                            : use.free() + " of " + use.budget() + " tokens free"))
            .collect(Collectors.joining(", "));
  }

  /**
   * Returns the candidates that come next, and how many jobs cannot start, in one line.
   *
   * @param shown jobs that are shown already
   */
  String nextLine(Set<String> shown) {
    List<String> parts = new ArrayList<>();
    String next =
        candidates.stream()
            .filter(candidate -> !shown.contains(candidate.job().id()))
            .limit(SHOWN_CANDIDATES)
            .map(StateText::words)
            .collect(Collectors.joining(", "));
    parts.add(next.isEmpty() ? "no other job could start" : next);
    String held =
        waitingByCause.entrySet().stream()
            .filter(entry -> entry.getKey() != Cause.POLICY)
            .map(entry -> entry.getValue() + " by " + text(entry.getKey()))
            .collect(Collectors.joining(", "));
    if (!held.isEmpty()) {
      parts.add("not startable: " + held);
    }
    return String.join("; ", parts);
  }

  private static String words(Candidate candidate) {
    Double score = candidate.score();
    return candidate.job().id() + (score == null ? "" : " " + number(score));
  }

  /** Returns the state in full: a line for each job, lane and budget. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("  " + line());
    Map<String, Candidate> startable =
        candidates.stream().collect(Collectors.toMap(c -> c.job().id(), c -> c));
    for (LaneUse lane : lanes) {
      lines.add(
          String.format(
              Locale.ROOT,
              "  lane  %s/%d  %s",
              lane.executorId(),
              lane.index(),
              lane.held().isEmpty()
                  ? (lane.idle() ? "idle" : "takes nothing")
                      + ", since "
                      + seconds(lane.freeAtNs(), 3)
                      + " s"
                  : busyWords(lane).substring(busyWords(lane).indexOf(' ') + 1)
                      + ": "
                      + lane.held().stream()
                          .map(dispatch -> dispatch.dispatchId().toString())
                          .collect(Collectors.joining(", "))));
    }
    for (Waiting one : waiting) {
      var spec = one.job().spec();
      Candidate candidate = startable.get(spec.id());
      long leftNs = spec.deadlineNs() - nowNs;
      lines.add(
          String.format(
              Locale.ROOT,
              "  waits %s  %s, %s %s %s, %s; %s ms so far%s; %s",
              spec.id(),
              spec.classType(),
              spec.workload(),
              spec.backend(),
              spec.precision(),
              samples(spec.samples()),
              ms(nowNs - one.job().arrivedAtNs()),
              spec.sloNs() == Long.MAX_VALUE
                  ? ""
                  : leftNs >= 0
                      ? ", " + ms(leftNs) + " before its promise"
                      : ", " + ms(-leftNs) + " after its promise",
              candidate == null
                  ? "held up by " + one.causes()
                  : "could start" + scoreWords(candidate.terms())));
    }
    return lines;
  }

  private static String scoreWords(Map<String, Double> terms) {
    String words = scores(terms);
    return words.isEmpty() ? "" : ": " + words;
  }

  /** Returns a score as the sum of its terms; terms of zero are left out. */
  static String scores(Map<String, Double> terms) {
    if (terms.isEmpty()) {
      return "";
    }
    double sum = terms.values().stream().mapToDouble(Double::doubleValue).sum();
    var words = new StringBuilder(number(sum));
    String sign = " = ";
    for (Map.Entry<String, Double> term : terms.entrySet()) {
      double value = term.getValue();
      if (value != 0) {
        boolean first = sign.equals(" = ");
        words
            .append(first ? (value < 0 ? " = -" : " = ") : (value < 0 ? " - " : " + "))
            .append(term.getKey())
            .append(' ')
            .append(number(Math.abs(value)));
        sign = " + ";
      }
    }
    return words.toString();
  }

  /** Returns a number with up to four digits that count, at least one behind the point. */
  static String number(double value) {
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

  static String text(Cause cause) {
    return cause.name().toLowerCase(Locale.ROOT);
  }

  static String seconds(long ns, int digits) {
    return String.format(Locale.ROOT, "%." + digits + "f", ns / 1e9);
  }

  private static String ms(long ns) {
    return String.format(Locale.ROOT, "%,d", Math.round(ns / 1e6));
  }
}
