package dev.sluice.analytics.fold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.report.RunReportTest;
import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.BatchDispatched.Place;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.LanesWindow;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import dev.sluice.contract.value.Reason;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What lanes do, from dispatches that may not be committed yet: hand-made and made-up logs. */
final class LanesFoldTest {
  private static final long ZERO = SyntheticRun.ZERO_EPOCH_MS;
  private static final long MS = 1_000_000L;

  private final LiveFold fold = new LiveFold();
  private int jobs;

  @Test
  void showsABatchWhileItRuns_andOnceMoreWhenItHasEnded() {
    begin(1);
    request(2);
    fold.onDispatch(dispatch(1, 100, 0, "job-0"), 0, ZERO);

    LanesWindow running = fold.closeLanesWindow(300 * MS);
    assertThat(List.of(running.requested(), running.waiting(), running.running()))
        .containsExactly(2L, 1L, 1L);
    LanesWindow.Lane lane = running.executors().get(0).lanes().get(0);
    assertThat(lane.model()).isEqualTo("resnet18/onnx/fp32");
    assertThat(lane.busy()).isEqualTo(200 / 250.0);
    assertThat(lane.batches())
        .containsExactly(
            new LanesWindow.Batch(
                "0:1-0",
                1,
                100 * MS,
                false,
                null,
                null,
                "resnet18",
                "onnx",
                "fp32",
                "interactive",
                1,
                "job-0",
                2,
                50.0,
                60.0,
                null,
                Map.of("urgency", 0.5)));

    fold.onFact(completion(1, 110, 50), 0, ZERO + 161);
    LanesWindow ended = fold.closeLanesWindow(550 * MS);
    assertThat(List.of(ended.requested(), ended.waiting(), ended.running()))
        .containsExactly(2L, 1L, 0L);
    LanesWindow.Batch batch = ended.executors().get(0).lanes().get(0).batches().get(0);
    assertThat(batch.started()).isTrue();
    assertThat(batch.startedNs()).isEqualTo(110 * MS);
    assertThat(batch.finishedNs()).isEqualTo(160 * MS);
    assertThat(batch.serviceMs()).isEqualTo(50.0);
    assertThat(batch.result()).isEqualTo("DONE");

    LanesWindow after = fold.closeLanesWindow(800 * MS);
    assertThat(after.executors().get(0).lanes().get(0).batches()).isEmpty();
    assertThat(after.executors().get(0).lanes().get(0).model()).isEqualTo("resnet18/onnx/fp32");
    assertThat(after.fromNs()).isEqualTo(ended.toNs());
  }

  @Test
  void countsTheJobsOfItsEnd_whateverHasBeenReadOfLaterTimes() {
    begin(1);
    request(3); // appended at 2 ms
    fold.onDispatch(dispatch(1, 400, 0, "job-0"), 0, ZERO);
    fold.onFact(completion(1, 410, 200), 0, ZERO + 611);

    assertThat(counts(300)).containsExactly(3L, 3L, 0L);
    assertThat(counts(500)).containsExactly(3L, 2L, 1L);
    LanesWindow last = fold.closeLanesWindow(700 * MS);
    assertThat(List.of(last.requested(), last.waiting(), last.running()))
        .containsExactly(3L, 2L, 0L);
    assertThat(last.executors().get(0).lanes().get(0).busy()).isEqualTo(110 / 200.0);
  }

  private List<Long> counts(long toMs) {
    LanesWindow window = fold.closeLanesWindow(toMs * MS);
    return List.of(window.requested(), window.waiting(), window.running());
  }

  @Test
  void countsARefusedJobAsWaiting_andADroppedOneNoLonger() {
    begin(1);
    request(2);
    fold.onDispatch(dispatch(1, 100, 0, "job-0"), 0, ZERO);
    fold.onFact(
        BatchCompleted.refused(new DispatchId(1, 0), "local", 1, 0, Reason.BUSY), 0, ZERO + 120);
    LanesWindow refused = fold.closeLanesWindow(300 * MS);
    assertThat(refused.waiting()).isEqualTo(2);
    assertThat(refused.executors().get(0).lanes().get(0).batches())
        .extracting(LanesWindow.Batch::result)
        .containsExactly("REFUSED");
    fold.onOutcome(JobEnded.dropped("job-1", Reason.RUN_ENDED, 0, 200 * MS), 0, ZERO + 2000);
    assertThat(fold.closeLanesWindow(550 * MS).waiting()).isEqualTo(1);
  }

  @Test
  void takesABatchAsLost_whenItsJobsAreDispatchedAgain() {
    begin(2);
    request(1);
    fold.onDispatch(dispatch(1, 100, 0, "job-0"), 0, ZERO);
    fold.onDispatch(dispatch(2, 400, 1, "job-0"), 0, ZERO);
    LanesWindow window = fold.closeLanesWindow(500 * MS);
    assertThat(window.running()).isEqualTo(1);
    List<LanesWindow.Lane> lanes = window.executors().get(0).lanes();
    assertThat(lanes.get(0).batches().get(0).result()).isEqualTo("LOST");
    assertThat(lanes.get(1).batches().get(0).result()).isNull();
  }

  @Test
  void takesACompletionThatIsReadBeforeItsDispatch_andADispatchTwice() {
    begin(1);
    request(1);
    fold.onFact(completion(1, 110, 50), 0, ZERO + 161);
    fold.onDispatch(dispatch(1, 100, 0, "job-0"), 0, ZERO);
    fold.onDispatch(dispatch(1, 100, 0, "job-0"), 0, ZERO + 100);
    LanesWindow window = fold.closeLanesWindow(300 * MS);
    assertThat(window.running()).isZero();
    assertThat(window.waiting()).isZero();
    assertThat(window.executors().get(0).lanes().get(0).batches()).hasSize(1);
  }

  @Test
  void listsTheLastFortyBatchesOfALane_andTheOthersAsAShare() {
    begin(1);
    request(50);
    for (int i = 0; i < 50; i++) {
      fold.onDispatch(dispatch(1 + i, 4 * i, 0, "job-" + i), 0, ZERO);
      fold.onFact(completion(1 + i, 4 * i, 2), 0, ZERO + 4 * i + 2);
    }
    LanesWindow.Lane lane = fold.closeLanesWindow(200 * MS).executors().get(0).lanes().get(0);
    assertThat(lane.batches()).hasSize(40);
    assertThat(lane.batches().get(39).id()).isEqualTo("0:50-0");
    assertThat(lane.busy()).isEqualTo(0.5);
    assertThat(lane.more()).isEqualTo(0.1);
  }

  @Test
  void listsOneHundredAndTwentyEightBatchesInAll_cuttingTheLongestLists() {
    begin(5);
    request(4 * 40 + 3);
    int job = 0;
    for (int i = 0; i < 40; i++) {
      for (int lane = 0; lane < (i < 3 ? 5 : 4); lane++) {
        fold.onDispatch(dispatch(1 + job, 5 * i, lane, "job-" + job), 0, ZERO);
        fold.onFact(completion(1 + job, 5 * i, 4), 0, ZERO + 5 * i + 4);
        job++;
      }
    }
    List<LanesWindow.Lane> lanes = fold.closeLanesWindow(200 * MS).executors().get(0).lanes();
    assertThat(lanes).extracting(lane -> lane.batches().size()).containsExactly(31, 31, 31, 31, 3);
    assertThat(lanes).extracting(LanesWindow.Lane::more).containsExactly(.18, .18, .18, .18, 0.0);
    assertThat(lanes.get(0).busy()).isEqualTo(0.8);
    assertThat(lanes.get(4).busy()).isEqualTo(0.06);
  }

  @Test
  void aWindowOfManyLanes_fitsOneRecord() throws Exception {
    begin(1024);
    request(1024 * 3);
    for (int i = 0; i < 1024 * 3; i++) {
      fold.onDispatch(dispatch(1 + i, 1, i % 1024, "job-" + i), 0, ZERO);
    }
    byte[] record = EventCodec.LANES.write(fold.closeLanesWindow(200 * MS));
    assertThat(record.length).isBetween(200_000, 1_000_000);
  }

  @Test
  void forgetsAnExecutorThatLeaves_orIsSilent() {
    begin(1);
    fold.onFact(SyntheticRun.report("other", 1, 3, false), 0, ZERO + 1000);
    assertThat(fold.closeLanesWindow(1_000 * MS).executors()).hasSize(2);
    fold.onFact(SyntheticRun.report("other", 1, 3, false), 0, ZERO + 11_001);
    assertThat(fold.closeLanesWindow(12_000 * MS).executors())
        .extracting(LanesWindow.Executor::id)
        .containsExactly("other");
    fold.onFact(SyntheticRun.report("other", 1, 3, true), 0, ZERO + 11_500);
    assertThat(fold.closeLanesWindow(13_000 * MS).executors()).isEmpty();
  }

  @Property(tries = 20)
  void agreesWithTheCommittedCounts_whenAllIsRead(@ForAll long seed) {
    var log = SyntheticRun.of(SyntheticRun.experiment(60, 1, 8, 2, Map.of()), seed).entries();
    var whole = new LiveFold();
    List<SyntheticRun.Entry> uncommitted = new ArrayList<>();
    Set<String> ended = new HashSet<>();
    Set<String> running = new HashSet<>();
    long requested = 0;
    long toNs = 0;
    for (SyntheticRun.Entry entry : log) {
      if (entry.event() instanceof BatchDispatched dispatch) {
        whole.onDispatch(dispatch, 0, entry.appendedAtEpochMs());
        dispatch.work().jobs().forEach(job -> running.add(job.jobId()));
      } else if (entry.event() instanceof JobRequested) {
        requested++;
      } else if (entry.event() instanceof JobEnded end) {
        running.remove(end.jobId());
        ended.add(end.jobId());
      }
      if (entry.topic().equals("dispatches") || entry.topic().equals("outcomes")) {
        uncommitted.add(entry);
      } else {
        SyntheticRun.apply(whole, entry, 0);
      }
      if (uncommitted.size() == 100) {
        uncommitted.forEach(committed -> SyntheticRun.apply(whole, committed, 0));
        uncommitted.clear();
        toNs = Math.max(toNs, (entry.appendedAtEpochMs() - SyntheticRun.ZERO_EPOCH_MS) * MS) + MS;
        LanesWindow window = whole.closeLanesWindow(toNs);
        assertThat(window.requested()).isEqualTo(requested);
        assertThat(window.running()).isEqualTo(running.size());
        assertThat(window.waiting()).isEqualTo(requested - running.size() - ended.size());
      }
    }
    uncommitted.forEach(committed -> SyntheticRun.apply(whole, committed, 0));
    assertThat(toNs).isPositive();
    LanesWindow last = whole.closeLanesWindow(toNs + 60_000 * MS);
    assertThat(last.waiting() + last.running()).isZero();
    assertThat(whole.remembered()).isZero();
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
        new BatchDispatched.Decision(decidedMs * MS, null, Map.of("urgency", 0.5)),
        new Prediction(50 * MS, "running_mean", 1, null, null, 60 * MS, null));
  }

  private static BatchCompleted completion(long fact, long startedMs, long serviceMs) {
    return BatchCompleted.done(
        new DispatchId(fact, 0), "local", 1, 0, startedMs * MS, serviceMs * MS, 1);
  }
}
