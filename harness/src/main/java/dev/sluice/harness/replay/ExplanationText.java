package dev.sluice.harness.replay;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.value.Prediction;
import dev.sluice.scheduler.explain.Explanation;
import dev.sluice.scheduler.explain.Explanation.Attempt;
import dev.sluice.scheduler.explain.Explanation.InputEnd;
import dev.sluice.scheduler.explain.Explanation.Overtaking;
import dev.sluice.scheduler.explain.Span;
import dev.sluice.scheduling.core.WaitReasons;
import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An explanation as lines for people. */
final class ExplanationText {
  private static final int NAMES_SHOWN = 3;

  private final Explanation explanation;
  private final List<String> lines = new ArrayList<>();

  private ExplanationText(Explanation explanation) {
    this.explanation = explanation;
  }

  static List<String> of(Explanation explanation) {
    return new ExplanationText(explanation).write();
  }

  private List<String> write() {
    lines.add(head());
    meant();
    List<Span> spans = explanation.spans();
    int next = 0;
    for (Attempt attempt : explanation.attempts()) {
      int to = next;
      while (to < spans.size() && !attempt.dispatchId().equals(spans.get(to).dispatch())) {
        to++;
      }
      if (to == spans.size()) { // no time passed in it
        attempt(attempt);
        continue;
      }
      waits(spans.subList(next, to), attempt);
      attempt(attempt);
      while (to < spans.size() && attempt.dispatchId().equals(spans.get(to).dispatch())) {
        to++;
      }
      next = to;
    }
    waits(spans.subList(next, spans.size()), null);
    end();
    return lines;
  }

  private void line(long atNs, String text) {
    lines.add(String.format(Locale.ROOT, "%9s  %s", ReadableTimes.at(atNs), text));
  }

  private void under(String text) {
    lines.add(" ".repeat(12) + text);
  }

  private String head() {
    Explanation.Asked asked = explanation.asked();
    return "%s  %s, %s %s %s, %s%s; %s"
        .formatted(
            asked.jobId(),
            asked.classType(),
            asked.model().workload(),
            asked.model().backend(),
            asked.model().precision(),
            ReadableTimes.count(asked.samples(), "sample"),
            asked.lanes() == 1 ? "" : " on " + asked.lanes() + " lanes",
            result(asked.sloNs()));
  }

  private String result(@Nullable Long sloNs) {
    String latency = ReadableTimes.ms(explanation.latencyNs()) + " ms";
    JobEnded.Status status = explanation.ending().status();
    if (status == null) {
      return "not ended after " + latency + ", where the log ends";
    }
    if (status != JobEnded.Status.DONE) {
      return "%s as %s after %s"
          .formatted(
              status.name().toLowerCase(Locale.ROOT), explanation.ending().reason(), latency);
    }
    if (sloNs == null) {
      return latency + ", without a promise";
    }
    long leftNs = sloNs - explanation.latencyNs();
    return "%s, %s ms %s its promise"
        .formatted(latency, ReadableTimes.ms(Math.abs(leftNs)), leftNs < 0 ? "after" : "before");
  }

  private void meant() {
    Explanation.Asked asked = explanation.asked();
    long lateNs = asked.sentAtNs() - asked.intendedAtNs();
    line(
        asked.intendedAtNs(),
        "%smeant; sent %s ms %s, in the log at %s"
            .formatted(
                explanation.inputs() == null ? "" : "its workflow was ",
                ReadableTimes.ms(Math.abs(lateNs)),
                lateNs < 0 ? "early" : "late",
                ReadableTimes.at(asked.loggedAtNs())));
    Explanation.Inputs inputs = explanation.inputs();
    if (inputs != null) {
      inputs(inputs);
    }
  }

  private void inputs(Explanation.Inputs inputs) {
    long waitedNs =
        explanation.spans().stream()
            .filter(span -> span.kind() == Span.Kind.INPUTS)
            .mapToLong(Span::durationNs)
            .sum();
    String text =
        "waits %s ms for %s"
            .formatted(ReadableTimes.ms(waitedNs), ReadableTimes.count(inputs.count(), "input"));
    if (inputs.ends().isEmpty()) {
      line(explanation.asked().loggedAtNs(), text + ", of which none has ended");
      return;
    }
    InputEnd last = inputs.ends().get(inputs.ends().size() - 1);
    String how =
        switch (last.status()) {
          case DONE -> "was done";
          case DROPPED -> "was dropped as " + last.reason();
          case FAILED -> "failed as " + last.reason();
        };
    line(
        explanation.asked().loggedAtNs(),
        "%s; the last to end, %s, %s at %s"
            .formatted(text, last.jobId(), how, ReadableTimes.at(last.endedAtNs())));
  }

  /**
   * @param then attempt that ends the wait; null: none does
   */
  private void waits(List<Span> spans, @Nullable Attempt then) {
    List<Span> waits = spans.stream().filter(s -> s.kind() == Span.Kind.WAITS).toList();
    if (!waits.isEmpty()) {
      long fromNs = waits.get(0).fromNs();
      long toNs = waits.get(waits.size() - 1).toNs();
      line(fromNs, "waits %s ms: %s".formatted(ReadableTimes.ms(toNs - fromNs), causes(waits)));
    }
    List<String> beside = new ArrayList<>();
    long fromNs = waits.isEmpty() ? 0 : waits.get(0).fromNs();
    List<Overtaking> overtaking =
        explanation.overtaking().stream()
            .filter(o -> !waits.isEmpty() && o.atNs() >= floorMs(fromNs))
            .filter(o -> then == null || o.atNs() <= then.decidedAtNs())
            .toList();
    if (!overtaking.isEmpty()) {
      beside.add(
          "overtaken by "
              + ReadableTimes.some(
                  overtaking.stream().map(ExplanationText::words).toList(), NAMES_SHOWN));
    }
    if (then != null && then.batch().couldShare() > 0) {
      beside.add(
          "%d of %d that could share its batch came along"
              .formatted(then.batch().others().size(), then.batch().couldShare()));
    }
    if (!beside.isEmpty()) {
      under(String.join("; ", beside));
    }
  }

  private static long floorMs(long ns) {
    return ns / 1_000_000 * 1_000_000;
  }

  private String causes(List<Span> waits) {
    Map<Cause, Map<Cause, Long>> byFirst = new EnumMap<>(Cause.class);
    for (Span span : waits) {
      Map<Cause, Long> times =
          byFirst.computeIfAbsent(span.causes().get(0), first -> new EnumMap<>(Cause.class));
      span.causes().forEach(cause -> times.merge(cause, span.durationNs(), Long::sum));
    }
    List<String> words = new ArrayList<>();
    for (Cause first : WaitReasons.ORDER) {
      Map<Cause, Long> times = byFirst.get(first);
      if (times == null) {
        continue;
      }
      List<String> beside = new ArrayList<>();
      Explanation.Tokens tokens = explanation.tokens();
      if (first == Cause.TOKENS && tokens != null) {
        beside.add("%,d needed, at most %,d free".formatted(tokens.needed(), tokens.freeMost()));
      }
      WaitReasons.ORDER.stream()
          .filter(cause -> cause != first && times.containsKey(cause))
          .forEach(cause -> beside.add("also " + words(cause) + " " + ms(times, cause)));
      words.add(
          "%s %s%s"
              .formatted(
                  words(first),
                  ms(times, first),
                  beside.isEmpty() ? "" : " (" + String.join(", ", beside) + ")"));
    }
    return String.join(", ", words);
  }

  private static String ms(Map<Cause, Long> times, Cause cause) {
    return ReadableTimes.ms(Objects.requireNonNull(times.get(cause)));
  }

  /** The cause in words. */
  static String words(Cause cause) {
    return switch (cause) {
      case CAPABILITY -> "no executor can run it";
      case LANE -> "no lane idle";
      case TOKENS -> "too few tokens";
      case WINDOW -> "window";
      case POLICY -> "others first";
    };
  }

  private static String words(Overtaking job) {
    return job.scoreTerms().entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .map(
            term -> "%s (%s %s)".formatted(job.jobId(), term.getKey(), oneDecimal(term.getValue())))
        .orElse(job.jobId());
  }

  private static String oneDecimal(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  private void attempt(Attempt attempt) {
    BatchCompleted completion = attempt.result().completion();
    line(
        attempt.decidedAtNs(),
        "%s on %s%s: predicted %s"
            .formatted(
                attempt.dispatchId(),
                lanes(attempt.batch()),
                attempt.batch().others().isEmpty()
                    ? ""
                    : " with " + ReadableTimes.some(attempt.batch().others(), NAMES_SHOWN),
                predicted(
                    attempt.prediction(),
                    attempt.outcome() == Attempt.Outcome.DONE ? completion : null)));
    if (completion != null && completion.startedAtNs() != null) {
      started(attempt, completion, completion.startedAtNs());
    }
    Long toNs = attempt.result().toNs();
    Long givenUpAtNs = attempt.result().givenUpAtNs();
    switch (attempt.outcome()) {
      case REFUSED ->
          line(
              Objects.requireNonNull(toNs),
              "refused as " + (completion == null ? "" : completion.cause()));
      case LOST -> line(Objects.requireNonNull(toNs), "given up: its lane or executor was lost");
      case SUPERSEDED ->
          line(
              Objects.requireNonNull(toNs),
              "left: an attempt that had been given up ended the job");
      case DONE -> {
        if (givenUpAtNs != null) {
          line(givenUpAtNs, "given up: its lane or executor was lost; but its batch ran on");
        }
      }
      case FAILED, OPEN -> {}
    }
  }

  private static String lanes(Attempt.Batch batch) {
    List<Integer> lanes = batch.lanes();
    String first = batch.executorId() + "/" + lanes.get(0);
    return lanes.size() == 1 ? first : first + " to " + lanes.get(lanes.size() - 1);
  }

  private static String predicted(Prediction prediction, @Nullable BatchCompleted done) {
    String text =
        "%s ms (%s)".formatted(ReadableTimes.ms(prediction.meanNs()), prediction.source());
    if (prediction.p95Ns() != null) {
      text += ", p95 " + ReadableTimes.ms(prediction.p95Ns());
    }
    return done == null
        ? text
        : "%s; it took %s, %.2f x"
            .formatted(
                text,
                ReadableTimes.ms(done.serviceNs()),
                done.serviceNs() / (double) prediction.meanNs());
  }

  private void started(Attempt attempt, BatchCompleted completion, long startedAtNs) {
    String model =
        completion.switchNs() > 0
            ? "model loaded in " + ReadableTimes.ms(completion.switchNs()) + " ms"
            : "model held";
    long finishedAtNs = Objects.requireNonNull(completion.finishedAtNs());
    String end =
        completion.result() == BatchCompleted.Result.FAILED
            ? "fails %s: %s".formatted(ReadableTimes.at(finishedAtNs), completion.cause())
            : "ends " + ReadableTimes.at(finishedAtNs);
    Long toNs = attempt.result().toNs();
    boolean ended =
        attempt.outcome() == Attempt.Outcome.DONE || attempt.outcome() == Attempt.Outcome.FAILED;
    line(
        startedAtNs,
        "starts %s ms after the decision; %s; %s%s"
            .formatted(
                ReadableTimes.ms(startedAtNs - attempt.decidedAtNs()),
                model,
                end,
                ended && toNs != null ? ", known at " + ReadableTimes.at(toNs) : ""));
  }

  private void end() {
    Explanation.Ending ending = explanation.ending();
    JobEnded.Status status = ending.status();
    if (status == null) {
      line(ending.endedAtNs(), "the log ends, and the job has not");
    } else if (status != JobEnded.Status.DONE) {
      line(
          ending.endedAtNs(),
          "%s as %s%s"
              .formatted(
                  status.name().toLowerCase(Locale.ROOT),
                  ending.reason(),
                  ending.attempts() == 0
                      ? ""
                      : " after " + ReadableTimes.count(ending.attempts(), "attempt")));
    }
  }
}
