package dev.sluice.harness.replay;

import static java.util.Objects.requireNonNull;

import dev.sluice.contract.event.JobEnded.Status;
import dev.sluice.scheduler.replay.Explanation;
import dev.sluice.scheduler.replay.Explanation.Attempt;
import dev.sluice.scheduler.replay.Explanation.InputEnd;
import dev.sluice.scheduler.replay.Explanation.Outcome;
import dev.sluice.scheduler.replay.Explanation.Overtaking;
import dev.sluice.scheduler.replay.Explanation.Span;
import dev.sluice.scheduling.core.Inspection.WaitReasons;
import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An explanation as lines for people, and the times and lists in it. */
final class ExplanationText {
  private static final int NAMES_SHOWN = 3;
  private static final double NS_PER_MS = 1e6;

  private final Explanation job;
  private final List<String> lines = new ArrayList<>();

  private ExplanationText(Explanation job) {
    this.job = job;
  }

  static List<String> of(Explanation explanation) {
    return new ExplanationText(explanation).write();
  }

  private List<String> write() {
    lines.add(head());
    arrival();
    if (job.inputs() != null) {
      inputs(job.inputs());
    }
    List<Span> spans = job.spans();
    int next = 0;
    for (Attempt attempt : job.attempts()) {
      int to = next;
      while (to < spans.size() && !attempt.dispatch().equals(spans.get(to).dispatch())) {
        to++;
      }
      if (to == spans.size()) { // no time passed in it
        attempt(attempt);
        continue;
      }
      waits(spans.subList(next, to), attempt);
      attempt(attempt);
      while (to < spans.size() && attempt.dispatch().equals(spans.get(to).dispatch())) {
        to++;
      }
      next = to;
    }
    waits(spans.subList(next, spans.size()), null);
    end();
    return lines;
  }

  private void line(long atNs, String text) {
    lines.add(timed(atNs, text));
  }

  private String head() {
    return "%s  %s, %s %s %s, %s%s; %s"
        .formatted(
            job.job(),
            job.classType(),
            job.workload(),
            job.backend(),
            job.precision(),
            count(job.samples(), "sample"),
            job.lanes() == 1 ? "" : " on " + job.lanes() + " lanes",
            result(ms(job.latencyNs()) + " ms"));
  }

  private String result(String latency) {
    if (job.status() == null) {
      return "not ended after " + latency + ", where the log ends";
    }
    if (job.status() != Status.DONE) {
      return endedAs() + " after " + latency;
    }
    if (job.sloNs() == null) {
      return latency + ", without a promise";
    }
    long leftNs = job.sloNs() - job.latencyNs();
    return "%s, %s ms %s its promise"
        .formatted(latency, ms(Math.abs(leftNs)), leftNs < 0 ? "after" : "before");
  }

  private String endedAs() {
    return requireNonNull(job.status()).name().toLowerCase(Locale.ROOT) + " as " + job.reason();
  }

  private void arrival() {
    long lateNs = job.sentNs() - job.intendedNs();
    line(
        job.intendedNs(),
        "%smeant; sent %s ms %s, in the log at %s"
            .formatted(
                job.inputs() == null ? "" : "its workflow was ",
                ms(Math.abs(lateNs)),
                lateNs < 0 ? "early" : "late",
                at(job.loggedNs())));
  }

  private void inputs(Explanation.Inputs inputs) {
    long waitedNs =
        job.spans().stream()
            .filter(span -> span.kind() == Span.Kind.INPUTS)
            .mapToLong(Span::durationNs)
            .sum();
    String text = "waits %s ms for %s".formatted(ms(waitedNs), count(inputs.count(), "input"));
    if (inputs.ended().isEmpty()) {
      line(job.loggedNs(), text + ", of which none has ended");
      return;
    }
    InputEnd last = inputs.ended().get(inputs.ended().size() - 1);
    String how =
        switch (last.status()) {
          case DONE -> "was done";
          case DROPPED -> "was dropped as " + last.reason();
          case FAILED -> "failed as " + last.reason();
        };
    line(
        job.loggedNs(),
        "%s; the last to end, %s, %s at %s".formatted(text, last.job(), how, at(last.endedNs())));
  }

  /**
   * @param then attempt that ends the wait; null: none does
   */
  private void waits(List<Span> spans, @Nullable Attempt then) {
    List<Span> waits = spans.stream().filter(s -> s.kind() == Span.Kind.WAITS).toList();
    List<String> more = new ArrayList<>();
    if (!waits.isEmpty()) {
      long fromNs = waits.get(0).fromNs();
      long toNs = waits.get(waits.size() - 1).toNs();
      line(fromNs, "waits %s ms: %s".formatted(ms(toNs - fromNs), causes(waits)));
      long fromLogNs = fromNs / 1_000_000 * 1_000_000; // log time is whole milliseconds
      List<String> overtaking =
          job.overtakenBy().stream()
              .filter(o -> o.atNs() >= fromLogNs && (then == null || o.atNs() <= then.decidedNs()))
              .map(ExplanationText::text)
              .toList();
      if (!overtaking.isEmpty()) {
        more.add("overtaken by " + some(overtaking, NAMES_SHOWN));
      }
    }
    if (then != null && then.couldShare() > 0) {
      more.add(
          "%d of %d that could share its batch came along"
              .formatted(then.with().size(), then.couldShare()));
    }
    if (!more.isEmpty()) {
      lines.add(" ".repeat(12) + String.join("; ", more));
    }
  }

  private String causes(List<Span> waits) {
    Map<Cause, Map<Cause, Long>> byFirst = new EnumMap<>(Cause.class);
    for (Span span : waits) {
      Map<Cause, Long> times =
          byFirst.computeIfAbsent(span.causes().get(0), first -> new EnumMap<>(Cause.class));
      span.causes().forEach(cause -> times.merge(cause, span.durationNs(), Long::sum));
    }
    List<String> texts = new ArrayList<>();
    for (Cause first : WaitReasons.ORDER) {
      Map<Cause, Long> times = byFirst.getOrDefault(first, Map.of());
      List<String> more = new ArrayList<>();
      Explanation.Tokens tokens = job.tokens();
      if (first == Cause.TOKENS && tokens != null) {
        more.add("%,d needed, at most %,d free".formatted(tokens.needed(), tokens.freeMost()));
      }
      WaitReasons.ORDER.stream()
          .filter(cause -> cause != first && times.containsKey(cause))
          .forEach(cause -> more.add("also " + text(cause, times)));
      if (!times.isEmpty()) {
        texts.add(
            text(first, times) + (more.isEmpty() ? "" : " (" + String.join(", ", more) + ")"));
      }
    }
    return String.join(", ", texts);
  }

  private static String text(Cause cause, Map<Cause, Long> times) {
    String text =
        switch (cause) {
          case CAPABILITY -> "no executor can run it";
          case LANE -> "no lane idle";
          case TOKENS -> "too few tokens";
          case WINDOW -> "window";
          case POLICY -> "others first";
        };
    return text + " " + ms(requireNonNull(times.get(cause)));
  }

  private static String text(Overtaking other) {
    return other.scoreTerms().entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .map(
            term ->
                String.format(
                    Locale.ROOT, "%s (%s %.1f)", other.job(), term.getKey(), term.getValue()))
        .orElse(other.job());
  }

  private void attempt(Attempt attempt) {
    line(
        attempt.decidedNs(),
        "%s on %s%s: predicted %s"
            .formatted(
                attempt.dispatch(),
                lanes(attempt),
                attempt.with().isEmpty() ? "" : " with " + some(attempt.with(), NAMES_SHOWN),
                predicted(attempt)));
    if (attempt.startedNs() != null) {
      started(attempt, attempt.startedNs());
    }
    String givenUp = "given up: its lane or executor was lost";
    switch (attempt.outcome()) {
      case REFUSED -> until(attempt, "refused as " + attempt.cause());
      case LOST -> until(attempt, givenUp);
      case SUPERSEDED -> until(attempt, "left: an attempt that had been given up ended the job");
      case DONE -> {
        if (attempt.givenUpNs() != null) {
          line(attempt.givenUpNs(), givenUp + "; but its batch ran on");
        }
      }
      case FAILED, OPEN -> {}
    }
  }

  private void until(Attempt attempt, String text) {
    line(requireNonNull(attempt.untilNs()), text);
  }

  private static String lanes(Attempt attempt) {
    List<Integer> lanes = attempt.lanes();
    String first = attempt.executor() + "/" + lanes.get(0);
    return lanes.size() == 1 ? first : first + " to " + lanes.get(lanes.size() - 1);
  }

  private static String predicted(Attempt attempt) {
    String text = "%s ms (%s)".formatted(ms(attempt.predictedNs()), attempt.predictionSource());
    if (attempt.predictedP95Ns() != null) {
      text += ", p95 " + ms(attempt.predictedP95Ns());
    }
    Long tookNs = attempt.outcome() == Outcome.DONE ? attempt.serviceNs() : null;
    return tookNs == null
        ? text
        : "%s; it took %s, %.2f x"
            .formatted(text, ms(tookNs), tookNs / (double) attempt.predictedNs());
  }

  private void started(Attempt attempt, long startedNs) {
    long loadNs = requireNonNull(attempt.loadNs());
    String finished = at(requireNonNull(attempt.finishedNs()));
    boolean ended = attempt.outcome() == Outcome.DONE || attempt.outcome() == Outcome.FAILED;
    line(
        startedNs,
        "starts %s ms after the decision; %s; %s%s"
            .formatted(
                ms(startedNs - attempt.decidedNs()),
                loadNs > 0 ? "model loaded in " + ms(loadNs) + " ms" : "model held",
                attempt.cause() == null
                    ? "ends " + finished
                    : "fails %s: %s".formatted(finished, attempt.cause()),
                ended && attempt.untilNs() != null ? ", known at " + at(attempt.untilNs()) : ""));
  }

  private void end() {
    if (job.status() == null) {
      line(job.endedNs(), "the log ends, and the job has not");
    } else if (job.status() != Status.DONE) {
      String attempts = count(job.attemptsCounted(), "attempt");
      line(job.endedNs(), endedAs() + (job.attemptsCounted() == 0 ? "" : " after " + attempts));
    }
  }

  /** A duration in milliseconds: whole from 10 ms on, else with one or two decimals. */
  static String ms(long ns) {
    double ms = ns / NS_PER_MS;
    double absolute = Math.abs(ms);
    int decimals = absolute >= 9.95 || absolute == 0 ? 0 : absolute >= 0.095 ? 1 : 2;
    String text = String.format(Locale.ROOT, "%,." + decimals + "f", ms);
    if (text.equals("0.00")) {
      return "0";
    }
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }

  static String at(long ns) {
    return String.format(Locale.ROOT, "%.3f", Math.round(ns / NS_PER_MS) / 1e3);
  }

  static String timed(long atNs, String text) {
    return String.format(Locale.ROOT, "%9s  %s", at(atNs), text);
  }

  static String count(long count, String thing) {
    return String.format(Locale.ROOT, "%,d %s%s", count, thing, count == 1 ? "" : "s");
  }

  static String some(List<String> names, int most) {
    int shown = names.size() <= most + 1 ? names.size() : most;
    List<String> words = names.subList(0, shown);
    if (shown < names.size()) {
      return String.join(", ", words) + " and " + (names.size() - shown) + " more";
    }
    return words.size() < 2
        ? String.join("", words)
        : String.join(", ", words.subList(0, shown - 1)) + " and " + words.get(shown - 1);
  }
}
