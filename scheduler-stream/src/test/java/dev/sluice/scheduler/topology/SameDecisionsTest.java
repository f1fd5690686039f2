package dev.sluice.scheduler.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.scheduling.policies.Policies;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.processor.api.MockProcessorContext.CapturedForward;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One log of facts, recorded or simulated, through the topology and through the bare core: equal
 * decisions.
 */
final class SameDecisionsTest {
  private static final Topics TOPICS = new Topics("recorded");
  private static final SnapshotStore.Pace PACE = new SnapshotStore.Pace(10_000, 1_000);
  private static final String CHANGELOG = "recorded.scheduler-state-changelog";

  static List<String> policies() {
    return Policies.names();
  }

  @ParameterizedTest
  @MethodSource("policies")
  void decidesAsTheBareCoreDoes_inTheTopology(String policy) throws Exception {
    RecordedRun run = RecordedRun.of(Policies.create(policy, Map.of()));

    try (var driver = driver(policy, run)) {
      pipe(driver, run.facts());
      assertThat(dispatches(driver)).isEqualTo(run.dispatches()).hasSizeGreaterThan(100);
      assertThat(outcomes(driver)).isEqualTo(run.outcomes());
      assertThat(run.outcomes().stream().filter(JobEnded.class::isInstance))
          .hasSize(RecordedRun.JOBS);
      assertThat(run.dispatches()).anyMatch(d -> d.place().lanes().size() == 2);
      assertThat(run.outcomes()).hasAtLeastOneElementOfType(Blocked.class);
      assertThat(run.dispatches()).anyMatch(d -> d.work().attempt() == 2);
      assertThat(run.dispatches())
          .extracting(dispatch -> dispatch.prediction().modelVersion())
          .contains("model-2", "model-3", null)
          .doesNotContain("model-1");
      assertThat(run.dispatches()).anyMatch(d -> d.prediction().p95Ns() != null);
      assertThat(changelog(driver).keySet())
          .as("no record for each job")
          .allMatch(key -> key.matches("snapshot|position|\\d+/\\d+"));
    }
  }

  @ParameterizedTest
  @MethodSource("policies")
  void decidesAsTheBareCoreDoes_whenCutRestoredFromTheChangelogAndContinued(String policy)
      throws Exception {
    RecordedRun run = RecordedRun.of(Policies.create(policy, Map.of()));

    for (int cut : List.of(1, 2, 60, 333, 600, run.facts().size() - 1)) {
      List<BatchDispatched> dispatches;
      List<Outcome> outcomes;
      Map<String, byte[]> changelog;
      try (var driver = driver(policy, run)) {
        pipe(driver, run.facts().subList(0, cut));
        dispatches = dispatches(driver);
        outcomes = outcomes(driver);
        changelog = changelog(driver);
      }
      continueFrom(changelog, policy, run, cut, dispatches, outcomes);
      assertThat(dispatches).as("cut at %d", cut).isEqualTo(run.dispatches());
      assertThat(outcomes).as("cut at %d", cut).isEqualTo(run.outcomes());
    }
  }

  @ParameterizedTest
  @MethodSource("policies")
  void decidesAsTheSimulatorDid_onTheFactsThatItMade(String policy) throws Exception {
    RecordedRun run = SimulatedFacts.of(policy);

    try (var driver = driver(policy, run)) {
      pipe(driver, run.facts());
      assertThat(dispatches(driver)).isEqualTo(run.dispatches()).hasSizeGreaterThan(100);
      assertThat(outcomes(driver)).isEqualTo(run.outcomes());
      assertThat(run.outcomes().stream().filter(JobEnded.class::isInstance))
          .hasSize(SimulatedFacts.JOBS);
      assertThat(run.facts())
          .extracting(RecordedRun.Dated::fact)
          .hasAtLeastOneElementOfType(Ticked.class);
    }
  }

  private static void continueFrom(
      Map<String, byte[]> changelog,
      String policy,
      RecordedRun run,
      int cut,
      List<BatchDispatched> dispatches,
      List<Outcome> outcomes)
      throws Exception {
    var process = new ShardProcess(run, policy, PACE, changelog);
    List<CapturedForward<? extends Integer, ? extends byte[]>> all = new ArrayList<>();
    for (int offset = cut; offset < run.facts().size(); offset++) {
      all.addAll(process.process(offset));
    }
    for (var forwarded : all) {
      byte[] value = forwarded.record().value();
      switch (forwarded.childName().orElseThrow()) {
        case SchedulerStream.DISPATCHES ->
            dispatches.add((BatchDispatched) EventCodec.DISPATCHES.read(value));
        case SchedulerStream.OUTCOMES -> outcomes.add(EventCodec.OUTCOMES.read(value));
        case SchedulerStream.DEAD_LETTERS ->
            assertThat(forwarded.record().headers().lastHeader("error").value())
                .asString()
                .isEqualTo("tableVersion (1) is stale: 2 is in use");
        default -> throw new AssertionError("forwarded to " + forwarded.childName());
      }
    }
  }

  private static TopologyTestDriver driver(String policy, RecordedRun run) {
    return new TopologyTestDriver(
        SchedulerStream.topology(
            TOPICS,
            RecordedRun.SETTINGS,
            () -> Policies.create(policy, Map.of()),
            new RecordingWakeUps(),
            new OwnShards(shard -> {}, () -> {}),
            ShardProcess.log(run),
            PACE),
        settings());
  }

  private static Properties settings() {
    var settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "recorded.scheduler");
    settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    settings.put(StreamsConfig.STATE_DIR_CONFIG, "target/streams-state");
    return settings;
  }

  private static void pipe(TopologyTestDriver driver, List<RecordedRun.Dated> facts) {
    var input =
        driver.createInputTopic(
            TOPICS.facts(), new ByteArraySerializer(), new ByteArraySerializer());
    facts.forEach(
        dated ->
            input.pipeInput(
                new byte[0], EventCodec.FACTS.write(dated.fact()), dated.appendedAtEpochMs()));
  }

  private static List<BatchDispatched> dispatches(TopologyTestDriver driver)
      throws UnreadableEventException {
    List<BatchDispatched> dispatches = new ArrayList<>();
    for (byte[] value : values(driver, TOPICS.dispatches())) {
      dispatches.add((BatchDispatched) EventCodec.DISPATCHES.read(value));
    }
    return dispatches;
  }

  private static List<Outcome> outcomes(TopologyTestDriver driver) throws UnreadableEventException {
    List<Outcome> outcomes = new ArrayList<>();
    for (byte[] value : values(driver, TOPICS.outcomes())) {
      outcomes.add(EventCodec.OUTCOMES.read(value));
    }
    return outcomes;
  }

  private static List<byte[]> values(TopologyTestDriver driver, String topic) {
    return driver
        .createOutputTopic(topic, new ByteArrayDeserializer(), new ByteArrayDeserializer())
        .readValuesToList();
  }

  private static Map<String, byte[]> changelog(TopologyTestDriver driver) {
    Map<String, byte[]> latest = new HashMap<>();
    var topic =
        driver.createOutputTopic(CHANGELOG, new StringDeserializer(), new ByteArrayDeserializer());
    while (!topic.isEmpty()) {
      var entry = topic.readKeyValue();
      if (entry.value == null) {
        latest.remove(entry.key);
      } else {
        latest.put(entry.key, entry.value);
      }
    }
    return latest;
  }
}
