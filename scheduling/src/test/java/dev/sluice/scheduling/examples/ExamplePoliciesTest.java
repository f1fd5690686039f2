package dev.sluice.scheduling.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.scheduling.gates.Cell;
import dev.sluice.scheduling.gates.Cell.Run;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Policies of the document, each in a small simulation of one lane. */
final class ExamplePoliciesTest {
  private static final long MS = 1_000_000;

  private static List<JobRequested> jobs(JobRequested... jobs) {
    return List.of(jobs);
  }

  private static List<Integer> sizes(Run run) {
    return run.dispatches.stream().map(BatchDispatched::samples).toList();
  }

  @Test
  void dropLate_dropsWhatCannotBeInTime() {
    List<JobRequested> jobs =
        jobs(
            Cell.job(0, "model", 1, 10, 0),
            Cell.job(1, "model", 1, 15, 0),
            Cell.job(2, "model", 1, 30, 0));
    Run run = Cell.of("model", samples -> 10, 1).run(DropLate::new, jobs);

    assertThat(run.ends.get("job-1").reason()).isEqualTo("policy: late");
    assertThat(run.ends.get("job-1").endedAtNs()).isEqualTo(10 * MS);
    assertThat(run.isGood(jobs.get(0))).isTrue();
    assertThat(run.finishedMs(2)).isEqualTo(20);
  }

  @Test
  void takeTurns_runsModelsInTurn() {
    Cell cell = Cell.of("first", samples -> 10, 1).and("second", samples -> 10).samplesMax(1);
    List<JobRequested> jobs =
        IntStream.range(0, 6)
            .mapToObj(
                i -> Cell.job(i, i == 1 ? "bulk" : "class", i < 4 ? "first" : "second", 1, 1000, 0))
            .toList();
    Run run = cell.run(TakeTurns::new, jobs);

    assertThat(run.dispatches)
        .extracting(dispatch -> dispatch.jobs().get(0).jobId())
        .containsExactly("job-0", "job-4", "job-1", "job-5", "job-2", "job-3");
  }

  @Test
  void halfOfThePromise_startsNoLargerBatch() {
    List<JobRequested> jobs =
        IntStream.range(0, 24).mapToObj(i -> Cell.job(i, "model", 1, 20, 0)).toList();
    Run run = Cell.of("model", samples -> samples, 1).run(HalfOfThePromise::new, jobs);

    assertThat(sizes(run)).containsExactly(1, 10, 10, 3);
  }

  @Test
  void gatherFourMs_startsAfterItsWindow_orFull() {
    List<JobRequested> jobs =
        IntStream.range(0, 4).mapToObj(i -> Cell.job(i, "model", 1, 100, i)).toList();
    Run run = Cell.of("model", samples -> 10, 1).run(GatherFourMs::new, jobs);
    assertThat(sizes(run)).containsExactly(4);
    assertThat(run.dispatches.get(0).decidedAtNs()).isEqualTo(4 * MS);

    Run full = Cell.of("model", samples -> 10, 1).samplesMax(3).run(GatherFourMs::new, jobs);
    assertThat(sizes(full)).containsExactly(3, 1);
    assertThat(full.dispatches.get(0).decidedAtNs()).isEqualTo(2 * MS);
  }

  @Test
  void makeWay_givesTheLaneToAnInteractiveJob() {
    List<JobRequested> jobs =
        jobs(
            Cell.job(0, "bulk", "model", 1, 1000, 0),
            Cell.job(1, "bulk", "model", 1, 1000, 1),
            Cell.job(2, "class", "model", 1, 100, 10));
    Run run = Cell.of("model", samples -> 50, 1).run(MakeWay::new, jobs);

    assertThat(run.completions.get(0).result()).isEqualTo(BatchCompleted.Result.CANCELLED);
    assertThat(run.finishedMs(2)).isEqualTo(60);
    assertThat(run.finishedMs(0)).isEqualTo(110);
    assertThat(run.ends.values()).hasSize(3).allMatch(e -> e.status() == JobEnded.Status.DONE);
  }

  @Test
  void notBefore_takesTheLaneAndBeginsAtItsTime() {
    List<JobRequested> jobs =
        jobs(Cell.job(0, "model", 1, 1000, 0), Cell.job(1, "model", 1, 1000, 1));
    SchedulingPolicy held =
        new SchedulingPolicy() {
          @Override
          public Needs needs() {
            return Needs.of(JobOrder.ENTRY, Need.JOINING);
          }

          @Override
          public Choice choose(SchedulerState state) {
            SchedulerState.Group group = state.groups().get(0);
            SchedulerState.Lane lane = state.laneFor(group);
            return lane == null
                ? state.nothingStartable()
                : Choice.start(List.of(group.first(JobOrder.ENTRY)), state.lanesFrom(lane, group))
                    .notBefore(20 * MS);
          }
        };
    Run run = Cell.of("model", samples -> 10, 1).run(() -> held, jobs);

    assertThat(run.completions.get(0).startedAtNs()).isEqualTo(20 * MS);
    assertThat(run.finishedMs(0)).isEqualTo(30);
    assertThat(run.finishedMs(1)).isEqualTo(40);
  }

  @Test
  void loadAhead_loadsTheNextModelWhileABatchRuns() {
    Cell cell =
        Cell.of("first", samples -> 10, 1).and("second", samples -> 10).samplesMax(1).holding(2, 4);
    List<JobRequested> jobs =
        jobs(Cell.job(0, "first", 1, 1000, 0), Cell.job(1, "second", 1, 1000, 0));
    Run run = cell.run(LoadAhead::new, jobs);

    assertThat(run.loads).hasSize(2);
    assertThat(run.finishedMs(0)).isEqualTo(14);
    assertThat(run.finishedMs(1)).isEqualTo(24); // its load was hidden behind the first batch

    Run one = cell.holding(1, 4).run(LoadAhead::new, jobs);
    assertThat(one.finishedMs(0)).isEqualTo(14);
    assertThat(one.finishedMs(1)).isEqualTo(28);
    assertThat(one.loads.get(1).releases()).extracting(ModelKey::workload).containsExactly("first");
  }
}
