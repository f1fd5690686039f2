package dev.sluice.scheduler.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduler.replay.Difference.Kind;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.driver.CoreSettings.Admission;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.JobClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Another weight and another admission, asked in the states of a small log: one lane, jobs of one
 * class, reckoned by hand.
 *
 * <p>A first job keeps the lane from 0 to 100 ms. Meanwhile wait "far", which takes 10 ms and is
 * due at 1,000 ms, and "near", which takes 40 ms and is due at 200 ms. Neither is overdue at 100
 * ms. Then, weights but urgency and short_service being 0, "far" scores urgency / 901 +
 * short_service / 0.010, and "near" urgency / 101 + short_service / 0.040. With short_service 0.001
 * these are 0.1 + urgency / 901 and 0.025 + urgency / 101, so that "near" comes first from an
 * urgency of 0.075 / (1 / 101 - 1 / 901) = 8.53 on.
 */
final class AskedInRecordedStatesTest {
  private static final long MS = 1_000_000;
  private static final long TIME_ZERO_MS = 1_000_000;
  private static final int COMPLETION = 5;

  private static final CoreSettings SETTINGS =
      CoreSettings.of(
          1,
          List.of(new JobClass("batch", 1, false, false)),
          Map.of("first", 1, "fast", 1, "slow", 1));

  private static Map<String, Double> weights(double urgency) {
    return Map.of(
        "interactive", 0.0,
        "urgency", urgency,
        "batchability", 0.0,
        "short_service", 0.001,
        "tokens", 0.0,
        "overdue", 1000.0);
  }

  private static ExecutorReported executor() {
    return new ExecutorReported(
        "cpu-1",
        1,
        false,
        "cpu",
        null,
        List.of(new ExecutorReported.Lane(0, List.of())),
        List.of(capability("first", 100), capability("fast", 10), capability("slow", 40)),
        0,
        null,
        null);
  }

  private static ExecutorReported.Capability capability(String workload, long serviceMs) {
    return new ExecutorReported.Capability(
        workload,
        "onnx",
        "fp32",
        1_000,
        List.of(new ExecutorReported.WarmUp(1, serviceMs * MS)),
        null,
        null);
  }

  private static JobRequested job(String id, int index, String workload, long sloMs) {
    return new JobRequested(id, 0, index, "batch", workload, "onnx", "fp32", 1, sloMs * MS, 0, 0);
  }

  private static BatchCompleted completed(long fact, long startedMs, long endedMs) {
    return new BatchCompleted(
        new DispatchId(fact, 0),
        "cpu-1",
        1,
        0,
        startedMs * MS,
        endedMs * MS,
        (endedMs - startedMs) * MS,
        0,
        BatchCompleted.Result.DONE,
        null,
        List.of(),
        null,
        1);
  }

  /** Returns the log of a run under an urgency and an admission, decided by the bare core. */
  private static List<RecordedEntry> log(double urgency, CoreSettings settings, long nearSloMs) {
    List<RecordedEntry> log = new ArrayList<>();
    var core = new SchedulingCore(settings, Policies.create("dynamic", weights(urgency)));
    long[] ms = {
      0, 0, 0, 1, 2, 100, 150, 250,
    };
    List<Fact> facts =
        List.of(
            executor(),
            new RunStarted("run", TIME_ZERO_MS, 1, "c", "r", 1, 1, null),
            job("first", 0, "first", 10_000),
            job("far", 1, "fast", 1_000),
            job("near", 2, "slow", nearSloMs),
            completed(2, 0, 100),
            completed(5, 100, 150),
            completed(6, 150, 250));
    for (int i = 0; i < facts.size(); i++) {
      long atMs = TIME_ZERO_MS + ms[i];
      log.add(new RecordedEntry("facts", 0, i, atMs, EventCodec.FACTS.write(facts.get(i))));
      List<RecordedEntry> outcomes = new ArrayList<>();
      core.apply(
          i,
          ms[i] * MS,
          facts.get(i),
          new CoreListener() {
            @Override
            public void started(BatchDispatched dispatch) {
              byte[] value = EventCodec.DISPATCHES.write(dispatch);
              log.add(new RecordedEntry("dispatches", 0, log.size(), atMs, value));
            }

            @Override
            public void ended(JobEnded end) {
              byte[] value = EventCodec.OUTCOMES.write(end);
              outcomes.add(new RecordedEntry("outcomes", 0, log.size(), atMs, value));
            }

            @Override
            public void blocked(Blocked span) {}
          });
      log.addAll(outcomes);
    }
    return log;
  }

  private static Tally ask(
      double recordedUrgency, double urgency, CoreSettings recorded, Admission admission)
      throws Exception {
    return ask(recordedUrgency, urgency, recorded, admission, 200);
  }

  private static Tally ask(
      double recordedUrgency,
      double urgency,
      CoreSettings recorded,
      Admission admission,
      long nearSloMs)
      throws Exception {
    var settings =
        new ReplaySettings(
            "log",
            recorded,
            "dynamic",
            weights(recordedUrgency),
            new ReplaySettings.Asked("dynamic", weights(urgency), admission));
    DecisionReplay replay = Logs.replay(settings, log(recordedUrgency, recorded, nearSloMs));
    assertThat(replay.recorded().others()).isZero();
    Tally asked = replay.asked();
    assertThat(asked).isNotNull();
    return asked;
  }

  @Test
  void aChangedWeightDiffersFirst_whereItTurnsTheScoresAround() throws Exception {
    Tally tally = ask(8, 9, SETTINGS, Admission.NONE);

    assertThat(tally.compared()).isEqualTo(6); // three batches and three ends
    assertThat(tally.others()).isEqualTo(1);
    Difference first = tally.first();
    assertThat(first).isNotNull();
    assertThat(first.kind()).isEqualTo(Kind.JOBS);
    assertThat(first.after().offset()).isEqualTo(COMPLETION);
    assertThat(first.after().nowNs()).isEqualTo(100 * MS);
    assertThat(first.classType()).isEqualTo("batch");
    assertThat(first.then())
        .isInstanceOfSatisfying(
            Decision.Started.class,
            start -> {
              assertThat(start.jobIds()).containsExactly("far");
              assertThat(start.scoreTerms().get("urgency")).isEqualTo(8 / 901.0);
              assertThat(start.scoreTerms().get("short_service")).isEqualTo(0.001 / 0.010);
            });
    assertThat(first.now())
        .isInstanceOfSatisfying(
            Decision.Started.class,
            start -> {
              assertThat(start.jobIds()).containsExactly("near");
              assertThat(start.scoreTerms().get("urgency")).isEqualTo(9 / 101.0);
              assertThat(start.scoreTerms().get("short_service")).isEqualTo(0.001 / 0.040);
            });
  }

  @Test
  void aWeightThatTurnsNothingAround_findsNoOther() throws Exception {
    assertThat(ask(8, 8.5, SETTINGS, Admission.NONE).others()).isZero();
    assertThat(ask(9, 100, SETTINGS, Admission.NONE).others()).isZero();
  }

  @Test
  void anAdmissionThatDropsNothing_findsNoOther() throws Exception {
    CoreSettings expiring = SETTINGS.with(Admission.EXPIRED);

    assertThat(ask(8, 8, SETTINGS, Admission.EXPIRED).others()).isZero();
    assertThat(ask(8, 8, expiring, Admission.NONE).others()).isZero();
  }

  /** "near", due at 120 ms, comes after "far" at an urgency of 0.1: it could start at 150 ms. */
  @Test
  void anotherAdmissionDrops_whatTheRecordedOneStarted() throws Exception {
    Tally tally = ask(0.1, 0.1, SETTINGS, Admission.EXPIRED, 120);

    assertThat(tally.othersByKind()).isEqualTo(Map.of("not_started", 1L, "dropped", 1L));
    assertThat(tally.othersByClass()).isEqualTo(Map.of("batch", 2L));
    assertThat(tally.first()).isNotNull();
    assertThat(tally.first().after().nowNs()).isEqualTo(150 * MS);
    assertThat(tally.first().now()).isEqualTo(Decision.dropped("near", "expired"));
  }

  @Test
  void anotherAdmissionKeeps_whatTheRecordedOneDropped() throws Exception {
    Tally tally = ask(0.1, 0.1, SETTINGS.with(Admission.EXPIRED), Admission.NONE, 120);

    assertThat(tally.othersByKind()).isEqualTo(Map.of("not_dropped", 1L));
    assertThat(tally.first()).isNotNull();
    assertThat(tally.first().then()).isEqualTo(Decision.dropped("near", "expired"));
    assertThat(tally.first().classType()).isEqualTo("batch");
  }

  /** At 100 ms "near" would end 20 ms after its promise even alone; the record drops it at 150. */
  @Test
  void aStricterAdmissionDropsEarlier() throws Exception {
    Tally tally = ask(0.1, 0.1, SETTINGS.with(Admission.EXPIRED), Admission.HOPELESS, 120);

    assertThat(tally.othersByKind()).isEqualTo(Map.of("dropped", 2L));
    assertThat(tally.first()).isNotNull();
    assertThat(tally.first().after().nowNs()).isEqualTo(100 * MS);
    assertThat(tally.first().now()).isEqualTo(Decision.dropped("near", "hopeless"));
  }

  @Test
  void stopsBeforeTheFact_withTheStateInWhichItWasDecided() throws Exception {
    var settings = new ReplaySettings("log", SETTINGS, "dynamic", weights(8), null);
    List<String> seen = new ArrayList<>();
    var stop =
        new DecisionReplay.Stop(
            0,
            COMPLETION,
            -1,
            (core, before) -> {
              core.inspection().waitingJobs().forEach(job -> seen.add(job.spec().id()));
              core.inspection().lanes().forEach(lane -> seen.add("held " + lane.held().size()));
              assertThat(before.offset()).isEqualTo(COMPLETION);
            });
    var replay = new DecisionReplay(settings, stop);

    Logs.replay(replay, log(8, SETTINGS, 200));

    assertThat(replay.isOver()).isTrue();
    assertThat(seen).containsExactly("far", "near", "held 1");
  }
}
