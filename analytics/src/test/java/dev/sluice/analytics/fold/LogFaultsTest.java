package dev.sluice.analytics.fold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.report.RunReport;
import dev.sluice.analytics.report.RunReportTest;
import dev.sluice.analytics.report.SummaryTable;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.row.Verdict;
import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Decision;
import dev.sluice.contract.event.BatchDispatched.Place;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.RoleJoined;
import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.event.RoleLeft;
import dev.sluice.contract.event.ShardTaken;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.value.DispatchId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Each disturbance of a run is found in its log alone, and nothing that is normal is called one.
 */
final class LogFaultsTest {
  private static final RunContext CONTEXT =
      SyntheticRun.context(SyntheticRun.experiment(2.5, 1, 3, 1, Map.of()));

  @Test
  void findsNothing_inARunWhoseRolesJoinedBefore_andLeftAfterwards() {
    var log = log();
    add(log, "runs", new RoleJoined(Role.SCHEDULE, "schedule-1", "c0ffee", null), -300);
    add(log, "runs", new ShardTaken(0, "schedule-1", null), -250);
    add(log, "runs", new ShardTaken(0, "schedule-2", null), -200);
    add(log, "runs", new RoleLeft(Role.EXECUTE, "execute-9"), -200);
    add(log, "facts", SyntheticRun.report("local", 1, 1, true), 3500);
    add(log, "runs", new RoleLeft(Role.SCHEDULE, "schedule-1"), 3600);
    assertThat(faults(log)).isEmpty();
  }

  @Test
  void namesWhoJoinedLeftAndTookOver() {
    var log = log();
    add(log, "runs", new ShardTaken(0, "schedule-a-1-5", "t"), -200);
    add(log, "runs", new RoleJoined(Role.SCHEDULE, "schedule-a-2-6", "c0ffee", null), 900);
    add(log, "runs", new ShardTaken(0, "schedule-a-2-6", "t"), 1234);
    add(log, "runs", new RoleLeft(Role.ANALYZE, "here"), 1250);
    assertThat(faults(log))
        .containsExactly(
            "schedule-a-2-6 joined 0.9 s into the run",
            "schedule-a-2-6 took over shard 0 1.2 s into the run",
            "analyze here left 1.3 s into the run");
  }

  @Test
  void showsTheFirstOfManyOfAKind_andCountsTheRest() {
    var log = log();
    for (int i = 0; i < 100; i++) {
      add(log, "runs", new ShardTaken(0, "s" + i, null), 1000 + i);
    }
    assertThat(faults(log))
        .containsExactly(
            "s0 took shard 0 1.0 s into the run",
            "s1 took over shard 0 1.0 s into the run",
            "s2 took over shard 0 1.0 s into the run",
            "and 97 more of the kind before");
  }

  @Test
  void namesAnExecutorsRestart_andWhatWasLostWithIt() {
    List<SyntheticRun.Entry> log = retried(null);
    add(log, "facts", SyntheticRun.report("local", 2, 1, false), 1300);
    log.removeIf(
        e -> e.event() instanceof ExecutorReported r && r.incarnation() == 1 && after(e, 1300));
    log =
        new ArrayList<>(SyntheticRun.merged(log, SyntheticRun.heartbeats("local", 2, 1400, 3300)));
    assertThat(faults(log))
        .containsExactly(
            "local was lost and restarted 1.3 s into the run (1 batch lost)",
            "1 batch was lost, 1 never answered, whose busy time is not in lane_use",
            "1 batch was tried again");
    Summary summary = summary(log);
    assertThat(summary.figure("attempts_lost")).isEqualTo(1);
    assertThat(summary.figure("attempts_unanswered")).isEqualTo(1);
    assertThat(summary.figure("superseded_completions")).isZero();
    assertThat(summary.figure("all_done")).isEqualTo(3);
    assertThat(summary.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(SummaryTable.render(summary, true))
        .contains("attempts       1 lost, of these 1 never answered; 0 completions superseded");
  }

  @Test
  void callsAnAttemptLost_thatIsAnsweredWhenAnotherHasEndedItsJob() {
    List<SyntheticRun.Entry> log = retried(1800L);
    assertThat(faults(log))
        .containsExactly(
            "1 batch was lost",
            "1 batch was tried again",
            "1 completion came after another attempt had ended the jobs");
    RunRows rows = SyntheticRun.fold(log).rows(CONTEXT);
    assertThat(rows.batches().all().stream().map(b -> b.id().factOffset() + b.result()))
        .contains("7lost", "8done");
    assertThat(summary(log).figure("superseded_completions")).isEqualTo(1);
    assertThat(summary(log).figure("lane_use"))
        .as("both attempts kept the lane busy")
        .isEqualTo((100 + 300 + 300 + 93) / 2000.0);
  }

  @Test
  void countsJobsThatFailedWithTheirLane() {
    var log = log();
    log.removeIf(
        e ->
            isOf(e, "b") && (e.event() instanceof JobEnded || e.event() instanceof BatchCompleted));
    add(
        log,
        "outcomes",
        new JobEnded(
            "b", JobEnded.Status.FAILED, "lane_lost", new DispatchId(7, 0), 3, 1_500_000_000),
        1502);
    assertThat(faults(log))
        .containsExactly(
            "1 failed jobs",
            "1 batch was lost, 1 never answered, whose busy time is not in lane_use",
            "1 job failed as lane_lost");
  }

  @Test
  void namesALogThatStoodStill_fromOneSecondOn() {
    assertThat(faults(silentUntil(2408)))
        .as("the log went on in time, though not with reports")
        .containsExactly("local did not report for 1.2 s from 1.4 s on");
    assertThat(faults(silentUntil(2409)))
        .containsExactly(
            "nothing was appended to shard 0 for 1.0 s from 1.4 s on:"
                + " the broker or the whole run stood still");
  }

  @Test
  void namesAnExecutorThatDidNotReport_whileTheLogWentOn() {
    var log = log();
    log.removeIf(e -> e.event() instanceof ExecutorReported && after(e, 500) && !after(e, 2500));
    assertThat(faults(log)).containsExactly("local did not report for 2.2 s from 0.4 s on");
    log.removeIf(e -> e.event() instanceof ExecutorReported && after(e, 500));
    assertThat(faults(log)).containsExactly("local did not report for 2.9 s from 0.4 s on");
  }

  @Test
  void namesASchedulerThatStoodStill_once() {
    var log = log();
    for (int i = 0; i < log.size(); i++) {
      SyntheticRun.Entry entry = log.get(i);
      if (entry.event() instanceof JobEnded end && List.of("a", "c").contains(end.jobId())) {
        log.set(
            i,
            new SyntheticRun.Entry(
                end,
                entry.topic(),
                entry.appendedAtEpochMs() + (end.jobId().equals("a") ? 1200 : 1300)));
      }
    }
    assertThat(faults(log))
        .containsExactly(
            "the scheduler of shard 0 decided up to 1.3 s late for 1.3 s, from 1.1 s on (2"
                + " decisions)");
  }

  @Test
  void namesJobsThatWereNeverSent_orLongAfterTheirTime() {
    var log = log();
    log.removeIf(e -> isOf(e, "b") || isOf(e, "c"));
    log.replaceAll(
        e ->
            e.event() instanceof ArrivalsEnded
                ? new SyntheticRun.Entry(
                    ArrivalsEnded.punctual(0, 4), e.topic(), e.appendedAtEpochMs())
                : e);
    assertThat(summary(log).notComparableReasons())
        .contains("2 jobs meant for 1.0 s to 2.9 s were never sent");
    log.removeIf(e -> e.event() instanceof ArrivalsEnded);
    assertThat(summary(log).notComparableReasons())
        .contains("generator 0 never said that it had sent all: jobs may be missing");

    var late = log();
    RunReportTest.job(late, "x", 6, "batch", "vit_tiny", 1, 500, 3200, 3201);
    RunReportTest.ended(late, "x", JobEnded.Status.DROPPED, "expired", null, 0, 3202);
    assertThat(faults(late)).containsExactly("1 job was sent more than 1.0 s late, up to 2.7 s");
  }

  @Test
  void isSilentOnJobsOfTheTailThatTheGeneratorsLeftOut() {
    var log = log();
    RunReportTest.job(log, "x", 9, "batch", "vit_tiny", 1, 3250, 3250, 3251);
    RunReportTest.ended(log, "x", JobEnded.Status.DROPPED, "run_ended", null, 0, 3320);
    assertThat(faults(log)).isEmpty();
  }

  @Test
  void sumsBlockedTimeByCause_insideTheMeasuredWindow() {
    var log = log();
    add(log, "outcomes", new Blocked(900_000_000, 1_010_000_000, "tokens"), 1010);
    add(log, "outcomes", new Blocked(2_990_000_000L, 3_100_000_000L, "tokens"), 3100);
    add(log, "outcomes", new Blocked(1_500_000_000, 1_505_000_000, "window"), 1505);
    Summary summary = summary(log);
    assertThat(summary.figure("blocked_ms_tokens")).isEqualTo(20);
    assertThat(summary.figure("blocked_ms_window")).isEqualTo(5);
    assertThat(summary.figure("blocked_ms_capability")).isZero();
    assertThat(summary.notComparableReasons()).isEmpty();
    assertThat(SummaryTable.render(summary, true))
        .contains("blocked        tokens 20.0 ms, window 5.00 ms (");
  }

  /**
   * The hand-made run with b's batch lost and tried again 1.6 s to 1.9 s.
   *
   * @param lateAtMs when the first attempt is answered after all; null: never
   */
  private static List<SyntheticRun.Entry> retried(@Nullable Long lateAtMs) {
    var log = log();
    var first = new ArrayList<SyntheticRun.Entry>();
    for (SyntheticRun.Entry entry : log) {
      if (isOf(entry, "b") && !(entry.event() instanceof JobRequested)) {
        first.add(entry);
      }
    }
    log.removeAll(first);
    var dispatch = (BatchDispatched) first.get(0).event();
    var completion = (BatchCompleted) first.get(1).event();
    add(log, "dispatches", dispatch, 1105);
    add(log, "dispatches", again(dispatch), 1600);
    add(log, "facts", moved(completion, new DispatchId(8, 0), 1602), 1903);
    add(log, "outcomes", JobEnded.done("b", new DispatchId(8, 0), 2, 1_903_000_000L), 1905);
    if (lateAtMs != null) {
      add(log, "facts", moved(completion, dispatch.dispatchId(), 1107), 1950);
    }
    return new ArrayList<>(SyntheticRun.merged(log, List.of()));
  }

  private static BatchDispatched again(BatchDispatched first) {
    Work work = first.work();
    return new BatchDispatched(
        new DispatchId(8, 0),
        new Place(
            first.place().executorId(), first.place().incarnation() + 1, first.place().lanes()),
        new Work(work.model(), work.jobs(), work.samples(), work.tokens(), 2),
        new Decision(1_600_000_000, null, first.decision().scoreTerms(), null, null),
        first.prediction());
  }

  private static BatchCompleted moved(BatchCompleted done, DispatchId id, long startMs) {
    return new BatchCompleted(
        id,
        done.executorId(),
        done.incarnation(),
        done.lane(),
        startMs * 1_000_000,
        startMs * 1_000_000 + done.serviceNs(),
        done.serviceNs(),
        0,
        done.result(),
        null,
        List.of(),
        null,
        done.busyLanes());
  }

  private static boolean isOf(SyntheticRun.Entry entry, String job) {
    Event event = entry.event();
    return (event instanceof JobRequested r && r.jobId().equals(job))
        || (event instanceof JobEnded e && e.jobId().equals(job))
        || (event instanceof BatchDispatched d && d.work().jobs().get(0).jobId().equals(job))
        || (event instanceof BatchCompleted c
            && job.equals("b")
            && c.dispatchId().equals(new DispatchId(7, 0)));
  }

  /** Nothing from the completion at 1408 ms to a tick. */
  private static List<SyntheticRun.Entry> silentUntil(long ms) {
    var log = log();
    log.removeIf(
        e ->
            (e.event() instanceof ExecutorReported || e.event() instanceof Ticked)
                && after(e, 1408)
                && !after(e, ms));
    add(log, "facts", new Ticked(), ms);
    return log;
  }

  private static boolean after(SyntheticRun.Entry entry, long ms) {
    return entry.appendedAtEpochMs() > SyntheticRun.ZERO_EPOCH_MS + ms;
  }

  private static List<SyntheticRun.Entry> log() {
    return new ArrayList<>(RunReportTest.log());
  }

  private static void add(List<SyntheticRun.Entry> log, String topic, Event event, long atMs) {
    RunReportTest.add(log, topic, event, atMs);
  }

  private static List<String> faults(List<SyntheticRun.Entry> log) {
    return SyntheticRun.fold(SyntheticRun.merged(log, List.of())).rows(CONTEXT).log().faults();
  }

  private static Summary summary(List<SyntheticRun.Entry> log) {
    return RunReport.of(SyntheticRun.fold(SyntheticRun.merged(log, List.of())), CONTEXT).summary();
  }
}
