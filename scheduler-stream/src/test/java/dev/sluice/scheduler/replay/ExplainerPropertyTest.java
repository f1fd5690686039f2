package dev.sluice.scheduler.replay;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduler.replay.Explanation.Attempt;
import dev.sluice.scheduler.replay.Explanation.Outcome;
import dev.sluice.scheduler.replay.Explanation.Span;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What holds of each job of random logs under every policy. */
final class ExplainerPropertyTest {
  private static final int LOGS = 2;

  /** What the logs must hold, so that the property says something. */
  private static final List<String> MET =
      List.of(
          "DONE null",
          "DROPPED expired",
          "DROPPED hopeless",
          "DROPPED input_not_done",
          "DROPPED queue_full",
          "DROPPED run_ended",
          "DROPPED waited_too_long",
          "FAILED it broke",
          "FAILED lane_lost",
          "a gang",
          "a job that came along",
          "an end that the log lacks",
          "overtaken",
          "attempt FAILED",
          "attempt LOST",
          "attempt OPEN",
          "attempt REFUSED",
          "attempt SUPERSEDED",
          "done by an attempt that was given up",
          "a lane and too few tokens",
          "LATE",
          "TO_LOG",
          "INPUTS",
          "WAITS CAPABILITY",
          "WAITS LANE",
          "WAITS TOKENS",
          "WAITS WINDOW",
          "WAITS POLICY",
          "TO_START",
          "LOADS",
          "RUNS",
          "REPORTS",
          "HELD");

  @Test
  void theSpansOfEachJobFollowEachOther_andSumUpToItsLatency() throws Exception {
    Set<String> met = new TreeSet<>();
    for (String policy : Policies.names()) {
      for (int seed = 0; seed < LOGS; seed++) {
        RandomLog log = new RandomLog(seed, policy);
        for (String jobId : log.jobIds) {
          var explainer = new Explainer("log", jobId, log::newCore);
          log.feed(explainer);
          Explanation explanation = requireNonNull(explainer.explanation());
          try {
            check(log, explanation);
          } catch (AssertionError e) {
            throw new AssertionError(
                "%s under %s, seed %d: %s".formatted(jobId, policy, seed, explanation), e);
          }
          note(explanation, met);
        }
      }
    }
    assertThat(met).containsAll(MET);
  }

  private static void check(RandomLog log, Explanation explanation) {
    String jobId = explanation.job();
    List<Span> spans = explanation.spans();
    long atNs = explanation.intendedNs();
    for (Span span : spans) {
      assertThat(span.fromNs()).isEqualTo(atNs);
      assertThat(span.toNs()).isGreaterThan(atNs);
      atNs = span.toNs();
    }
    assertThat(atNs).isEqualTo(explanation.endedNs());
    assertThat(spans.stream().mapToLong(Span::durationNs).sum())
        .isEqualTo(explanation.latencyNs())
        .isEqualTo(latencyNs(log, jobId));
    JobEnded end = log.ends.get(jobId);
    assertThat(explanation.status()).isEqualTo(end == null ? null : end.status());
    assertThat(explanation.reason()).isEqualTo(end == null ? null : end.reason());
    assertThat(explanation.attempts())
        .extracting(Attempt::dispatch)
        .isEqualTo(
            log.dispatches.stream()
                .filter(d -> d.work().jobs().stream().anyMatch(j -> j.jobId().equals(jobId)))
                .map(BatchDispatched::dispatchId)
                .toList());
    assertThat(explanation.differences()).isEmpty();
    if (end != null) {
      assertThat(explanation.toldNs()).isNotNull();
      assertThat(explanation.attempts()).extracting(Attempt::outcome).doesNotContain(Outcome.OPEN);
    }
    checkOnlyWait(explanation);
  }

  /**
   * Of a job that was dispatched once, all time between its request and the decision is waiting.
   */
  private static void checkOnlyWait(Explanation explanation) {
    if (explanation.attempts().size() == 1
        && explanation.status() == JobEnded.Status.DONE
        && explanation.inputs() == null) {
      long endNs = explanation.endedNs();
      long fromNs = Math.min(Math.max(explanation.sentNs(), explanation.loggedNs()), endNs);
      long toNs = Math.min(explanation.attempts().get(0).decidedNs(), endNs);
      assertThat(
              explanation.spans().stream()
                  .filter(span -> span.kind() == Span.Kind.WAITS)
                  .mapToLong(Span::durationNs)
                  .sum())
          .isEqualTo(Math.max(0, toNs - fromNs));
    }
  }

  /** The latency as the events tell it, without the explainer. */
  private static long latencyNs(RandomLog log, String jobId) {
    long intendedNs = 0;
    long sentNs = 0;
    DispatchId by = log.ends.containsKey(jobId) ? log.ends.get(jobId).dispatchId() : null;
    boolean done = by != null && log.ends.get(jobId).status() == JobEnded.Status.DONE;
    Long finishedNs = null;
    for (Fact fact : log.facts) {
      if (fact instanceof JobRequested request && request.jobId().equals(jobId)) {
        intendedNs = request.intendedAtNs();
        sentNs = request.sentAtNs();
      } else if (fact instanceof WorkflowRequested request
          && jobId.startsWith(request.requestId() + "/")) {
        intendedNs = request.intendedAtNs();
        sentNs = request.sentAtNs();
      } else if (fact instanceof BatchCompleted completion
          && done
          && completion.dispatchId().equals(by)) {
        finishedNs = completion.finishedAtNs();
      }
    }
    if (finishedNs != null) {
      return finishedNs - intendedNs;
    }
    long loggedNs =
        log.ends.containsKey(jobId) ? log.ends.get(jobId).endedAtNs() : log.lastFactNs();
    return Math.max(sentNs, loggedNs) - intendedNs;
  }

  private static void note(Explanation explanation, Set<String> met) {
    met.add(explanation.status() + " " + explanation.reason());
    for (Span span : explanation.spans()) {
      met.add(span.kind() + (span.causes().isEmpty() ? "" : " " + span.causes().get(0)));
      if (span.causes().equals(List.of(Cause.LANE, Cause.TOKENS))) {
        met.add("a lane and too few tokens");
      }
    }
    if (explanation.status() == null) {
      met.add("an end that the log lacks");
    }
    if (!explanation.overtakenBy().isEmpty()) {
      met.add("overtaken");
    }
    if (explanation.lanes() > 1 && !explanation.attempts().isEmpty()) {
      met.add("a gang");
    }
    for (Attempt attempt : explanation.attempts()) {
      met.add("attempt " + attempt.outcome());
      assertThat(attempt.with().size()).isLessThanOrEqualTo(attempt.couldShare());
      if (!attempt.with().isEmpty()) {
        met.add("a job that came along");
      }
    }
    List<Attempt> attempts = explanation.attempts();
    if (attempts.stream().anyMatch(a -> a.outcome() == Outcome.DONE && a.givenUpNs() != null)) {
      met.add("done by an attempt that was given up");
    }
  }
}
