package dev.sluice.analytics.fold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.report.RunReportTest;
import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.LatencyHistogram;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import dev.sluice.contract.value.Reason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** The fold of a run that goes on, on hand-made and made-up logs: no Kafka, no clock. */
final class LiveFoldTest {
  private static final long NS = 1_000_000_000L;

  @Test
  void isCompleteOnlyWithTheEnd_andEveryOutcome() {
    var fold = new LiveFold();
    for (SyntheticRun.Entry entry : RunReportTest.log()) {
      assertThat(fold.isComplete()).isFalse();
      SyntheticRun.apply(fold, entry, 0);
    }
    assertThat(fold.isComplete()).isTrue();
  }

  @Test
  void isNotComplete_whenJobsSentHaveNotArrived() {
    var fold = new LiveFold();
    RunReportTest.log().stream()
        .filter(entry -> !(entry.event() instanceof JobRequested job && job.jobId().equals("t")))
        .forEach(entry -> SyntheticRun.apply(fold, entry, 0));
    assertThat(fold.isComplete()).isFalse();
  }

  @Test
  void snapshotsTheRunSoFar() {
    var fold = new LiveFold();
    assertThat(fold.snapshot()).isEqualTo(LiveSnapshot.NOTHING);
    for (SyntheticRun.Entry entry : RunReportTest.log()) {
      if (!(entry.event() instanceof RunEnded)) {
        SyntheticRun.apply(fold, entry, 0);
      }
    }
    fold.onFact(new Ticked(), 0, SyntheticRun.ZERO_EPOCH_MS + 6_000);
    assertThat(fold.closeWindows(Long.MAX_VALUE)).hasSize(3);
    LiveSnapshot live = fold.snapshot();
    assertThat(live.throughNs()).isEqualTo(3 * NS);
    assertThat(live.total().requested()).as("those of the first three seconds").isEqualTo(5);
    assertThat(live.running()).isEqualTo(1);
    assertThat(live.total().waiting()).isZero();
    assertThat(live.total().done()).isEqualTo(3);
    assertThat(live.total().dropped()).isEqualTo(1);
    assertThat(live.total().failed()).isZero();
    assertThat(live.violations()).isEqualTo(Map.of("interactive", 0L, "batch", 1L));
    assertThat(live.total().percentileMs(99)).isInfinite();
  }

  @Property(tries = 20)
  void everySnapshot_isOfOneInstant(@ForAll long seed) {
    var log = SyntheticRun.of(SyntheticRun.experiment(60, 1, 8, 2, Map.of()), seed).entries();
    var fold = new LiveFold();
    for (SyntheticRun.Entry entry : SyntheticRun.interleavedBehindFacts(log, 2000)) {
      SyntheticRun.apply(fold, entry, 0);
      if (fold.closeWindows(Long.MAX_VALUE).isEmpty()) {
        continue;
      }
      LiveSnapshot live = fold.snapshot();
      assertThat(
              live.total().waiting()
                  + live.running()
                  + live.total().done()
                  + live.total().dropped()
                  + live.total().failed())
          .isEqualTo(live.total().requested());
      assertThat(live.total().requested())
          .isEqualTo(count(log, JobRequested.class, live.throughNs()));
      assertThat(live.total().waiting() + live.running())
          .isEqualTo(live.total().requested() - count(log, JobEnded.class, live.throughNs()));
    }
    assertThat(fold.snapshot().total().requested()).isPositive();
  }

  /** A job ends with its batch, and where no batch ended it with the append of its outcome. */
  private static long count(
      List<SyntheticRun.Entry> log, Class<? extends Event> type, long throughNs) {
    Set<DispatchId> finished =
        log.stream()
            .map(SyntheticRun.Entry::event)
            .filter(event -> event instanceof BatchCompleted end && end.finishedAtNs() != null)
            .map(event -> ((BatchCompleted) event).dispatchId())
            .collect(Collectors.toSet());
    return log.stream()
        .filter(entry -> type.isInstance(entry.event()))
        .filter(
            entry ->
                (entry.event() instanceof JobEnded end && finished.contains(end.dispatchId())
                        ? end.endedAtNs()
                        : (entry.appendedAtEpochMs() - SyntheticRun.ZERO_EPOCH_MS) * 1_000_000)
                    < throughNs)
        .count();
  }

  @Test
  void putsAJobBackToWaiting_whenItsBatchWasRefused() {
    var fold = new LiveFold();
    for (SyntheticRun.Entry entry : RunReportTest.log()) {
      if (entry.event() instanceof BatchCompleted) {
        break;
      }
      SyntheticRun.apply(fold, entry, 0);
    }
    fold.onFact(
        BatchCompleted.refused(new DispatchId(2, 0), "local", 1, 0, Reason.BUSY),
        0,
        SyntheticRun.ZERO_EPOCH_MS + 1_500);
    fold.onFact(new Ticked(), 0, SyntheticRun.ZERO_EPOCH_MS + 6_000);
    List<MetricsWindow> windows = fold.closeWindows(Long.MAX_VALUE);
    assertThat(windows).extracting(MetricsWindow::running).containsExactly(1L, 0L, 0L);
    assertThat(windows).extracting(MetricsWindow::waiting).containsExactly(0L, 1L, 1L);
    assertThat(windows)
        .extracting(window -> window.byClass().get("interactive").waiting())
        .containsExactly(0L, 1L, 1L);
  }

  @Test
  void countsEachLaneOfABatch_alsoIfItsEndIsReadBeforeItsDispatch() {
    List<Double> use = new ArrayList<>();
    for (boolean endFirst : List.of(false, true)) {
      var fold = new LiveFold();
      var started =
          new RunStarted("run-1", SyntheticRun.ZERO_EPOCH_MS, 42, "c0ffee", "feed", 1, 1, null);
      fold.onFact(started, 0, SyntheticRun.ZERO_EPOCH_MS - 90);
      fold.onFact(SyntheticRun.report("local", 1, 2, false), 0, SyntheticRun.ZERO_EPOCH_MS);
      List<SyntheticRun.Entry> log = new ArrayList<>();
      RunReportTest.job(log, "w", 0, "interactive", "resnet18", 1, 500, 500, 501);
      log.forEach(entry -> SyntheticRun.apply(fold, entry, 0));
      var dispatch =
          new BatchDispatched(
              new DispatchId(2, 0),
              new BatchDispatched.Place("local", 1, List.of(0, 1)),
              BatchDispatched.Work.firstAttempt(
                  new ModelKey("resnet18", "onnx", "fp32"),
                  List.of(new BatchDispatched.DispatchedJob("w", 1)),
                  1),
              new BatchDispatched.Decision(2 * NS, null, Map.of(), null, null),
              new Prediction(NS / 2, "running_mean", 1, null, null, null, null));
      var end = BatchCompleted.done(new DispatchId(2, 0), "local", 1, 0, 2 * NS, NS / 2, 1);
      if (endFirst) {
        fold.onFact(end, 0, SyntheticRun.ZERO_EPOCH_MS + 2_500);
      }
      fold.onDispatch(dispatch, 0, SyntheticRun.ZERO_EPOCH_MS + 2_000);
      if (!endFirst) {
        fold.onFact(end, 0, SyntheticRun.ZERO_EPOCH_MS + 2_500);
      }
      fold.onFact(new Ticked(), 0, SyntheticRun.ZERO_EPOCH_MS + 6_000);
      List<MetricsWindow> windows = fold.closeWindows(Long.MAX_VALUE);
      use.add(windows.get(2).laneUse());
    }
    assertThat(use).containsExactly(0.5, 0.5);
  }

  @Property(tries = 20)
  void forgetsWhatHasEnded_andCountsEveryJobInOneWindow(@ForAll long seed) {
    var log = SyntheticRun.of(SyntheticRun.experiment(60, 1, 8, 2, Map.of()), seed).entries();
    var fold = new LiveFold();
    List<MetricsWindow> windows = new ArrayList<>();
    int most = 0;
    for (SyntheticRun.Entry entry : log) {
      SyntheticRun.apply(fold, entry, 0);
      most = Math.max(most, fold.remembered());
      windows.addAll(fold.closeWindows(Long.MAX_VALUE));
    }
    assertThat(windows).hasSizeGreaterThan(7);
    assertThat(fold.isComplete()).isTrue();
    assertThat(fold.remembered()).isZero();
    LiveSnapshot end = fold.snapshot();
    assertThat(most).isLessThan((int) end.total().requested());
    assertThat(sum(windows, MetricsWindow.Counts::requested)).isEqualTo(end.total().requested());
    assertThat(sum(windows, MetricsWindow.Counts::done)).isEqualTo(end.total().done());
    assertThat(sum(windows, MetricsWindow.Counts::dropped)).isEqualTo(end.total().dropped());
    assertThat(sum(windows, MetricsWindow.Counts::violations))
        .isEqualTo(end.violations().values().stream().mapToLong(Long::longValue).sum());
    for (int i = 0; i < windows.size(); i++) {
      assertThat(windows.get(i).fromNs()).isEqualTo(i * 1_000_000_000L);
      assertThat(windows.get(i).waiting()).isNotNegative();
      assertThat(windows.get(i).laneUse()).isBetween(0.0, 1.0);
    }
    assertThat(windows.get(windows.size() - 1).running()).isZero();
  }

  @Property(tries = 20)
  void windowsOfTwoProcesses_sumUpToTheRun_howeverLateEachReadItsRecords(
      @ForAll long seed,
      @ForAll @IntRange(max = 1500) int readByTheFirst,
      @ForAll @IntRange(min = 1, max = 9000) int firstCommitMs,
      @ForAll @IntRange(min = 1, max = 9000) int secondCommitMs) {
    var log = SyntheticRun.of(SyntheticRun.experiment(60, 1, 8, 2, Map.of()), seed).entries();
    List<MetricsWindow> windows = new ArrayList<>();
    var first = new LiveFold();
    SyntheticRun.interleavedBehindFacts(log, firstCommitMs).stream()
        .limit(readByTheFirst)
        .forEach(
            entry -> {
              SyntheticRun.apply(first, entry, 0);
              windows.addAll(first.closeWindows(Long.MAX_VALUE));
            });
    var written = new WindowSums();
    windows.forEach(written::add);
    var second = new LiveFold(written);
    for (SyntheticRun.Entry entry : SyntheticRun.interleavedBehindFacts(log, secondCommitMs)) {
      SyntheticRun.apply(second, entry, 0);
      windows.addAll(second.closeWindows(Long.MAX_VALUE));
    }
    for (int i = 0; i < windows.size(); i++) {
      assertThat(windows.get(i).fromNs()).isEqualTo(i * NS);
    }
    var sums = new WindowSums();
    windows.forEach(sums::add);
    Map<String, WindowSums.JobSum> own = second.snapshot().byClass();
    assertThat(own).isNotEmpty();
    own.forEach(
        (name, jobs) -> {
          WindowSums.JobSum told = sums.snapshot().byClass().get(name);
          assertThat(told).usingRecursiveComparison().ignoringFields("waiting").isEqualTo(jobs);
        });
    long batches = log.stream().filter(e -> e.event() instanceof BatchCompleted).count();
    assertThat(windows.stream().mapToLong(w -> w.predictions().batches()).sum())
        .isBetween(batches - 2, batches);
    assertThat(sums.snapshot().tokensInUse()).isZero();
  }

  @Test
  void saysWhatHappenedInEachSecond() {
    var fold = new LiveFold();
    RunReportTest.log().forEach(entry -> SyntheticRun.apply(fold, entry, 0));
    List<MetricsWindow> windows = fold.closeWindows(Long.MAX_VALUE);
    assertThat(windows).extracting(MetricsWindow::toNs).containsExactly(NS, 2 * NS, 3 * NS, 4 * NS);
    assertThat(windows.get(1).total())
        .as("a and b done, c dropped")
        .isEqualTo(
            new MetricsWindow.Counts(3, 2, 1, 0, 1, 2, 357.0, null, null, 0L, histogram(104, 357)));
    assertThat(windows.get(1).byClass())
        .isEqualTo(
            Map.of(
                "interactive",
                new MetricsWindow.Counts(1, 1, 0, 0, 0, 1, 104.0, 104.0, 104.0, 0L, histogram(104)),
                "batch",
                new MetricsWindow.Counts(2, 1, 1, 0, 1, 1, 357.0, null, null, 0L, histogram(357))));
    assertThat(windows).extracting(MetricsWindow::laneUse).containsExactly(0.1, 0.4, 0.093, 0.307);
    assertThat(windows)
        .extracting(MetricsWindow::sendLatenessMsMax)
        .containsExactly(0.0, 1.0, 4.0, 0.0);
    assertThat(windows)
        .extracting(MetricsWindow::predictions)
        .extracting(MetricsWindow.Predictions::batches)
        .containsExactly(1L, 2L, 0L, 2L);
    assertThat(windows).extracting(MetricsWindow::tokens).containsOnly(1000L);
    assertThat(windows).extracting(MetricsWindow::running).containsExactly(0L, 0L, 1L, 0L);
    assertThat(windows).extracting(MetricsWindow::lanes).containsOnly(1);
    assertThat(windows.get(2).total())
        .isEqualTo(new MetricsWindow.Counts(1, 0, 0, 0, 0, 0, null, null, null, 0L, histogram()));
  }

  @Test
  void goesOnWithTheNextSecond_whenTheBrokersClockIsSetBack() {
    var fold = new LiveFold();
    fold.onFact(started(20 * NS), 0, SyntheticRun.ZERO_EPOCH_MS);
    fold.onFact(new Ticked(), 0, SyntheticRun.ZERO_EPOCH_MS + 5_000);
    assertThat(fold.closeWindows(Long.MAX_VALUE)).hasSize(2);
    List<SyntheticRun.Entry> job = new ArrayList<>();
    RunReportTest.job(job, "x", 0, "batch", "vit_tiny", 1, 1000, 1000, 1_000);
    job.forEach(entry -> SyntheticRun.apply(fold, entry, 0));
    fold.onFact(new Ticked(), 0, SyntheticRun.ZERO_EPOCH_MS + 1_100);
    assertThat(fold.closeWindows(Long.MAX_VALUE)).isEmpty();
    fold.onFact(new Ticked(), 0, SyntheticRun.ZERO_EPOCH_MS + 6_000);
    List<MetricsWindow> windows = fold.closeWindows(Long.MAX_VALUE);
    assertThat(windows).extracting(MetricsWindow::fromNs).containsExactly(2 * NS);
    assertThat(windows.get(0).total().requested()).isEqualTo(1);
  }

  @Test
  void addsABlockedTimeThatComesLate_toTheFirstOpenSecond() {
    var fold = new LiveFold();
    fold.onRunRecord(started(20 * NS), 0);
    fold.onFact(started(20 * NS), 0, SyntheticRun.ZERO_EPOCH_MS);
    fold.onOutcome(new Blocked(900_000_000, 2_300_000_000L, Blocked.Cause.TOKENS), 0, 0);
    fold.onFact(new Ticked(), 0, SyntheticRun.ZERO_EPOCH_MS + 5_000);
    List<MetricsWindow> windows = new ArrayList<>(fold.closeWindows(Long.MAX_VALUE));
    fold.onOutcome(new Blocked(500_000_000, 3_400_000_000L, Blocked.Cause.POLICY), 0, 0);
    fold.onFact(new Ticked(), 0, SyntheticRun.ZERO_EPOCH_MS + 7_000);
    windows.addAll(fold.closeWindows(Long.MAX_VALUE));
    assertThat(windows)
        .extracting(MetricsWindow::blockedNs)
        .containsExactly(
            Map.of("tokens", 100_000_000L),
            Map.of("tokens", NS),
            Map.of("tokens", 300_000_000L, "policy", 2_500_000_000L),
            Map.of("policy", 400_000_000L));
    assertThat(fold.snapshot().blockedNs())
        .isEqualTo(Map.of("tokens", 1_400_000_000L, "policy", 2_900_000_000L));
  }

  @Test
  void closesASecondThreeSecondsAfterItsEnd_andNothingThatHasNotBeenRead() {
    var fold = new LiveFold();
    RunReportTest.log().stream()
        .filter(entry -> entry.topic().equals("facts"))
        .forEach(entry -> SyntheticRun.apply(fold, entry, 0));
    assertThat(fold.closeWindows(Long.MAX_VALUE)).isEmpty();
    fold.onFact(new Ticked(), 0, SyntheticRun.ZERO_EPOCH_MS + 3_999);
    assertThat(fold.closeWindows(Long.MAX_VALUE)).isEmpty();
    fold.onFact(new Ticked(), 0, SyntheticRun.ZERO_EPOCH_MS + 4_000);
    assertThat(fold.closeWindows(SyntheticRun.ZERO_EPOCH_MS + 3_999)).isEmpty();
    assertThat(fold.closeWindows(Long.MAX_VALUE)).hasSize(1);
  }

  @Test
  void takesACompletionThatCanBeReadBeforeItsDispatch() {
    var fold = new LiveFold();
    var log = new ArrayList<>(RunReportTest.log());
    log.removeIf(entry -> entry.topic().equals("dispatches"));
    var dispatches = new ArrayList<>(RunReportTest.log());
    dispatches.removeIf(entry -> !entry.topic().equals("dispatches"));
    for (SyntheticRun.Entry entry : log) {
      if (entry.event() instanceof JobEnded && !dispatches.isEmpty()) {
        dispatches.forEach(d -> SyntheticRun.apply(fold, d, 0));
        dispatches.clear();
      }
      SyntheticRun.apply(fold, entry, 0);
    }
    assertThat(fold.remembered()).isZero();
    assertThat(fold.closeWindows(Long.MAX_VALUE)).isNotEmpty();
    assertThat(fold.snapshot().total().done()).isEqualTo(5);
  }

  @Test
  void endsARunThatNobodyEnds_wellAfterTheLastPossibleArrival() {
    var fold = new LiveFold();
    fold.onFact(started(20 * NS), 0, SyntheticRun.ZERO_EPOCH_MS - 90);
    for (SyntheticRun.Entry entry : RunReportTest.log()) {
      if (!(entry.topic().equals("runs")
          || entry.event() instanceof RunStarted
          || entry.event() instanceof ArrivalsEnded)) {
        SyntheticRun.apply(fold, entry, 0);
      }
    }
    fold.onFact(new Ticked(), 0, SyntheticRun.ZERO_EPOCH_MS + 34_999);
    assertThat(fold.endIfAbandoned()).isNull();
    fold.onFact(new Ticked(), 0, SyntheticRun.ZERO_EPOCH_MS + 35_000);
    assertThat(fold.endIfAbandoned())
        .isEqualTo(new RunEnded("run-1", 6, false, false, 35 * NS, null, null));
    List<SyntheticRun.Entry> late = new ArrayList<>();
    RunReportTest.job(late, "x", 9, "batch", "vit_tiny", 1, 3200, 3200, 35_001);
    late.forEach(entry -> SyntheticRun.apply(fold, entry, 0));
    assertThat(fold.endIfAbandoned()).as("a job has no outcome").isNull();
  }

  @Test
  void endsARunThatNobodyEnds_soonerWhereAllArrivalsWereAnnounced() {
    var fold = new LiveFold();
    RunReportTest.log().stream()
        .filter(entry -> !(entry.event() instanceof RunEnded))
        .forEach(entry -> SyntheticRun.apply(fold, entry, 0));
    fold.onFact(new Ticked(), 0, SyntheticRun.ZERO_EPOCH_MS + 18_310);
    assertThat(fold.endIfAbandoned()).isNull();
    fold.onFact(new Ticked(), 0, SyntheticRun.ZERO_EPOCH_MS + 18_311);
    assertThat(fold.endIfAbandoned()).isNotNull();
    assertThat(fold.isComplete()).isFalse();
  }

  @Test
  void endsARunEarly_atItsLogTime_once() {
    var fold = new LiveFold();
    assertThat(fold.endEarly("lost", 6)).as("it has not begun").isNull();
    for (int copy = 0; copy < 2; copy++) { // facts come at least once
      RunReportTest.log().stream()
          .filter(entry -> !(entry.event() instanceof RunEnded))
          .forEach(entry -> SyntheticRun.apply(fold, entry, 0));
    }
    var end = new RunEnded("run-1", 6, false, false, fold.logTimeNs(), "lost", null);
    assertThat(fold.logTimeNs()).isPositive();
    assertThat(fold.endEarly("lost", 6)).isEqualTo(end);
    fold.onRunRecord(end, 0);
    assertThat(fold.endEarly("again", 6)).as("it has an end").isNull();
  }

  @Test
  void isCompleteAtOnce_whenTheRunWasGivenUp() {
    var fold = new LiveFold();
    fold.onRunRecord(new RunEnded("run-1", 6, false, false, 1, "no lane came back", null), 0);
    assertThat(fold.isComplete()).isTrue();
  }

  private static LatencyHistogram histogram(long... ms) {
    return LatencyHistogram.of(Arrays.stream(ms).map(time -> time * 1_000_000).toArray());
  }

  private static RunStarted started(long arrivalsEndAtNsMax) {
    return new RunStarted(
        "run-1", SyntheticRun.ZERO_EPOCH_MS, 42, "c0ffee", "feed", 1, 1, arrivalsEndAtNsMax);
  }

  private static long sum(List<MetricsWindow> windows, ToLongFunction<MetricsWindow.Counts> count) {
    return windows.stream().mapToLong(w -> count.applyAsLong(w.total())).sum();
  }
}
