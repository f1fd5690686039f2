package dev.sluice.analytics.abort;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.ShardTaken;
import dev.sluice.contract.value.DispatchId;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** When a run measures the harness, by delays of decisions and of generators. */
final class HarnessLimitTest {
  private static final long MS = 1_000_000;
  private static final long ZERO_EPOCH_MS = 1_700_000_000_000L;
  private static final int EACH_MS = 100;

  private final HarnessLimit paced = begun(true);

  private static HarnessLimit begun(boolean paced) {
    var limit = new HarnessLimit(paced);
    limit.onRunRecord(
        new RunStarted("run-1", ZERO_EPOCH_MS, 42, "c0ffee", "feed", 1, 1, null), ZERO_EPOCH_MS);
    return limit;
  }

  private static void ends(HarnessLimit limit, int job, long factAtMs, long appendedAtMs) {
    limit.onOutcome(
        JobEnded.done("job-" + job, new DispatchId(job, 0), 1, factAtMs * MS),
        0,
        ZERO_EPOCH_MS + appendedAtMs);
  }

  private static void sent(HarnessLimit limit, int job, long intendedAtMs, long sentAtMs) {
    limit.onFact(
        new JobRequested(
            "job-" + job,
            0,
            job,
            "interactive",
            "vit_tiny",
            "onnx",
            "fp32",
            1,
            50 * MS,
            intendedAtMs * MS,
            sentAtMs * MS),
        0,
        ZERO_EPOCH_MS + sentAtMs);
  }

  @Test
  void aSchedulerThatFallsBehindForThreeSecondsIsTheLimit() {
    for (int job = 0; job < 60; job++) { // ten jobs each second in time, then half of them
      long factAtMs = (long) job * EACH_MS;
      long behindMs = Math.max(0, factAtMs - 1000);
      sent(paced, job, factAtMs, factAtMs);
      ends(paced, job, factAtMs, factAtMs + behindMs);
      if (factAtMs + behindMs < 5000 + 1000) { // late from 3.1 s on, at a fact of 2.05 s
        assertThat(paced.reached()).as("after the fact at %s ms", factAtMs).isNull();
      }
    }
    assertThat(paced.reached())
        .isEqualTo(
            "the harness is at its limit: the scheduler decides 2.6 s late, and ever later; in its"
                + " best 3 s this machine sent 10 jobs/s and did 10");
  }

  @Test
  void aPauseIsFollowedByEverSmallerDelays() {
    for (int job = 0; job < 100; job++) {
      long factAtMs = (long) job * EACH_MS;
      ends(paced, job, factAtMs, factAtMs + Math.max(0, 6000 - factAtMs / 2));
    }
    assertThat(paced.reached()).isNull();
  }

  @Test
  void aStandstillAmongLateDecisionsIsNotTheLimit() {
    for (int job = 0; job < 40; job++) { // late by 1.1 s when it stands still for 8 s
      long factAtMs = (long) job * EACH_MS;
      long stoodMs = job < 20 ? 1100 : Math.max(0, 9000 - factAtMs / 2);
      ends(paced, job, factAtMs, factAtMs + stoodMs);
    }
    assertThat(paced.reached()).isNull();
  }

  @Test
  void aTakeoverBeginsAnew() {
    for (int job = 0; job < 100; job++) {
      long factAtMs = (long) job * EACH_MS;
      if (job % 20 == 0) {
        paced.onRunRecord(new ShardTaken(0, "scheduler-" + job, null), ZERO_EPOCH_MS + factAtMs);
      }
      ends(paced, job, factAtMs, factAtMs + 1100 + job);
    }
    assertThat(paced.reached()).isNull();
  }

  @Test
  void oneDecisionInTimeEndsASpell() {
    for (int job = 0; job < 100; job++) {
      long factAtMs = (long) job * EACH_MS;
      ends(paced, job, factAtMs, factAtMs + (job % 25 == 0 ? 900 : 1100 + job));
    }
    assertThat(paced.reached()).isNull();
  }

  @Test
  void generatorsThatFallBehindAreTheLimitToo() {
    for (int job = 0; job < 100; job++) {
      sent(paced, job, (long) job * EACH_MS, 2L * job * EACH_MS);
    }
    assertThat(paced.reached()).startsWith(HarnessLimit.WORDS + "jobs are sent 2.6 s late");
    assertThat(paced.requested()).isEqualTo(100);
  }

  @Test
  void jobsThatAllArriveAtOnceAreNotLate() {
    HarnessLimit offline = begun(false);
    for (int job = 0; job < 100; job++) {
      sent(offline, job, 0, (long) job * EACH_MS);
      ends(offline, job, 0, (long) job * EACH_MS);
    }
    assertThat(offline.reached()).isNull();
  }

  @Property
  void delaysOfUpToASecondAreNone(
      @ForAll @Size(min = 50, max = 200) List<@IntRange(min = 0, max = 1000) Integer> delaysMs) {
    HarnessLimit limit = begun(true);
    for (int job = 0; job < delaysMs.size(); job++) {
      long atMs = (long) job * EACH_MS;
      sent(limit, job, atMs, atMs + delaysMs.get(job));
      ends(limit, job, atMs, atMs + delaysMs.get(job));
    }
    assertThat(limit.reached()).isNull();
  }
}
