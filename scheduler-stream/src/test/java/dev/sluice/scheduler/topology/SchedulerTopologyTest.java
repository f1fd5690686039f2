package dev.sluice.scheduler.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.Topics;
import dev.sluice.scheduler.topology.SchedulerProcessor.FactLog;
import dev.sluice.scheduling.policies.Policies;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The topology's shape, its bytes, and its time. */
final class SchedulerTopologyTest {
  private static final Topics TOPICS = new Topics("run-1");
  private static final long ZERO_MS = 1_700_000_000_000L;
  private static final long MS = 1_000_000;

  private static final FactLog NOTHING_AGAIN =
      (shard, from, to, reader) -> {
        assertThat(to).isLessThan(from);
      };

  private final RecordingWakeUps wakeUps = new RecordingWakeUps();
  private final List<Integer> taken = new ArrayList<>();
  private final OwnShards shards = new OwnShards(taken::add, () -> {});
  private TopologyTestDriver driver;
  private TestInputTopic<byte[], byte[]> facts;
  private TestOutputTopic<byte[], byte[]> outcomes;
  private TestOutputTopic<byte[], byte[]> dispatches;
  private TestOutputTopic<byte[], byte[]> deadLetters;

  @BeforeEach
  void start() {
    var settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "run-1.scheduler");
    settings.put(StreamsConfig.STATE_DIR_CONFIG, "target/streams-state");
    driver = new TopologyTestDriver(topology(), settings);
    facts =
        driver.createInputTopic(
            TOPICS.facts(), new ByteArraySerializer(), new ByteArraySerializer());
    outcomes = output(TOPICS.outcomes());
    dispatches = output(TOPICS.dispatches());
    deadLetters = output(TOPICS.deadLetters());
  }

  private Topology topology() {
    return SchedulerStream.topology(
        TOPICS,
        RecordedRun.SETTINGS,
        () -> Policies.create("fifo", Map.of()),
        wakeUps,
        shards,
        NOTHING_AGAIN,
        SnapshotStore.Pace.DEFAULT);
  }

  private TestOutputTopic<byte[], byte[]> output(String topic) {
    return driver.createOutputTopic(
        topic, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  @AfterEach
  void stop() {
    driver.close();
  }

  @Test
  void hasThisShape() {
    assertThat(topology().describe().toString())
        .isEqualTo(
            """
            Topologies:
               Sub-topology: 0
                Source: facts (topics: [run-1.facts])
                  --> scheduler
                Processor: scheduler (stores: [state])
                  --> dead-letters, dispatches, outcomes
                  <-- facts
                Sink: dead-letters (topic: run-1.dead-letters)
                  <-- scheduler
                Sink: dispatches (topic: run-1.dispatches)
                  <-- scheduler
                Sink: outcomes (topic: run-1.outcomes)
                  <-- scheduler

            """);
  }

  @Test
  void sendsBytesThatAreNoFactToTheDeadLetters_andGoesOn() throws Exception {
    facts.pipeInput(null, "{\"type\":\"JobReq".getBytes(StandardCharsets.UTF_8), ZERO_MS);
    facts.pipeInput(null, null, ZERO_MS);
    facts.pipeInput(
        null,
        "{\"type\":\"Ticked\",\"version\":99,\"later\":1}".getBytes(StandardCharsets.UTF_8),
        ZERO_MS);
    pipe(0, new RunStarted("run-1", ZERO_MS, 1, "c", "r", 1, 1, null));
    pipe(5, job(0));
    pipe(6, ArrivalsEnded.punctual(0, 1));

    var letter = deadLetters.readRecord();
    assertThat(letter.value()).asString().isEqualTo("{\"type\":\"JobReq");
    assertThat(header(letter, "source-topic")).isEqualTo("run-1.facts");
    assertThat(header(letter, "source-partition")).isEqualTo("0");
    assertThat(header(letter, "source-offset")).isEqualTo("0");
    assertThat(header(letter, "error")).isEqualTo("it ends too early, at 1:16");
    assertThat(deadLetters.readRecord().value()).isNull();
    assertThat(deadLetters.isEmpty()).isTrue();
    var end = (JobEnded) EventCodec.OUTCOMES.read(outcomes.readValue());
    assertThat(end.reason()).isEqualTo("run_ended");
    assertThat(end.endedAtNs()).isEqualTo(6_000_000);
  }

  @Test
  void predictsByTheNewestTable_andACompletionChangesTheNextDecision() throws Exception {
    pipe(-9, report("executor-0", "cpu"));
    pipe(-8, table("executor-0", "cpu", 1, 4 * MS));
    pipe(0, new RunStarted("run-1", ZERO_MS, 1, "c", "r", 1, 1, null));
    pipe(1, urgent(0));
    BatchDispatched first = (BatchDispatched) EventCodec.DISPATCHES.read(dispatches.readValue());
    assertThat(first.prediction().meanNs()).isEqualTo(4 * MS);
    assertThat(first.prediction().source()).isEqualTo("published");
    assertThat(first.prediction().modelVersion()).isEqualTo("model-1");
    assertThat(first.prediction().p95Ns()).isEqualTo((long) Math.ceil(4 * MS * Math.exp(0.5)));
    assertThat(first.prediction().p99Ns()).as("of 19 residuals").isNull();
    assertThat(first.prediction().busyLanes()).isEqualTo(1);

    pipe(9, done(first, 8 * MS));
    pipe(10, urgent(1));
    BatchDispatched second = (BatchDispatched) EventCodec.DISPATCHES.read(dispatches.readValue());
    assertThat(second.prediction().meanNs()).isGreaterThan(4 * MS);

    pipe(11, table("executor-0", "cpu", 2, 5 * MS));
    pipe(18, done(second, 8 * MS));
    pipe(19, urgent(2));
    BatchDispatched third = (BatchDispatched) EventCodec.DISPATCHES.read(dispatches.readValue());
    assertThat(third.prediction().modelVersion()).isEqualTo("model-2");
    assertThat(third.prediction().meanNs()).isBetween(5 * MS, 6 * MS);
    assertThat(deadLetters.isEmpty()).isTrue();
  }

  @Test
  void predictsEachDeviceKindByItsOwnRows() throws Exception {
    pipe(-9, report("executor-0", "slow"));
    pipe(-9, report("executor-1", "fast"));
    pipe(-8, table("executor-0", "slow", 1, 8 * MS));
    pipe(-8, table("executor-1", "fast", 1, 2 * MS));
    pipe(0, new RunStarted("run-1", ZERO_MS, 1, "c", "r", 1, 1, null));
    for (int i = 0; i < 4; i++) {
      pipe(1, urgent(i));
    }
    List<byte[]> values = dispatches.readValuesToList();
    assertThat(values).hasSize(4);
    for (byte[] value : values) {
      BatchDispatched dispatch = (BatchDispatched) EventCodec.DISPATCHES.read(value);
      assertThat(dispatch.prediction().meanNs())
          .isEqualTo(dispatch.place().executorId().equals("executor-0") ? 8 * MS : 2 * MS);
    }
  }

  @Test
  void sendsATableThatIsNotToBeUsedToTheDeadLetters_withItsReason() throws Exception {
    pipe(-9, report("executor-0", "cpu"));
    pipe(-8, table("executor-0", "cpu", 2, 4 * MS));
    pipe(-7, table("executor-0", "cpu", 1, 9 * MS));
    pipe(-6, table("executor-0", "tpu", 3, 9 * MS));
    byte[] good = EventCodec.FACTS.write(table("executor-0", "cpu", 3, 9 * MS));
    String json = new String(good, StandardCharsets.UTF_8);
    pipeText(json.replace("9000000", "-9000000"));
    pipeText(json.replace("9000000", "\"NaN\""));
    pipeText(json.replace("0.5", "\"NaN\""));
    pipeText(json.replace("small", "medium"));
    pipe(-5, table("executor-0", "cpu", 2, 4 * MS)); // the table in use, once more

    assertThat(deadLetters.readRecordsToList())
        .extracting(letter -> header(letter, "error"))
        .satisfiesExactly(
            stale -> assertThat(stale).isEqualTo("tableVersion (1) is stale: 2 is in use"),
            other ->
                assertThat(other).isEqualTo("deviceKind (tpu) is not that of executor-0 (cpu)"),
            negative -> assertThat(negative).contains("meanNs (-9000000) is out of range"),
            noNumber -> assertThat(noNumber).contains("NaN"),
            noResidual -> assertThat(noResidual).contains("residual (NaN)"),
            unknown ->
                assertThat(unknown)
                    .isEqualTo(
                        "services [medium, onnx, fp32]: no executor of deviceKind (cpu) runs it"));
    pipe(0, new RunStarted("run-1", ZERO_MS, 1, "c", "r", 1, 1, null));
    pipe(1, urgent(0));
    assertThat(
            ((BatchDispatched) EventCodec.DISPATCHES.read(dispatches.readValue()))
                .prediction()
                .meanNs())
        .isEqualTo(4 * MS);
  }

  private void pipeText(String json) {
    facts.pipeInput(null, json.getBytes(StandardCharsets.UTF_8), ZERO_MS);
  }

  private static ExecutorReported report(String executorId, String deviceKind) {
    return ExecutorReported.of(
        executorId,
        1,
        false,
        deviceKind,
        null,
        List.of(new ExecutorReported.Lane(0, List.of()), new ExecutorReported.Lane(1, List.of())),
        List.of(new ExecutorReported.Capability("small", "onnx", "fp32", 1, List.of())));
  }

  private static PredictionsPublished table(
      String executorId, String deviceKind, long version, long meanNs) {
    return new PredictionsPublished(
        executorId,
        deviceKind,
        "model-" + version,
        version,
        List.of(
            new PredictionsPublished.Service(
                "small", "onnx", "fp32", List.of(List.of(meanNs), List.of(meanNs)))),
        List.of(
            new PredictionsPublished.Calibration("small", "onnx", Collections.nCopies(19, 0.5))));
  }

  private static BatchCompleted done(BatchDispatched dispatch, long serviceNs) {
    return BatchCompleted.done(
        dispatch.dispatchId(),
        dispatch.place().executorId(),
        dispatch.incarnation(),
        dispatch.place().lanes().get(0),
        0,
        serviceNs,
        1);
  }

  @Test
  void releasesAWorkflowsJobs_inTheOrderOfItsGraph() throws Exception {
    pipe(-9, report("executor-0", "cpu"));
    pipe(0, new RunStarted("run-1", ZERO_MS, 1, "c", "r", 1, 1, null));
    pipe(
        1,
        new WorkflowRequested(
            "req",
            0,
            0,
            "pair",
            "interactive",
            null,
            0,
            0,
            List.of(
                new WorkflowRequested.Node("both", "small", "onnx", "fp32", 1, 2, MS, List.of(1)),
                new WorkflowRequested.Node(
                    "first", "small", "onnx", "fp32", 1, 1, MS, List.of()))));
    BatchDispatched first = (BatchDispatched) EventCodec.DISPATCHES.read(dispatches.readValue());
    assertThat(first.work().jobs()).extracting(job -> job.jobId()).containsExactly("req/first");
    assertThat(first.place().lanes()).containsExactly(0);
    pipe(9, done(first, 8 * MS));
    BatchDispatched second = (BatchDispatched) EventCodec.DISPATCHES.read(dispatches.readValue());
    assertThat(second.work().jobs()).extracting(job -> job.jobId()).containsExactly("req/both");
    assertThat(second.place().lanes()).containsExactly(0, 1);
    pipe(19, done(second, 8 * MS));
    assertThat(outcomes.readValuesToList())
        .extracting(bytes -> ((JobEnded) EventCodec.OUTCOMES.read(bytes)).jobId())
        .containsExactly("req/first", "req/both");
  }

  @Test
  void datesFactsByTheirAppendTime_whichNeverGoesBackwards() throws Exception {
    pipe(0, new RunStarted("run-1", ZERO_MS, 1, "c", "r", 1, 1, null));
    pipe(9, new Ticked());
    pipe(5, job(0));
    pipe(6, ArrivalsEnded.punctual(0, 1));

    var end = (JobEnded) EventCodec.OUTCOMES.read(outcomes.readValue());
    assertThat(end.endedAtNs()).isEqualTo(9_000_000);
  }

  @Test
  void ignoresARepeatedJob() {
    pipe(0, new RunStarted("run-1", ZERO_MS, 1, "c", "r", 1, 1, null));
    pipe(1, job(0));
    pipe(1, job(0));
    pipe(2, ArrivalsEnded.punctual(0, 1));

    assertThat(outcomes.readValuesToList()).hasSize(1);
  }

  @Test
  void asksForNoWakeUp_beforeTheRunStarted() {
    pipe(-5, new Ticked());
    assertThat(wakeUps.askedNs).isEmpty();

    pipe(0, new RunStarted("run-1", ZERO_MS, 1, "c", "r", 1, 1, null));
    assertThat(wakeUps.askedNs).containsExactly(Long.MAX_VALUE);
  }

  private void pipe(long atMs, dev.sluice.contract.event.Fact fact) {
    facts.pipeInput(null, EventCodec.FACTS.write(fact), ZERO_MS + atMs);
  }

  private static String header(
      org.apache.kafka.streams.test.TestRecord<byte[], byte[]> letter, String name) {
    return new String(letter.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
  }

  /** Returns a job that waits for no window. */
  private static JobRequested urgent(int index) {
    return new JobRequested(
        "job-" + index, 0, index, "interactive", "small", "onnx", "fp32", 1, 1_000_000_000, 0, 0);
  }

  private static JobRequested job(int index) {
    return new JobRequested(
        "job-" + index, 0, index, "batch", "small", "onnx", "fp32", 1, 1_000_000_000, 0, 0);
  }

  @Test
  void saysWhichShardIsTaken_andWhatWasDone() {
    assertThat(taken).containsExactly(0);
    assertThat(shards.counts()).isEqualTo(new SchedulerStream.Counts(1, 0, 0, 0, 0, 0));

    pipe(0, new RunStarted("run-1", ZERO_MS, 1, "c", "r", 1, 1, null));
    pipe(1, job(0));
    pipe(2, ArrivalsEnded.punctual(0, 1));
    assertThat(shards.counts()).isEqualTo(new SchedulerStream.Counts(1, 3, 0, 1, 0, 0));
  }
}
