package dev.sluice.analytics.fold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.report.RunReportTest;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.BatchDispatched.Place;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.BatchesEnded;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import dev.sluice.contract.value.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Batches that have ended on lanes: hand-made and made-up logs. */
final class LanesFoldTest {
  private static final long ZERO = SyntheticRun.ZERO_EPOCH_MS;
  private static final long MS = 1_000_000L;

  private final LiveFold fold = new LiveFold();
  private int jobs;

  @Test
  void tellsABatchOnce_whenItHasEnded() {
    begin(1);
    request(2);
    fold.onDispatch(dispatch(1, 100, 0, "job-0"), 0, ZERO);
    assertThat(lane(0).batches()).isEmpty();

    fold.onFact(completion(1, 110, 50), 0, ZERO + 161);
    assertThat(lane(0).batches())
        .containsExactly(
            new BatchesEnded.Batch(
                "0:1-0",
                1,
                110 * MS,
                160 * MS,
                "DONE",
                "resnet18",
                "onnx",
                "fp32",
                "interactive",
                1,
                "job-0",
                2,
                50.0,
                60.0,
                50.0,
                Map.of("urgency", 0.5)));
    assertThat(lane(0).batches()).isEmpty();
  }

  @Test
  void countsWhatEachLaneHolds_byTheLastReport() {
    begin(2);
    assertThat(lane(0).underWay()).isZero();
    fold.onFact(
        ExecutorReported.of(
            "local",
            1,
            false,
            "cpu",
            null,
            List.of(
                new ExecutorReported.Lane(0, List.of(new DispatchId(1, 0), new DispatchId(2, 0))),
                new ExecutorReported.Lane(1, List.of())),
            List.of()),
        0,
        ZERO + 200);
    assertThat(fold.takeEnded().executors().get(0).lanes())
        .extracting(BatchesEnded.Lane::underWay)
        .containsExactly(2, 0);
  }

  @Test
  void tellsARefusedBatch_andOneWhoseJobsAreDispatchedAgain() {
    begin(2);
    request(2);
    fold.onDispatch(dispatch(1, 100, 0, "job-0"), 0, ZERO);
    fold.onFact(
        BatchCompleted.refused(new DispatchId(1, 0), "local", 1, 0, Reason.BUSY), 0, ZERO + 120);
    fold.onDispatch(dispatch(2, 200, 1, "job-1"), 0, ZERO);
    fold.onDispatch(dispatch(3, 400, 0, "job-1"), 0, ZERO);
    List<BatchesEnded.Lane> lanes = fold.takeEnded().executors().get(0).lanes();
    BatchesEnded.Batch refused = lanes.get(0).batches().get(0);
    assertThat(refused.result()).isEqualTo("REFUSED");
    assertThat(List.of(refused.startedNs(), refused.finishedNs())).containsOnly(100 * MS);
    BatchesEnded.Batch lost = lanes.get(1).batches().get(0);
    assertThat(lost.result()).isEqualTo("LOST");
    assertThat(List.of(lost.startedNs(), lost.finishedNs())).containsOnly(200 * MS);
    assertThat(lost.serviceMs()).isNull();
  }

  @Test
  void takesACompletionThatIsReadBeforeItsDispatch_andADispatchTwice() {
    begin(1);
    request(1);
    fold.onFact(completion(1, 110, 50), 0, ZERO + 161);
    fold.onDispatch(dispatch(1, 100, 0, "job-0"), 0, ZERO);
    fold.onDispatch(dispatch(1, 100, 0, "job-0"), 0, ZERO + 100);
    assertThat(lane(0).batches()).hasSize(1);
    fold.onOutcome(JobEnded.done("job-0", new DispatchId(1, 0), 1, 161 * MS), 0, ZERO + 2000);
    assertThat(lane(0).batches()).isEmpty();
    assertThat(fold.remembered()).isZero();
  }

  @Test
  void listsTheLastBatchesOfALane_andTheOthersAsAShare() {
    begin(2);
    int batches = LanesFold.BATCHES_MAX / 2 + 10;
    request(2 * batches);
    for (int i = 0; i < 2 * batches; i++) {
      int startedMs = i / 2 * 4;
      fold.onDispatch(dispatch(1 + i, startedMs, i % 2, "job-" + i), 0, ZERO);
      fold.onFact(completion(1 + i, startedMs, 2), 0, ZERO + startedMs + 2);
    }
    for (BatchesEnded.Lane lane : fold.takeEnded().executors().get(0).lanes()) {
      assertThat(lane.batches()).hasSize(LanesFold.BATCHES_MAX / 2);
      assertThat(lane.batches().get(lane.batches().size() - 1).startedNs())
          .isEqualTo((batches - 1) * 4 * MS);
      assertThat(lane.more()).isEqualTo(new BatchesEnded.More(0, 38 * MS, 20 / 38.0));
    }
    assertThat(lane(0).more()).isNull();
  }

  @Test
  void aRecordOfManyLanes_fitsATopic() {
    begin(1024);
    request(1024 * 3);
    for (int i = 0; i < 1024 * 3; i++) {
      fold.onDispatch(dispatch(1 + i, 1, i % 1024, "job-" + i), 0, ZERO);
      fold.onFact(completion(1 + i, 1 + i / 1024, 1), 0, ZERO + 3);
    }
    byte[] record = EventCodec.METRICS.write(fold.takeEnded());
    assertThat(record.length).isBetween(200_000, 1_000_000);
  }

  @Test
  void forgetsAnExecutorThatLeaves_orIsSilent() {
    begin(1);
    fold.onFact(SyntheticRun.report("other", 1, 3, false), 0, ZERO + 1000);
    assertThat(fold.takeEnded().executors()).hasSize(2);
    fold.onFact(SyntheticRun.report("other", 1, 3, false), 0, ZERO + 11_001);
    assertThat(fold.takeEnded().executors())
        .extracting(BatchesEnded.Executor::id)
        .containsExactly("other");
    fold.onFact(SyntheticRun.report("other", 1, 3, true), 0, ZERO + 11_500);
    assertThat(fold.takeEnded().executors()).isEmpty();
  }

  @Test
  void tellsTheLastBatchesOfAnExecutorThatLeaves() {
    begin(2);
    request(1);
    fold.onDispatch(dispatch(1, 100, 1, "job-0"), 0, ZERO);
    fold.onFact(completion(1, 110, 50), 0, ZERO + 161);
    fold.onFact(SyntheticRun.report("local", 1, 2, true), 0, ZERO + 200);
    assertThat(fold.takeEnded().executors().get(0).lanes())
        .extracting(BatchesEnded.Lane::index)
        .containsExactly(1);
    assertThat(fold.takeEnded().executors()).isEmpty();
  }

  @Property(tries = 20)
  void tellsEachBatchOfARunOnce_howeverLateItIsCommitted(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 2000) int commitMs) {
    var log = SyntheticRun.of(SyntheticRun.experiment(60, 1, 8, 2, Map.of()), seed).entries();
    var whole = new LiveFold();
    List<String> ended = new ArrayList<>();
    int read = 0;
    for (SyntheticRun.Entry entry : SyntheticRun.interleavedBehindFacts(log, commitMs)) {
      SyntheticRun.apply(whole, entry, 0);
      read++;
      if (read % 50 == 0) {
        take(whole, ended);
      }
    }
    take(whole, ended);
    assertThat(ended)
        .containsExactlyInAnyOrderElementsOf(
            log.stream()
                .filter(entry -> entry.event() instanceof BatchDispatched)
                .map(entry -> "0:" + ((BatchDispatched) entry.event()).dispatchId())
                .toList());
    assertThat(whole.remembered()).isZero();
  }

  private static void take(LiveFold from, List<String> ids) {
    from.takeEnded().executors().stream()
        .flatMap(executor -> executor.lanes().stream())
        .flatMap(lane -> lane.batches().stream())
        .forEach(batch -> ids.add(batch.id()));
  }

  private BatchesEnded.Lane lane(int index) {
    return fold.takeEnded().executors().get(0).lanes().get(index);
  }

  private void begin(int lanes) {
    var started = new RunStarted("run-1", ZERO, 42, "c0ffee", "feed", 1, 1, null);
    fold.onFact(started, 0, ZERO - 90);
    ExecutorReported report = SyntheticRun.report("local", 1, lanes, false);
    fold.onFact(report, 0, ZERO);
    fold.onFact(new Ticked(), 0, ZERO + 1);
  }

  private void request(int count) {
    for (int i = 0; i < count; i++) {
      List<SyntheticRun.Entry> log = new ArrayList<>();
      RunReportTest.job(log, "job-" + jobs, jobs, "interactive", "resnet18", 2, 1, 1, 2);
      log.forEach(entry -> SyntheticRun.apply(fold, entry, 0));
      jobs++;
    }
  }

  private static BatchDispatched dispatch(long fact, long decidedMs, int lane, String job) {
    return new BatchDispatched(
        new DispatchId(fact, 0),
        new Place("local", 1, List.of(lane)),
        Work.firstAttempt(
            new ModelKey("resnet18", "onnx", "fp32"), List.of(new DispatchedJob(job, 2)), 80),
        new BatchDispatched.Decision(decidedMs * MS, null, Map.of("urgency", 0.5), null, null),
        new Prediction(50 * MS, "running_mean", 1, null, null, 60 * MS, null));
  }

  private static BatchCompleted completion(long fact, long startedMs, long serviceMs) {
    return BatchCompleted.done(
        new DispatchId(fact, 0), "local", 1, 0, startedMs * MS, serviceMs * MS, 1);
  }
}
