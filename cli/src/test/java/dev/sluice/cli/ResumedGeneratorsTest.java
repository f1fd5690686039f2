package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Pacer;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.contract.log.Topics;
import dev.sluice.executor.dispatch.Executor;
import dev.sluice.executor.dispatch.Executor.LaneFaults;
import dev.sluice.executor.dispatch.LaneBackend;
import dev.sluice.executor.lane.Emulation;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.producer.generator.GeneratorSettings;
import dev.sluice.producer.generator.JobGenerators;
import dev.sluice.producer.generator.JobGenerators.RunFailedException;
import dev.sluice.producer.requests.RequestList;
import dev.sluice.scheduler.topology.ExperimentCore;
import dev.sluice.scheduler.topology.SchedulerStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Generators that go in mid-run, and those that go on for them, with every role but analytics. */
@Tag("slow")
@Timeout(600)
final class ResumedGeneratorsTest {
  private static final Topics TOPICS = new Topics("resumed");
  private static final Duration LIMIT = Duration.ofSeconds(300);

  @TempDir private Path folder;
  private final ProcessClock clock = new ProcessClock(InstantSource.system(), System::nanoTime);
  private final Pacer pacer = MachineClock.pacer();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private EmbeddedBroker broker;

  @BeforeEach
  void startTheBroker() throws Exception {
    broker = EmbeddedBroker.start(folder.resolve("broker"));
    RunTopics.create(TOPICS, 1, KafkaAccess.embedded(broker.bootstrapServers(), 30_000).clients());
  }

  @AfterEach
  void stopTheBroker() {
    broker.close();
    assertThat(failures).isEmpty();
  }

  @Test
  void goesOnWithWhatIsStillToCome_andEndsTheRun() throws Exception {
    Experiment experiment =
        experiment("duration_seconds=3", "tail_seconds=60", "generators=2"); // however slow
    try (var scheduler = scheduler(experiment);
        var executor = executor(experiment)) {
      scheduler.start();
      executor.join(TOPICS, kafka(), LaneFaults.NONE, failures::add);
      killInMidRun(experiment);
      assertThatThrownBy(generators(experiment)::run)
          .isInstanceOf(UserMistakeException.class)
          .hasMessageStartingWith("--run-id: error: the run (resumed) has begun.");

      RequestList requests = RequestList.draw(experiment);
      Optional<RunEnded> ended = generators(experiment).resume();

      List<JobRequested> sent = ofType(JobRequested.class, facts());
      assertThat(sent).extracting(JobRequested::index).doesNotHaveDuplicates();
      assertThat(sent.size()).isBetween(10, requests.size() - 1);
      for (int generator = 0; generator < 2; generator++) {
        int number = generator;
        assertThat(sent.stream().filter(job -> job.generator() == number))
            .extracting(JobRequested::index)
            .isSorted();
      }
      assertThat(sent)
          .allSatisfy(
              job ->
                  assertThat(job.intendedAtNs())
                      .isEqualTo(requests.get((int) job.index()).intendedAtNs()));
      assertThat(ended).map(RunEnded::jobsSent).hasValue((long) sent.size());
      assertThat(ended).map(RunEnded::failure).isEmpty();
      assertThat(ended).map(RunEnded::interrupted).hasValue(false);
      assertThat(ended).map(RunEnded::tailLimitReached).hasValue(false); // none waited in vain
      assertThat(records()).filteredOn(RunStarted.class::isInstance).hasSize(1);
      assertThat(records()).filteredOn(RunEnded.class::isInstance).hasSize(1);

      List<ArrivalsEnded> ends = ofType(ArrivalsEnded.class, facts());
      assertThat(ends).extracting(ArrivalsEnded::generator).containsExactlyInAnyOrder(0, 1);
      assertThat(ends.stream().mapToLong(ArrivalsEnded::jobsSent).sum()).isEqualTo(sent.size());
      long latenessNsMax =
          sent.stream().mapToLong(job -> job.sentAtNs() - job.intendedAtNs()).max().orElseThrow();
      assertThat(ends.stream().mapToLong(ArrivalsEnded::latenessNsMax).max())
          .hasValue(latenessNsMax);

      assertThat(outcomes())
          .extracting(JobEnded::jobId)
          .containsExactlyInAnyOrderElementsOf(sent.stream().map(JobRequested::jobId).toList());

      assertThatThrownBy(generators(experiment)::resume)
          .isInstanceOf(UserMistakeException.class)
          .hasMessageStartingWith("--run-id: error: the run (resumed) has ended.");
    }
  }

  @Test
  void endsTheRun_whenStoppedBeforeItHasReadHowFarTheRunIs() throws Exception {
    Experiment experiment = experiment("duration_seconds=60");
    try (var scheduler = scheduler(experiment);
        var executor = executor(experiment)) {
      scheduler.start();
      executor.join(TOPICS, kafka(), LaneFaults.NONE, failures::add);
      killInMidRun(experiment);
      JobGenerators generators = generators(experiment);
      generators.stop();

      Optional<RunEnded> ended = generators.resume();

      List<JobRequested> sent = ofType(JobRequested.class, facts());
      assertThat(ended).map(RunEnded::interrupted).hasValue(true);
      assertThat(ended).map(RunEnded::jobsSent).hasValue((long) sent.size());
      assertThat(outcomes())
          .extracting(JobEnded::jobId)
          .containsExactlyInAnyOrderElementsOf(sent.stream().map(JobRequested::jobId).toList());
    }
  }

  @Test
  void refusesToGoOn_withAnotherExperiment() throws Exception {
    Experiment experiment = experiment("duration_seconds=3");
    try (var scheduler = scheduler(experiment);
        var executor = executor(experiment)) {
      scheduler.start();
      executor.join(TOPICS, kafka(), LaneFaults.NONE, failures::add);
      killInMidRun(experiment);
      assertThatThrownBy(generators(experiment("duration_seconds=4"))::resume)
          .isInstanceOf(UserMistakeException.class)
          .hasMessageStartingWith(
              "--resume: error: the run (resumed) has begun with another experiment");
    }
  }

  @Test
  void endsTheRunWithTheReason_whenLanesAreMissing() throws Exception {
    Experiment experiment = experiment();
    var impatient = new GeneratorSettings.TimeLimits(Duration.ofMillis(300), LIMIT);
    assertThatThrownBy(generators(experiment, impatient)::run)
        .isInstanceOf(RunFailedException.class)
        .hasMessageContaining("lanes are missing");
    assertThat(records())
        .singleElement()
        .isInstanceOfSatisfying(
            RunEnded.class,
            ended -> assertThat(ended.failure()).contains("shard 0 has no executor"));
  }

  @Test
  void endsTheRunWithTheReason_whenOutcomesAreMissing() throws Exception {
    Experiment experiment = experiment("tail_seconds=0.1");
    try (var executor = executor(experiment)) { // nobody schedules
      executor.join(TOPICS, kafka(), LaneFaults.NONE, failures::add);
      var impatient = new GeneratorSettings.TimeLimits(LIMIT, Duration.ofMillis(300));
      JobGenerators generators = generators(experiment, impatient);
      assertThatThrownBy(generators::run).hasMessageContaining("outcomes are missing");
      int sent = ofType(JobRequested.class, facts()).size();
      assertThat(generators.numbers().jobsSent()).isEqualTo(sent);
      assertThat(generators.numbers().arrivalsOver()).isTrue();
      assertThat(records())
          .last()
          .isInstanceOfSatisfying(
              RunEnded.class,
              ended -> {
                assertThat(ended.failure()).contains("outcomes are missing");
                assertThat(ended.jobsSent()).isEqualTo(sent);
              });
    }
  }

  /** Its run is left as by a process that was killed: nothing is written after the last job. */
  private void killInMidRun(Experiment experiment) throws Exception {
    var enough = new CountDownLatch(1);
    var waits = new AtomicInteger(); // one for each job, at least
    Pacer counting =
        atNs -> {
          if (waits.incrementAndGet() == 50) {
            enough.countDown();
          }
          pacer.awaitNs(atNs);
        };
    var limits = new GeneratorSettings.TimeLimits(LIMIT, LIMIT);
    var running = new FutureTask<>(generators(experiment, limits, counting)::run);
    var thread = new Thread(running, "doomed");
    thread.start();
    assertThat(enough.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    thread.interrupt();
    assertThatThrownBy(running::get).hasCauseInstanceOf(InterruptedException.class);
  }

  private LogClients kafka() {
    return LogClients.of(Map.of("bootstrap.servers", broker.bootstrapServers()));
  }

  private Experiment experiment(String... overrides) throws Exception {
    Path file = new Loop(folder, null).write(Loop.EMULATED);
    return ExperimentFile.read(file, List.of(overrides), Registries.vocabulary()).experiment();
  }

  private SchedulerStream scheduler(Experiment experiment) throws InterruptedException {
    return new SchedulerStream(
        ExperimentCore.settings(experiment),
        ExperimentCore.policies(experiment),
        TOPICS,
        kafka(),
        "schedule-0",
        folder.resolve("streams"),
        clock,
        failures::add);
  }

  private Executor executor(Experiment experiment) throws Exception {
    return new Executor(
            ExecutorSettings.of(experiment, "executor-0", 1, 0),
            LaneBackend.emulated(Emulation.of(experiment, null, 1, name -> 0)),
            clock,
            pacer,
            (done, total, what) -> {})
        .awaitWarm();
  }

  private JobGenerators generators(Experiment experiment) {
    return generators(experiment, new GeneratorSettings.TimeLimits(LIMIT, LIMIT));
  }

  private JobGenerators generators(Experiment experiment, GeneratorSettings.TimeLimits limits) {
    return generators(experiment, limits, pacer);
  }

  private JobGenerators generators(
      Experiment experiment, GeneratorSettings.TimeLimits limits, Pacer pacer) {
    return new JobGenerators(
        new GeneratorSettings(
            experiment,
            RequestList.draw(experiment),
            "resumed",
            ResolvedConfig.digest(experiment),
            TOPICS,
            limits),
        kafka(),
        clock,
        pacer,
        missing -> {});
  }

  private List<Fact> facts() throws Exception {
    var facts = new ArrayList<Fact>();
    for (byte[] bytes : read(TOPICS.facts())) {
      facts.add(EventCodec.FACTS.read(bytes));
    }
    return facts;
  }

  private List<RunRecord> records() throws Exception {
    var records = new ArrayList<RunRecord>();
    for (byte[] bytes : read(TOPICS.runs())) {
      records.add(EventCodec.RUNS.read(bytes));
    }
    return records;
  }

  private List<JobEnded> outcomes() throws Exception {
    var outcomes = new ArrayList<Outcome>();
    for (byte[] bytes : read(TOPICS.outcomes())) {
      outcomes.add(EventCodec.OUTCOMES.read(bytes));
    }
    return ofType(JobEnded.class, outcomes);
  }

  private static <T> List<T> ofType(Class<T> type, List<?> events) {
    return events.stream().filter(type::isInstance).map(type::cast).toList();
  }

  private List<byte[]> read(String topic) {
    return TopicRecords.of(broker.bootstrapServers(), topic).stream()
        .map(ConsumerRecord::value)
        .toList();
  }
}
