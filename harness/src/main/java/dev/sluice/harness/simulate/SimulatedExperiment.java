package dev.sluice.harness.simulate;

import dev.sluice.analytics.abort.AbortFold;
import dev.sluice.analytics.fold.RunContext;
import dev.sluice.analytics.fold.RunFold;
import dev.sluice.analytics.log.RunRecording;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.JobId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.executor.lane.Emulation;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.LatencyTable;
import dev.sluice.executor.latency.LatencyModel;
import dev.sluice.executor.latency.ModelFile;
import dev.sluice.executor.latency.PredictionTable;
import dev.sluice.executor.latency.ProfileRow;
import dev.sluice.harness.frame.Environment;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.role.Conclusion;
import dev.sluice.harness.role.Predictions;
import dev.sluice.producer.arrivals.RepeatSeeds;
import dev.sluice.producer.requests.OfferedRate;
import dev.sluice.producer.requests.RequestList;
import dev.sluice.scheduler.topology.ExperimentCore;
import dev.sluice.scheduling.simulation.Requests;
import dev.sluice.scheduling.simulation.Simulation;
import dev.sluice.scheduling.simulation.Simulation.SimulationEnd;
import dev.sluice.scheduling.simulation.SimulationSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * An experiment with all that its simulation uses in place of the machine. It can be simulated any
 * number of times, one after the other, each time with equal rows.
 *
 * @param capabilities capabilities that each lane reports
 * @param predictions table that executors publish when they join; null: none
 * @param requests requests that a live run would send
 * @param notes lines that every output shows first
 */
public record SimulatedExperiment(
    ParsedExperiment parsed,
    String deviceKind,
    List<Capability> capabilities,
    @Nullable PredictionsPublished predictions,
    SimulatedTimes times,
    HopsFile hops,
    RequestList requests,
    List<String> notes) {
  /** Device kind of an experiment's real lanes where no model names one. */
  private static final String REAL_KIND = "cpu";

  public SimulatedExperiment {
    capabilities = List.copyOf(capabilities);
    notes = List.copyOf(notes);
  }

  /** A threshold has ended a simulation, since it cannot be met any more. */
  public static final class LostThresholdException extends RuntimeException {
    private static final long serialVersionUID = 1;

    LostThresholdException(String why) {
      super(why);
    }
  }

  /** Reads the files; a profile takes the place of the service times that the experiment names. */
  public static SimulatedExperiment read(ParsedExperiment asked, @Nullable Path profile)
      throws UserMistakeException {
    return of(asked, Profile.read(profile));
  }

  static SimulatedExperiment of(ParsedExperiment asked, @Nullable Profile profile)
      throws UserMistakeException {
    ParsedExperiment parsed = OfferedRate.provisional(asked);
    Experiment experiment = parsed.experiment();
    try (LaneSource lanes = LaneSource.of(parsed)) {
      RequestList requests = RequestList.of(parsed, lanes::isolatedMs);
      AbortFold.of(parsed, requests);
      var settings = ExecutorSettings.of(experiment, "executor", 1, 0);
      boolean emulated = experiment.lanes().emulated();
      PredictionTable reach = Predictions.reach(experiment, settings);
      LatencyModel model = latencyModel(experiment);
      boolean modelled = profile == null && !emulated && model != null && knowsAll(model, settings);
      LatencyTable table = modelled ? null : table(parsed, profile, lanes);
      HopsFile hops = HopsFile.of(parsed);
      List<String> notes = new ArrayList<>();
      String deviceKind;
      SimulatedTimes times;
      List<Capability> capabilities;
      PredictionsPublished predictions = null;
      if (table == null && !emulated) {
        if (model == null || !modelled) {
          throw new UserMistakeException(
              parsed.location("lanes"),
              "nothing says how long batches take on these lanes (kind real)",
              "--profile FILE names a latency table, as ./sluice profile leaves it, or"
                  + " simulation.latency_table one of configs/latency");
        }
        UserMistakeException.throwIf(
            experiment.lanes().memoryMb() != null,
            parsed.location("lanes.memory_mb"),
            "lanes.memory_mb needs the time to load each model, which a latency model does not"
                + " hold",
            "--profile FILE names a latency table with the columns load_ms and memory_mb");
        predictions = reach.fill(model, "executor", 1);
        times = SimulatedTimes.of(experiment, predictions);
        deviceKind = model.deviceKind();
        capabilities = capabilities(settings, times);
        notes.add(
            "service times: predictions of model "
                + model.version()
                + ", each batch off by one of its residuals");
      } else {
        boolean recorded = profile != null && profile.run() != null; // as fast as its lanes were
        Emulation emulation =
            LaneSource.emulation(
                parsed, table, emulated && !recorded ? experiment.lanes().speed() : 1);
        List<Profile.Residual> residuals = profile == null ? null : profile.residuals();
        times = SimulatedTimes.of(experiment, emulation, residuals);
        deviceKind =
            emulated ? emulation.deviceKind() : model == null ? REAL_KIND : model.deviceKind();
        capabilities = emulation.capabilities(settings);
        notes.add(
            table == null
                ? "service times: linear, as the experiment says"
                : residuals == null
                    ? "service times: " + LaneSource.describe(table)
                    : "service times: means of a recorded run's batches, each off by one of its"
                        + " residuals, played in blocks of a second");
        if (table != null) {
          notes.addAll(LaneSource.notesOnSamples(experiment, table));
        }
        if (table == null || !table.hasContention()) {
          notes.add("lanes have no contention");
        }
        if (model != null && model.deviceKind().equals(deviceKind) && reach.isKnownTo(model)) {
          predictions = reach.fill(model, "executor", 1);
        }
      }
      notes.add("hops: " + hops.name());
      if (experiment.predictor().enabled()) {
        notes.add(
            predictions == null
                ? "predictor: no model for " + deviceKind + ", running means"
                : "predictor: model " + predictions.modelVersion() + ", not fitted again");
      }
      String disturbance =
          predictions == null || model == null ? null : ProfileRow.disturbance(model.rows());
      if (disturbance != null) {
        notes.add("warning: of the model's rows, " + disturbance);
      }
      if (asked.needsRate()) {
        parsed = OfferedRate.of(asked, capabilities);
        requests = RequestList.of(parsed, lanes::isolatedMs);
      }
      return new SimulatedExperiment(
          parsed,
          deviceKind,
          capabilities,
          predictions,
          times,
          emulated ? hops : hops.withoutLateLanes(),
          requests,
          notes);
    }
  }

  /** The same experiment with all times of its arrivals multiplied by a factor above 0. */
  SimulatedExperiment stretched(double factor) {
    return new SimulatedExperiment(
        parsed.stretched(factor),
        deviceKind,
        capabilities,
        predictions,
        times,
        hops,
        requests.stretched(factor),
        notes);
  }

  /** Seed of what varies in service times and hops. */
  static long noiseSeed(Experiment experiment) {
    Integer own = experiment.simulation().noiseSeed();
    return own == null
        ? experiment.seed()
        : RepeatSeeds.ofNoise(experiment.seed(), own.longValue());
  }

  private static @Nullable LatencyTable table(
      ParsedExperiment parsed, @Nullable Profile profile, LaneSource lanes)
      throws UserMistakeException {
    if (profile != null) {
      return profile.table();
    }
    if (parsed.experiment().lanes().emulated()) {
      return lanes.latencyTable();
    }
    String named = parsed.experiment().simulation().latencyTable();
    if (named == null) {
      return null;
    }
    Path file = parsed.resolve(named);
    UserMistakeException.throwIf(
        !Files.exists(file),
        parsed.location("simulation.latency_table"),
        "simulation.latency_table (" + file + ") does not exist",
        "the path is wrong (it counts from the folder of the experiment file), or --profile FILE"
            + " names the table");
    return LatencyTable.read(file);
  }

  private static @Nullable LatencyModel latencyModel(Experiment experiment)
      throws UserMistakeException {
    Path path = Predictions.modelPath(experiment.predictor());
    return experiment.predictor().enabled() && Files.exists(path) ? ModelFile.read(path) : null;
  }

  private static boolean knowsAll(LatencyModel model, ExecutorSettings settings) {
    return settings.models().stream()
        .allMatch(
            key ->
                new PredictionTable(List.of(key), settings.threadsPerLane(), 1, 1)
                    .isKnownTo(model));
  }

  private static List<Capability> capabilities(ExecutorSettings settings, SimulatedTimes times) {
    return settings.models().stream()
        .map(
            (ModelKey key) ->
                new Capability(
                    key.workload(),
                    key.backend(),
                    key.precision(),
                    LaneSource.flopsPerSample(key.workload()),
                    settings.warmUpSamples().stream()
                        .map(
                            samples ->
                                new WarmUp(samples, Math.round(times.meanNs(key, samples, 1))))
                        .toList()))
        .toList();
  }

  Environment environment() throws IOException {
    return Environment.ofSimulation(
        parsed.experiment(), notes, LaneSource.knownWorkloads(parsed.experiment()));
  }

  /**
   * Simulates, prints nothing, and leaves a folder with summary.json and config.yaml.
   *
   * @return the status that {@code ./sluice simulate} would end with
   * @throws LostThresholdException if a threshold has ended it
   */
  public int write(Path results, String runId) throws UserMistakeException, IOException {
    try (var folder = RunFolder.create(results, runId)) {
      Environment environment = environment();
      var report = simulate(runId, environment, null).report();
      report.writeSummary(folder.path());
      Conclusion.writeConfig(parsed, report, environment, requests.digest(), folder.path());
      int status = Conclusion.status(report);
      if (status != ExitStatus.BUG) {
        folder.finish();
      }
      return status;
    }
  }

  /** Simulates, and returns the figures alone. */
  public RunReport report(String runId) throws IOException {
    return simulate(runId, environment(), null).report();
  }

  record Simulated(RunReport report, SimulationEnd end) {}

  /**
   * Simulates the experiment, and makes the rows of a live run's second reading from the events
   * that its log would hold.
   *
   * @param recording takes these events too, and is finished; null: none is made
   * @throws LostThresholdException if a threshold that may end the run cannot be met any more
   */
  Simulated simulate(String runId, Environment environment, @Nullable RunRecording recording) {
    AbortFold abort = abort();
    Instant beganAt = MachineClock.now();
    Experiment experiment = parsed.experiment();
    var fold = new RunFold();
    requests.beginDigest(); // of very many requests it is ready only later
    boolean needsDigest = recording != null || abort != null;
    RunStarted begun = started(runId, needsDigest ? requests.digest() : "");
    var log = new SimulatedLog(fold, abort, recording, begun);
    SimulationEnd end =
        Simulation.run(settings(begun), times, new ListedRequests(requests, experiment), log);
    fold.onRunRecord(started(runId), Simulation.TIME_ZERO_EPOCH_MS);
    var ended =
        new RunEnded(runId, end.jobs(), end.tailLimitReached(), false, end.endedAtNs(), null, 0L);
    fold.onRunRecord(ended, Simulation.TIME_ZERO_EPOCH_MS + end.endedAtNs() / 1_000_000);
    log.end(ended);
    var context =
        new RunContext(
            experiment,
            runId,
            environment.notes(),
            environment.versions(),
            /* begunAtEpochMs= */ null,
            /* simulated= */ true,
            environment.origin().at(beganAt, MachineClock.now()));
    return new Simulated(RunReport.of(fold, context), end);
  }

  private @Nullable AbortFold abort() {
    try {
      return AbortFold.of(parsed, requests);
    } catch (UserMistakeException e) {
      throw new IllegalStateException(
          "the thresholds were checked when the experiment was read", e);
    }
  }

  RunStarted started(String runId) {
    return started(runId, requests.digest());
  }

  private RunStarted started(String runId, String requestDigest) {
    Experiment experiment = parsed.experiment();
    return new RunStarted(
        runId,
        Simulation.TIME_ZERO_EPOCH_MS,
        experiment.seed(),
        ResolvedConfig.digest(experiment),
        requestDigest,
        experiment.kafka().shards(),
        experiment.load().generators(),
        experiment.load().tailEndNs());
  }

  SimulationSettings settings(RunStarted begun) {
    Experiment experiment = parsed.experiment();
    var resources = experiment.resources();
    return new SimulationSettings(
        begun,
        ExperimentCore.settings(experiment),
        ExperimentCore.policies(experiment),
        experiment.kafka().shards(),
        experiment.lanes().count(),
        resources.enabled() ? Long.valueOf(resources.totalTokens()) : null,
        experiment.lanes().emulated(),
        deviceKind,
        capabilities,
        predictions,
        experiment.load().generators(),
        experiment.load().durationNs(),
        experiment.load().tailEndNs(),
        hops.play(noiseSeed(experiment)));
  }

  /** The request list, dealt to its generators as in a live run. For one simulation. */
  private static final class ListedRequests implements Requests {
    private final RequestList list;
    private final boolean oneAtATime;
    private final long durationNs;
    private final int measuredFrom;
    private final int measuredTo;
    private final int[] nextIndex;

    ListedRequests(RequestList list, Experiment experiment) {
      this.list = list;
      oneAtATime = experiment.load().scenario() == Scenario.SINGLE_STREAM;
      durationNs = experiment.load().durationNs();
      measuredFrom = oneAtATime ? 0 : list.countBefore(experiment.load().warmupNs());
      measuredTo = list.countBefore(durationNs);
      nextIndex = IntStream.range(0, experiment.load().generators()).toArray();
    }

    @Override
    public @Nullable JobRequested next(int generator) {
      int index = nextIndex[generator];
      if (index >= list.size()) {
        return null;
      }
      nextIndex[generator] += nextIndex.length;
      return list.get(index, generator, list.intendedAtNs(index), list.intendedAtNs(index));
    }

    @Override
    public boolean oneAtATime() {
      return oneAtATime;
    }

    @Override
    public @Nullable JobRequested nextAt(long intendedAtNs) {
      int index = nextIndex[0];
      if (index >= list.size() || intendedAtNs >= durationNs) {
        return null;
      }
      nextIndex[0]++;
      return list.get(index, 0, intendedAtNs, intendedAtNs);
    }

    @Override
    public boolean isMeasured(String jobId) {
      int index = JobId.index(jobId);
      return measuredFrom <= index && index < measuredTo;
    }
  }
}
