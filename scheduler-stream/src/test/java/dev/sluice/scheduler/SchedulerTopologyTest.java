package dev.sluice.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.ArrivalsEnded;
import dev.sluice.contract.EventCodec;
import dev.sluice.contract.JobEnded;
import dev.sluice.contract.JobRequested;
import dev.sluice.contract.RunStarted;
import dev.sluice.contract.Ticked;
import dev.sluice.contract.Topics;
import dev.sluice.scheduling.policy.Policies;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The topology's shape, its bytes, and its time. */
final class SchedulerTopologyTest {
  private static final Topics TOPICS = new Topics("run-1");
  private static final long ZERO_MS = 1_700_000_000_000L;

  private final RecordingWakeUps wakeUps = new RecordingWakeUps();
  private final List<Integer> taken = new ArrayList<>();
  private final OwnShards shards = new OwnShards(taken::add, () -> {});
  private TopologyTestDriver driver;
  private TestInputTopic<byte[], byte[]> facts;
  private TestOutputTopic<byte[], byte[]> outcomes;
  private TestOutputTopic<byte[], byte[]> deadLetters;

  @BeforeEach
  void start() {
    var settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "run-1.scheduler");
    settings.put(StreamsConfig.STATE_DIR_CONFIG, "target/streams-state");
    var topology =
        SchedulerTopology.build(
            TOPICS, RecordedRun.SETTINGS, () -> Policies.create("fifo", Map.of()), wakeUps, shards);
    driver = new TopologyTestDriver(topology, settings);
    facts =
        driver.createInputTopic(
            TOPICS.facts(), new ByteArraySerializer(), new ByteArraySerializer());
    outcomes = output(TOPICS.outcomes());
    deadLetters = output(TOPICS.deadLetters());
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
    var topology =
        SchedulerTopology.build(
            TOPICS, RecordedRun.SETTINGS, () -> Policies.create("fifo", Map.of()), wakeUps, shards);

    assertThat(topology.describe().toString())
        .isEqualTo(
            """
            Topologies:
               Sub-topology: 0
                Source: facts (topics: [run-1.facts])
                  --> scheduler
                Processor: scheduler (stores: [entities])
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
    pipe(6, new ArrivalsEnded(0, 1, 0, 0, 0));

    var letter = deadLetters.readRecord();
    assertThat(letter.value()).asString().isEqualTo("{\"type\":\"JobReq");
    assertThat(header(letter, "source-topic")).isEqualTo("run-1.facts");
    assertThat(header(letter, "source-partition")).isEqualTo("0");
    assertThat(header(letter, "source-offset")).isEqualTo("0");
    assertThat(header(letter, "error")).contains("Unexpected end-of-input");
    assertThat(deadLetters.readRecord().value()).isNull();
    assertThat(deadLetters.isEmpty()).isTrue();
    var end = (JobEnded) EventCodec.OUTCOMES.read(outcomes.readValue());
    assertThat(end.reason()).isEqualTo("run_ended");
    assertThat(end.endedAtNs()).isEqualTo(6_000_000);
  }

  @Test
  void datesFactsByTheirAppendTime_whichNeverGoesBackwards() throws Exception {
    pipe(0, new RunStarted("run-1", ZERO_MS, 1, "c", "r", 1, 1, null));
    pipe(9, new Ticked());
    pipe(5, job(0));
    pipe(6, new ArrivalsEnded(0, 1, 0, 0, 0));

    var end = (JobEnded) EventCodec.OUTCOMES.read(outcomes.readValue());
    assertThat(end.endedAtNs()).isEqualTo(9_000_000);
  }

  @Test
  void ignoresARepeatedJob() {
    pipe(0, new RunStarted("run-1", ZERO_MS, 1, "c", "r", 1, 1, null));
    pipe(1, job(0));
    pipe(1, job(0));
    pipe(2, new ArrivalsEnded(0, 1, 0, 0, 0));

    assertThat(outcomes.readValuesToList()).hasSize(1);
  }

  @Test
  void asksForNoWakeUp_beforeTheRunStarted() {
    pipe(-5, new Ticked());
    assertThat(wakeUps.askedNs).isEmpty();

    pipe(0, new RunStarted("run-1", ZERO_MS, 1, "c", "r", 1, 1, null));
    assertThat(wakeUps.askedNs).containsExactly(Long.MAX_VALUE);
  }

  private void pipe(long atMs, dev.sluice.contract.Fact fact) {
    facts.pipeInput(null, EventCodec.FACTS.write(fact), ZERO_MS + atMs);
  }

  private static String header(
      org.apache.kafka.streams.test.TestRecord<byte[], byte[]> letter, String name) {
    return new String(letter.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
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
    pipe(2, new ArrivalsEnded(0, 1, 0, 0, 0));
    assertThat(shards.counts()).isEqualTo(new SchedulerStream.Counts(1, 3, 0, 1, 0, 0));
  }
}
