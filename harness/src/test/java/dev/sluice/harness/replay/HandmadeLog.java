package dev.sluice.harness.replay;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.log.RecordingHeader;
import dev.sluice.contract.log.RecordingWriter;
import dev.sluice.contract.value.Reason;
import dev.sluice.harness.frame.Registries;
import dev.sluice.scheduler.topology.ExperimentCore;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.driver.CoreListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A log written fact by fact, with the decisions that a core makes of them. Jobs are of the classes
 * interactive (promised 100 ms) and batch (promised 1 s, joined for at most 10 ms or 4 samples);
 * resnet18 takes 84 tokens and 10 ms a sample, resnet50 164 and 20, vit_tiny 44 and 5.
 */
final class HandmadeLog implements CoreListener {
  static final long ZERO_EPOCH_MS = 1_000_000;
  private static final double NS_PER_MS = 1e6;

  private static final List<String> EXPERIMENT =
      List.of(
          "run_name: handmade",
          "duration_seconds: 20",
          "warmup_seconds: 0",
          "arrival_rate_jobs_per_sec: 14",
          "classes:",
          "  interactive: {slo_ms: 100}",
          "  batch: {slo_ms: 1000}",
          "workloads: [resnet18, resnet50, vit_tiny]",
          "batch_sizes: [1, 2]",
          "scheduler_name: dynamic",
          "microbatch: {window_ms: 10, max_batch: 4}",
          "lanes: {num_lanes: 2, heartbeat_ms: 100, lease_ms: 300, max_attempts: 2}");

  private final List<RecordedEntry> entries = new ArrayList<>();
  final List<BatchDispatched> dispatches = new ArrayList<>();
  private final Experiment experiment;
  private final SchedulingCore core;
  private final Path file;
  private long facts;
  private long outcomes;
  private long index;
  private long nowMs;

  HandmadeLog(Path folder, String... overrides) throws Exception {
    Path yaml = folder.resolve("handmade.yaml");
    Files.write(yaml, EXPERIMENT);
    experiment =
        ExperimentFile.read(yaml, List.of(overrides), Registries.vocabulary()).experiment();
    core =
        new SchedulingCore(
            ExperimentCore.settings(experiment), ExperimentCore.policies(experiment).get());
    file = folder.resolve("log.jsonl.gz");
  }

  /** The facts before an offset are lost. */
  HandmadeLog beginningAt(long offset) {
    facts = offset;
    return this;
  }

  /** The decisions are lost. */
  void dropDecisions() {
    entries.removeIf(entry -> !entry.topic().equals("facts"));
  }

  String experimentText() {
    return ResolvedConfig.write(experiment);
  }

  HandmadeLog started() {
    return at(0, new RunStarted("r", ZERO_EPOCH_MS, 7, "c", "q", 1, 1, null));
  }

  HandmadeLog executor(long atMs, String id, long incarnation, int lanes, long tokens) {
    return at(
        atMs,
        ExecutorReported.of(
            id,
            incarnation,
            false,
            "cpu",
            tokens,
            IntStream.range(0, lanes)
                .mapToObj(lane -> new ExecutorReported.Lane(lane, List.of()))
                .toList(),
            List.of(
                capability("resnet18", 10),
                capability("resnet50", 20),
                capability("vit_tiny", 5))));
  }

  private static ExecutorReported.Capability capability(String workload, long msPerSample) {
    return new ExecutorReported.Capability(
        workload,
        "onnx",
        "fp32",
        1_000,
        List.of(new ExecutorReported.WarmUp(1, msPerSample * 1_000_000)));
  }

  /** A job that was meant 0.4 ms before it stands in the log, and sent 0.1 ms late. */
  HandmadeLog job(long atMs, String id, String classType, String workload, int samples) {
    return job(atMs, id, classType, workload, samples, "fp32");
  }

  HandmadeLog job(
      long atMs, String id, String classType, String workload, int samples, String precision) {
    long intendedNs = (long) (atMs * NS_PER_MS - 0.4 * NS_PER_MS);
    return at(
        atMs,
        new JobRequested(
            id,
            0,
            index++,
            classType,
            workload,
            "onnx",
            precision,
            samples,
            (classType.equals("interactive") ? 100 : 1000) * 1_000_000L,
            intendedNs,
            intendedNs + 100_000));
  }

  /** A graph of vit_tiny jobs; a node of two lanes is a gang. */
  HandmadeLog workflow(long atMs, String id, WorkflowRequested.Node... nodes) {
    return at(
        atMs,
        new WorkflowRequested(
            id,
            0,
            index++,
            "w",
            "batch",
            null,
            atMs * 1_000_000,
            atMs * 1_000_000,
            List.of(nodes)));
  }

  static WorkflowRequested.Node node(String id, int lanes, Integer... inputs) {
    return new WorkflowRequested.Node(
        id, "vit_tiny", "onnx", "fp32", 1, lanes, 5_000_000, List.of(inputs));
  }

  /** The dispatch of that place in the log began, ran, and is told of. */
  HandmadeLog done(int dispatch, long atMs, double startedAtMs, double tookMs, double loadedMs) {
    return at(atMs, completed(dispatch, startedAtMs, tookMs, loadedMs, null));
  }

  HandmadeLog failed(int dispatch, long atMs, double startedAtMs, double tookMs, String cause) {
    return at(atMs, completed(dispatch, startedAtMs, tookMs, 0, cause));
  }

  private BatchCompleted completed(
      int dispatch, double startedAtMs, double tookMs, double loadedMs, @Nullable String cause) {
    BatchDispatched of = dispatches.get(dispatch);
    long startedNs = Math.round(startedAtMs * NS_PER_MS);
    long tookNs = Math.round(tookMs * NS_PER_MS);
    return new BatchCompleted(
        of.dispatchId(),
        of.place().executorId(),
        of.place().incarnation(),
        of.place().lanes().get(0),
        startedNs,
        startedNs + tookNs,
        tookNs,
        Math.round(loadedMs * NS_PER_MS),
        cause == null ? BatchCompleted.Result.DONE : BatchCompleted.Result.FAILED,
        cause,
        List.of(),
        null,
        1);
  }

  HandmadeLog refused(int dispatch, long atMs) {
    BatchDispatched of = dispatches.get(dispatch);
    return at(
        atMs,
        BatchCompleted.refused(
            of.dispatchId(),
            of.place().executorId(),
            of.place().incarnation(),
            of.place().lanes().get(0),
            Reason.TOO_LATE));
  }

  HandmadeLog tick(long atMs) {
    return at(atMs, new Ticked());
  }

  HandmadeLog at(long atMs, Fact fact) {
    nowMs = atMs;
    add("facts", facts, EventCodec.FACTS.write(fact));
    core.apply(facts++, atMs * 1_000_000, fact, this);
    return this;
  }

  private void add(String topic, long offset, byte[] value) {
    entries.add(new RecordedEntry(topic, 0, offset, ZERO_EPOCH_MS + nowMs, value));
  }

  @Override
  public void started(BatchDispatched dispatch) {
    add("dispatches", dispatches.size(), EventCodec.DISPATCHES.write(dispatch));
    dispatches.add(dispatch);
  }

  @Override
  public void ended(JobEnded end) {
    add("outcomes", outcomes++, EventCodec.OUTCOMES.write(end));
  }

  @Override
  public void blocked(Blocked span) {
    add("outcomes", outcomes++, EventCodec.OUTCOMES.write(span));
  }

  /** Writes the log as a run would leave it, and returns its file. */
  Path write() throws IOException {
    return write(SchedulingCore.DECISIONS_VERSION, experimentText());
  }

  Path write(String coreVersion, @Nullable String experimentText) throws IOException {
    List<RecordedEntry> sorted = new ArrayList<>(entries);
    sorted.sort(
        Comparator.comparingLong(RecordedEntry::appendedAtEpochMs)
            .thenComparingInt(e -> List.of("facts", "dispatches", "outcomes").indexOf(e.topic()))
            .thenComparingLong(RecordedEntry::offset));
    var header =
        new RecordingHeader(
            RecordingHeader.VERSION,
            RecordingHeader.Kind.LOG,
            "r",
            ZERO_EPOCH_MS,
            1,
            coreVersion,
            "q",
            "c",
            experimentText);
    try (var writer = RecordingWriter.ofLog(file, header)) {
      for (RecordedEntry entry : sorted) {
        writer.write(entry);
      }
      writer.finish();
    }
    return file;
  }

  /** The lines that explain a job of this log. */
  List<String> explained(String jobId) throws Exception {
    return new ExplainRun(write(), jobId, false, false).lines();
  }
}
