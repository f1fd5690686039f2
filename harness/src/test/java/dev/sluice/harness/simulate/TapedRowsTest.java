package dev.sluice.harness.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.fold.RunContext;
import dev.sluice.analytics.fold.RunFold;
import dev.sluice.analytics.folder.FolderFiles;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.harness.frame.Environment;
import dev.sluice.harness.frame.Registries;
import dev.sluice.producer.requests.JobKind;
import dev.sluice.producer.requests.RequestList;
import dev.sluice.scheduler.translation.SimulatedLog;
import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.DispatchName;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.fact.Prediction;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.simulation.SimulationListener;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of what seldom happens in a simulation: by blocks of numbers as by records of a log. */
final class TapedRowsTest {
  private static final DispatchName FIRST = new DispatchName(7, 0);
  private static final DispatchName SECOND = new DispatchName(8, 1);

  @TempDir private Path folder;

  /**
   * The job of a batch that is given up ends before its batch does, and after another one's end.
   */
  @Test
  void areThoseOfTheLog_whenABatchWasGivenUp_andOneRefused() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("e.yaml"),
            """
            run_name: seldom
            duration_seconds: 1
            arrival_rate_jobs_per_sec: 50
            workloads: [{name: one, tokens: 1, alpha_ms: 2, beta_ms: 0}]
            backends_enabled: [onnx]
            lanes: {kind: emulated, num_lanes: 2}
            simulation: {hops: none}
            """);
    var experiment =
        SimulatedExperiment.of(ExperimentFile.read(file, List.of(), Registries.vocabulary()), null);
    RequestList requests = experiment.requests();
    var byRecords = new RunFold();
    var log = log(experiment, byRecords);
    tell(log, requests);
    var byBlocks = new RunFold();
    var rows =
        new TapedRows(
            byBlocks, experiment.parsed().experiment(), requests, log(experiment, byBlocks));
    var tape = new RowTape(1, 2, rows);
    tell(tape, requests);
    tape.end();

    List<String> tables = tables(experiment, byBlocks, "blocks");
    assertThat(tables).isEqualTo(tables(experiment, byRecords, "records"));
    assertThat(tables.get(0)).contains("lane_lost").contains("run_ended");
    assertThat(tables.get(1)).contains("refused").contains("a=-1.5;b=2").contains("m-1");
  }

  private List<String> tables(SimulatedExperiment experiment, RunFold fold, String name)
      throws Exception {
    Path own = Files.createDirectories(folder.resolve(name));
    Environment environment = experiment.environment();
    fold.onRunRecord(experiment.started("run"), SimulatedLog.TIME_ZERO_EPOCH_MS);
    var context =
        new RunContext(
            experiment.parsed().experiment(),
            "run",
            environment.notes(),
            environment.versions(),
            /* begunAtEpochMs= */ null,
            /* simulated= */ true,
            environment.origin());
    RunReport.of(fold, context).writeRows(own);
    return List.of(
        Files.readString(own.resolve(FolderFiles.TRACE)),
        Files.readString(own.resolve(FolderFiles.DISPATCHES)));
  }

  private static void tell(SimulationListener to, RequestList requests) {
    JobSpec lost = job(requests, 0);
    JobSpec other = job(requests, 1);
    to.requested(0, 0, lost, 1);
    to.started(0, 1_000_000, dispatch(FIRST, 0, lost, null, Map.of()));
    to.requested(0, 2_000_000, other, 2);
    to.started(0, 2_000_000, dispatch(SECOND, 1, other, "m-1", Map.of("b", 2.0, "a", -1.5)));
    to.completed(
        0,
        3_000_000,
        completed(SECOND, 1, CoreFact.Result.REFUSED, "busy", 0),
        new SimulationListener.Ran(0, 0, 0, 0));
    to.ended(
        0, 4_000_000, new JobEnd(other.name(), JobEnd.Status.DROPPED, "run_ended", null, 1, 4));
    to.ended(0, 5_000_000, new JobEnd(lost.name(), JobEnd.Status.FAILED, "lane_lost", FIRST, 1, 5));
    to.completed(
        0,
        6_000_000,
        completed(FIRST, 0, CoreFact.Result.DONE, null, 12),
        new SimulationListener.Ran(1_000_000, 1_000_012, 12, 2));
  }

  private static JobSpec job(RequestList requests, int index) {
    JobKind kind = requests.kinds().get(requests.kindNumber(index));
    return new JobSpec(
        null,
        0,
        index,
        kind.classType(),
        kind.workload(),
        kind.backend(),
        kind.precision(),
        kind.samples(),
        1,
        kind.sloNs(),
        requests.intendedAtNs(index));
  }

  private static Dispatch dispatch(
      DispatchName name,
      int lane,
      JobSpec job,
      @Nullable String version,
      Map<String, Double> terms) {
    return new Dispatch(
        name,
        new Dispatch.Place("executor-0", 1, List.of(lane)),
        new Dispatch.Work(List.of(job), job.samples(), 3, 1),
        new Dispatch.Decision(1_000_000, Long.MAX_VALUE, terms),
        new Prediction(
            9,
            version == null ? Prediction.Source.WARM_UP : Prediction.Source.PUBLISHED,
            2,
            version,
            null,
            version == null ? null : 11L,
            null));
  }

  private static CoreFact.BatchCompleted completed(
      DispatchName name, int lane, CoreFact.Result result, @Nullable String cause, long serviceNs) {
    return new CoreFact.BatchCompleted(name, "executor-0", 1, lane, result, cause, serviceNs);
  }

  private static SimulatedLog log(SimulatedExperiment experiment, RunFold fold) {
    return new SimulatedLog(experiment.started("run"), true, SimulatedExperiment.into(fold));
  }
}
