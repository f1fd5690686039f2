package dev.sluice.harness.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Decision;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.BatchDispatched.Place;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobEnded.Status;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import dev.sluice.scheduling.simulation.Gpus.GpuModel;
import dev.sluice.scheduling.simulation.GraphSchedule.Attempts;
import dev.sluice.scheduling.simulation.NodeExecution;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The outcomes of requests, from events that come twice, late, or not at all. */
final class WorkflowOutcomesTest {
  private static final GpuModel SMALL = new GpuModel("small", 1, 1, 0, 0);
  private static final GpuModel PAIR = new GpuModel("pair", 1, 2, 0, 0);

  private final WorkflowOutcomes outcomes =
      new WorkflowOutcomes(List.of(chain("r1", 5), chain("r2", 6)));

  private static WorkflowRequested chain(String id, long arrivedAtNs) {
    return new WorkflowRequested(
        id,
        0,
        0,
        "chain",
        "batch",
        null,
        arrivedAtNs,
        0,
        List.of(node("a", SMALL), node("b", PAIR, 0)));
  }

  private static WorkflowRequested.Node node(String id, GpuModel model, Integer... inputs) {
    return new WorkflowRequested.Node(
        id, model.id(), "onnx", "fp32", 1, model.gpus(), 1, List.of(inputs));
  }

  private void dispatched(int id, GpuModel model, String job, Integer... lanes) {
    dispatched(id, model, List.of(job), List.of(lanes));
  }

  private void dispatched(int id, GpuModel model, List<String> jobs, List<Integer> lanes) {
    outcomes.onDispatch(
        new BatchDispatched(
            new DispatchId(id, 0),
            new Place("gpus", 1, lanes),
            Work.firstAttempt(
                new ModelKey(model.id(), "onnx", "fp32"),
                jobs.stream().map(job -> new DispatchedJob(job, 1)).toList(),
                0),
            Decision.at(0),
            Prediction.ofMean(0, "warm_up", 1)),
        0,
        0);
  }

  private void ran(int id, long startedAtNs, long serviceNs, long switchNs) {
    outcomes.onFact(
        new BatchCompleted(
            new DispatchId(id, 0),
            "gpus",
            1,
            0,
            startedAtNs,
            startedAtNs + serviceNs,
            serviceNs,
            switchNs,
            BatchCompleted.Result.DONE,
            null,
            List.of(),
            null,
            1),
        0,
        0);
  }

  private void ended(String job, Status status, Integer dispatch, String reason) {
    outcomes.onOutcome(
        new JobEnded(
            job, status, reason, dispatch == null ? null : new DispatchId(dispatch, 0), 1, 0),
        0,
        0);
  }

  @Test
  void aNodeIsReady_whenItsRequestHasCome_andItsInputsHaveEnded() {
    dispatched(1, SMALL, "r1/a", 1);
    ran(1, 20, 10, 4);
    ended("r1/a", Status.DONE, 1, null);
    dispatched(2, PAIR, "r1/b", 0, 1);
    ran(2, 50, 10, 7);
    ran(2, 90, 10, 7); // the completion comes twice
    ended("r1/b", Status.DONE, 2, null);
    assertThat(outcomes.isWhole()).isTrue();
    assertThat(outcomes.executions())
        .containsExactly(
            new NodeExecution(0, 0, 1, 1, 5, 4, false, 20, 10, 0),
            new NodeExecution(0, 1, 0, 2, 30, 7, true, 50, 10, 1));
    assertThat(outcomes.unfinished())
        .extracting(
            of ->
                of.request().requestId() + " " + of.sent() + " " + of.failed() + " " + of.reason())
        .containsExactly("r2 false false the run was ended before it was sent");
  }

  @Test
  void nodesOfOneBatch_haveItsTimes_andTheFirstItsSwitch() {
    dispatched(1, SMALL, List.of("r2/a", "r1/a"), List.of(0));
    ran(1, 20, 10, 4);
    ended("r1/a", Status.DONE, 1, null);
    ended("r2/a", Status.DONE, 1, null);
    assertThat(outcomes.executions())
        .containsExactly(
            new NodeExecution(1, 0, 0, 1, 6, 4, false, 20, 10, 0),
            new NodeExecution(0, 0, 0, 1, 5, 0, false, 20, 10, 0));
  }

  @Test
  void whatWasNotDone_isNamedWithItsFirstReason() {
    dispatched(1, SMALL, "r1/a", 0);
    ran(1, 20, 10, 4);
    ended("r1/a", Status.FAILED, 1, "no memory");
    ended("r1/b", Status.DROPPED, null, "input_not_done");
    ended("r2/a", Status.DROPPED, null, "run_ended");
    ended("r2/b", Status.DROPPED, null, "input_not_done");
    assertThat(outcomes.executions()).isEmpty();
    assertThat(outcomes.attemptsNotDone()).isEqualTo(new Attempts(1, 14));
    assertThat(outcomes.unfinished())
        .extracting(
            of ->
                of.request().requestId() + " " + of.sent() + " " + of.failed() + " " + of.reason())
        .containsExactly("r1 true true r1/a: no memory", "r2 true false r2/a: run_ended");
  }

  @Test
  void aDispatchThatIsNotKnownYet_isWaitedFor() {
    ran(1, 20, 10, 4);
    ended("r1/a", Status.DONE, 1, null);
    assertThat(outcomes.isWhole()).isFalse();
    dispatched(1, SMALL, "r1/a", 0);
    assertThat(outcomes.isWhole()).isTrue();
  }

  @Test
  void aJobOfNoRequest_isABug() {
    assertThatThrownBy(() -> ended("r9/a", Status.DONE, 1, null)).hasMessageContaining("r9/a");
  }
}
