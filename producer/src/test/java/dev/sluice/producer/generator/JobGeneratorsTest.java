package dev.sluice.producer.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.Lane;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.experiment.Arrivals;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.producer.generator.JobGenerators.EndOfArrivals;
import dev.sluice.producer.generator.JobGenerators.EndedNumbers;
import dev.sluice.producer.generator.JobGenerators.GeneratorNumbers;
import dev.sluice.producer.generator.JobGenerators.RunFailedException;
import dev.sluice.producer.requests.ArrivalList;
import dev.sluice.producer.requests.Experiments;
import dev.sluice.producer.requests.RequestList;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A whole run of two generators and two shards, in virtual time and without a broker. Ten jobs a
 * second, the first at 0.1 s; measured from 0.5 s to 2 s (jobs 4 to 18), the tail ends at 3 s (job
 * 28 is the last).
 */
@Timeout(600)
final class JobGeneratorsTest {
  private static final long MS = 1_000_000;
  private static final int JOBS = 29;
  private static final Duration LANES_LIMIT = Duration.ofSeconds(20);
  private static final Duration OUTCOMES_LIMIT = Duration.ofSeconds(10);

  /** Time zero of a run that begins at once: 300 ms ahead, in the next whole millisecond. */
  private static final long ZERO_AT_NS = 301 * MS;

  private final VirtualTime time = new VirtualTime();
  private final ProcessClock clock =
      new ProcessClock(InstantSource.fixed(Instant.ofEpochSecond(1_000)), time::nowNs);
  private final FakeGeneratorLog log = new FakeGeneratorLog(time, 2, 2);
  private final Experiments experiment = new Experiments();
  private final List<String> missing = new ArrayList<>();
  private Runnable whenMissing = () -> {};

  JobGeneratorsTest() {
    experiment.arrivals = Arrivals.drawn("constant");
    experiment.ratePerSecond = 10;
    experiment.durationSeconds = 2;
    experiment.warmupSeconds = 0.5;
    experiment.tailSeconds = 1;
    experiment.generators = 2;
    experiment.shards = 2;
  }

  @AfterEach
  void leavesNothingOpen() {
    assertThat(log.openReaders).isZero();
    assertThat(log.openWriters).isZero();
  }

  @Test
  void beginsTheRun_whenEachShardCanRunEachKindOfJob() throws Exception {
    log.put(0, report("a", "onnx", "pytorch"), 100 * MS);
    log.put(1, report("b", "onnx"), 200 * MS);
    log.put(1, report("c", "pytorch"), 700 * MS);

    generators().run();

    assertThat(missing).containsExactly("shard 0 has no executor", "shard 1 has no executor");
    RunStarted started = log.runs(RunStarted.class).get(0);
    assertThat(started)
        .isEqualTo(
            new RunStarted(
                "run-1",
                1_001_001,
                42,
                "config",
                RequestList.draw(experiment.build()).digest(),
                2,
                2,
                3_000 * MS));
    assertThat(log.runs(RunStarted.class))
        .extracting(RunStarted::timeZeroEpochMs)
        .containsExactly(1_001_001L);
    for (int shard = 0; shard < 2; shard++) {
      assertThat(log.facts(RunStarted.class, shard)).containsExactly(started);
    }
  }

  @Test
  void saysNothingOfLanes_whenTheFirstLookFindsThemAll() throws Exception {
    lanesAreReady();
    generators().run();
    assertThat(missing).isEmpty();
    assertThat(log.runs(RunStarted.class))
        .extracting(RunStarted::timeZeroEpochMs)
        .containsExactly(1_000_301L);
  }

  @Test
  void refusesTheRunAndNamesWhatIsMissing_whenLanesAreMissingAfterTheLimit() {
    log.put(0, report("a", "onnx", "pytorch"), 0);
    log.put(1, report("b", "onnx"), 0);
    assertThatThrownBy(generators()::run)
        .isInstanceOf(RunFailedException.class)
        .hasMessageStartingWith("lanes are missing after (20) s: shard 1 has no lane for ")
        .hasMessageContaining(" on pytorch in fp32 (executors: b)")
        .hasMessageNotContaining("shard 0")
        .hasMessageNotContaining("on onnx");
    assertThat(time.nowNs()).isEqualTo(LANES_LIMIT.toNanos());
    assertThat(log.runs)
        .singleElement()
        .extracting(FakeGeneratorLog.Entry::event)
        .isInstanceOfSatisfying(
            RunEnded.class,
            ended -> {
              assertThat(ended.failure()).startsWith("lanes are missing after (20) s: shard 1");
              assertThat(ended.jobsSent()).isZero();
            });
    assertThat(log.facts(JobRequested.class)).isEmpty();
  }

  @Test
  void sendsEachJobOnceAtItsTime_toItsShard() throws Exception {
    lanesAreReady();
    oneMeasuredJobWaits();
    JobGenerators generators = generators();
    generators.run();

    RequestList requests = RequestList.draw(experiment.build());
    assertThat(requests.size()).isEqualTo(JOBS);
    for (int shard = 0; shard < 2; shard++) {
      int thisShard = shard;
      assertThat(log.facts(JobRequested.class, shard))
          .containsExactlyElementsOf(
              IntStream.range(0, JOBS)
                  .filter(index -> index % 2 == thisShard)
                  .mapToObj(
                      index -> {
                        long ns = requests.intendedAtNs(index);
                        return requests.get(index, thisShard, ns, ns);
                      })
                  .toList());
    }
    assertThat(log.facts(ArrivalsEnded.class, 0))
        .containsExactly(
            new ArrivalsEnded(0, 15, 0, 0, FakeGeneratorLog.CLOCK_OFFSET_NS),
            new ArrivalsEnded(1, 0, 0, 0, FakeGeneratorLog.CLOCK_OFFSET_NS));
    assertThat(log.facts(ArrivalsEnded.class, 1))
        .containsExactly(
            new ArrivalsEnded(0, 0, 0, 0, FakeGeneratorLog.CLOCK_OFFSET_NS),
            new ArrivalsEnded(1, 14, 0, 0, FakeGeneratorLog.CLOCK_OFFSET_NS));
    assertThat(generators.numbers()).isEqualTo(new GeneratorNumbers(JOBS, 0, 0, true));
  }

  @Test
  void saysHowLateEachGeneratorWas() throws Exception {
    lanesAreReady();
    oneMeasuredJobWaits();
    log.afterSending =
        job -> {
          if (job.index() == 5) {
            time.takes(250 * MS); // from 600 ms to 850 ms; its generator's next is meant for 800 ms
          }
        };
    JobGenerators generators = generators();
    generators.run();
    assertThat(log.facts(JobRequested.class))
        .filteredOn(job -> job.sentAtNs() != job.intendedAtNs())
        .singleElement()
        .satisfies(
            job -> {
              assertThat(job.index()).isEqualTo(7);
              assertThat(job.sentAtNs()).isEqualTo(850 * MS);
            });
    assertThat(log.facts(ArrivalsEnded.class, 1))
        .containsExactly(
            new ArrivalsEnded(0, 0, 0, 0, FakeGeneratorLog.CLOCK_OFFSET_NS),
            new ArrivalsEnded(1, 14, 50 * MS, 50 * MS, FakeGeneratorLog.CLOCK_OFFSET_NS));
    assertThat(generators.numbers()).isEqualTo(new GeneratorNumbers(JOBS, 0, 50 * MS, true));
  }

  @Test
  void stopsAtTheDuration_whenEachMeasuredJobHasEnded() throws Exception {
    lanesAreReady();
    Optional<RunEnded> ended = generators().run();
    assertThat(reasons()).containsExactly(EndOfArrivals.MEASURED_JOBS_ENDED);
    assertThat(sent()).containsExactlyElementsOf(IntStream.range(0, 20).boxed().toList());
    assertThat(ended).hasValue(new RunEnded("run-1", 20, false, false, 2_100 * MS, null, 0L));
    assertThat(log.runs(RunEnded.class)).containsExactly(ended.orElseThrow());
  }

  @Test
  void stopsAtTheEndOfTheLastMeasuredJob_andWaitsForTheOthers() throws Exception {
    lanesAreReady();
    log.doneAfterNs =
        job -> job.index() == 10 ? 1_350 * MS : job.index() == 23 ? 4_000 * MS : 5 * MS;
    Optional<RunEnded> ended = generators().run();
    assertThat(reasons()).containsExactly(EndOfArrivals.MEASURED_JOBS_ENDED);
    assertThat(sent()).as("2.45 s").hasSize(24).endsWith(23);
    assertThat(ended).hasValue(new RunEnded("run-1", 24, false, false, 6_400 * MS, null, 0L));
  }

  /** The list has no tail: its requests are waited for, and the sixth has a second job. */
  @Test
  void aRequestOfSeveralJobs_hasEndedOnceAllOfThemHave() throws Exception {
    lanesAreReady();
    RequestList jobs = RequestList.draw(experiment.build());
    ArrivalList requests =
        new ArrivalList() {
          @Override
          public int size() {
            return jobs.size();
          }

          @Override
          public long intendedAtNs(int index) {
            return jobs.intendedAtNs(index);
          }

          @Override
          public JobRequested get(int index, int generator, long intendedAtNs, long sentAtNs) {
            return jobs.get(index, generator, intendedAtNs, sentAtNs);
          }

          @Override
          public int indexOf(String jobId) {
            return jobId.equals("second") ? 5 : jobs.indexOf(jobId);
          }

          @Override
          public int jobs(int index) {
            return index == 5 ? 2 : 1;
          }

          @Override
          public List<ModelKey> models() {
            return jobs.models();
          }

          @Override
          public String digest() {
            return "graphs";
          }
        };
    var second = new JobEnded("second", JobEnded.Status.FAILED, "no memory", null, 1, 9_000 * MS);
    log.outcomes.add(new FakeGeneratorLog.Entry(1, second, ZERO_AT_NS + 9_000 * MS));
    var settings =
        new GeneratorSettings(
            requests,
            "run-1",
            42,
            "config",
            2,
            2,
            0,
            jobs.intendedAtNs(JOBS - 1) + 1,
            Long.MAX_VALUE,
            false,
            FakeGeneratorLog.TOPICS,
            new GeneratorSettings.TimeLimits(LANES_LIMIT, OUTCOMES_LIMIT));
    JobGenerators generators = generators(settings);
    assertThat(generators.started()).isNull();
    assertThat(generators.ended()).isEqualTo(new EndedNumbers(0, 0, 0));
    Optional<RunEnded> ended = generators.run();
    assertThat(reasons()).containsExactly(EndOfArrivals.MEASURED_JOBS_ENDED);
    assertThat(sent()).hasSize(JOBS);
    assertThat(ended.orElseThrow().endedAtNs()).isBetween(9_000 * MS, 9_050 * MS);
    assertThat(generators.ended()).isEqualTo(new EndedNumbers(JOBS, JOBS + 1, JOBS));
    assertThat(generators.started())
        .isEqualTo(new RunStarted("run-1", 1_000_301, 42, "config", "graphs", 2, 2, null));
  }

  @Test
  void stopsAtTheTailsEnd_whenAMeasuredJobWaits() throws Exception {
    lanesAreReady();
    oneMeasuredJobWaits();
    Optional<RunEnded> ended = generators().run();
    assertThat(reasons()).containsExactly(EndOfArrivals.TAIL_LIMIT);
    assertThat(ended).map(RunEnded::tailLimitReached).hasValue(true);
    assertThat(ended).map(RunEnded::interrupted).hasValue(false);
    assertThat(ended).map(RunEnded::jobsSent).hasValue((long) JOBS);
    assertThat(ended.orElseThrow().endedAtNs()).isBetween(3_000 * MS, 3_050 * MS);
  }

  @Test
  void endsTheRunWithTheReason_whenOutcomesAreMissingAfterTheLimit() {
    lanesAreReady();
    log.doneAfterNs = job -> job.index() == 3 ? 3_600_000 * MS : 5 * MS;
    JobGenerators generators = generators();
    assertThatThrownBy(generators::run)
        .isInstanceOf(RunFailedException.class)
        .hasMessage(
            "outcomes are missing (10) s after the last arrival: (1) of (20) jobs, the first:"
                + " job-3");
    assertThat(log.runs(RunEnded.class))
        .singleElement()
        .satisfies(
            ended -> {
              assertThat(ended.failure()).startsWith("outcomes are missing (10) s");
              assertThat(ended.jobsSent()).isEqualTo(20);
            });
  }

  @Test
  void goesOnAfterADeath_andSendsNoJobTwice() throws Exception {
    lanesAreReady();
    killAt(1_000 * MS);
    assertThat(log.runs(RunEnded.class)).isEmpty();
    assertThat(log.facts(ArrivalsEnded.class)).isEmpty();
    assertThatThrownBy(generators()::run)
        .isInstanceOf(UserMistakeException.class)
        .hasMessageStartingWith("--run-id: error: the run (run-1) has begun.");
    List<Integer> before = sent();
    assertThat(before).as("to 1 s").hasSize(10);
    time.pass(() -> ZERO_AT_NS + 1_450 * MS, () -> false);

    JobGenerators generators = generators();
    Optional<RunEnded> ended = generators.resume();

    assertThat(sent().subList(0, 10)).isEqualTo(before);
    assertThat(sent())
        .as("jobs meant for 1.1 s to 1.4 s are passed over")
        .containsExactlyElementsOf(
            Stream.concat(before.stream(), IntStream.range(14, 20).boxed()).toList());
    assertThat(ended).hasValue(new RunEnded("run-1", 16, false, false, 2_100 * MS, null, 4L));
    assertThat(log.runs(RunStarted.class)).hasSize(1);
    assertThat(log.facts(RunStarted.class)).hasSize(2);
    assertThat(log.facts(ArrivalsEnded.class))
        .extracting(ArrivalsEnded::jobsSent)
        .containsExactly(8L, 0L, 0L, 8L);
    assertThat(generators.numbers().jobsSent()).isEqualTo(16);
    assertThatThrownBy(generators()::resume)
        .isInstanceOf(UserMistakeException.class)
        .hasMessageStartingWith("--run-id: error: the run (run-1) has ended.");
  }

  @Test
  void tellsOnlyTheShardsThatDoNotKnow_whenTheDeathCameInTheMidstOfTheBeginning() throws Exception {
    RunStarted started = started("config");
    log.put(started, 0);
    log.put(0, started, 0);
    generators().resume();
    assertThat(log.runs(RunStarted.class)).hasSize(1);
    assertThat(log.facts(RunStarted.class, 0)).containsExactly(started);
    assertThat(log.facts(RunStarted.class, 1)).containsExactly(started);
    assertThat(sent()).hasSize(20);
  }

  @Test
  void sendsNothingMore_whenTheDeathCameInTheMidstOfTheEnd() throws Exception {
    lanesAreReady();
    log.doneAfterNs = job -> FakeGeneratorLog.WAITS;
    killAt(1_000 * MS);
    var known = new ArrivalsEnded(0, 5, 0, 0, FakeGeneratorLog.CLOCK_OFFSET_NS);
    try (var writer = log.open(settings(), clock).openWriter()) {
      writer.append(0, known, failure -> {});
    }

    Optional<RunEnded> ended = generators().resume();

    assertThat(sent()).hasSize(10);
    assertThat(log.facts(ArrivalsEnded.class))
        .containsExactlyInAnyOrder(
            known,
            new ArrivalsEnded(0, 0, 0, 0, 0), // the first record, before any is acknowledged
            new ArrivalsEnded(1, 0, 0, 0, FakeGeneratorLog.CLOCK_OFFSET_NS),
            new ArrivalsEnded(1, 5, 0, 0, FakeGeneratorLog.CLOCK_OFFSET_NS));
    assertThat(ended).map(RunEnded::interrupted).as("measured jobs were never sent").hasValue(true);
  }

  @Test
  void countsNoJobOfTheTailAsNeverSent_whenTheArrivalsHadEnded() throws Exception {
    lanesAreReady();
    log.doneAfterNs = job -> FakeGeneratorLog.WAITS;
    killAt(2_300 * MS);
    try (var writer = log.open(settings(), clock).openWriter()) {
      writer.append(
          0, new ArrivalsEnded(0, 5, 0, 0, FakeGeneratorLog.CLOCK_OFFSET_NS), failure -> {});
    }
    time.pass(() -> ZERO_AT_NS + 2_900 * MS, () -> false);
    Optional<RunEnded> ended = generators().resume();
    assertThat(sent()).hasSizeBetween(20, 24);
    assertThat(ended).map(RunEnded::jobsNeverSent).hasValue(0L);
  }

  @Test
  void refusesToGoOn_withAnotherExperiment() {
    log.put(started("another"), 0);
    assertThatThrownBy(generators()::resume)
        .isInstanceOf(UserMistakeException.class)
        .hasMessageStartingWith(
            "--resume: error: the run (run-1) has begun with another experiment");
  }

  @Test
  void failsTheRun_whenAJobCannotBeSent() {
    lanesAreReady();
    log.refuses = fact -> fact instanceof JobRequested job && job.index() == 5;
    assertThatThrownBy(generators()::run)
        .isInstanceOf(RunFailedException.class)
        .hasMessage("a generator could not send: refused");
    assertThat(sent()).hasSizeLessThanOrEqualTo(6).doesNotContain(5);
    assertThat(log.facts(ArrivalsEnded.class)).isEmpty();
    assertThat(log.runs(RunEnded.class))
        .extracting(RunEnded::failure)
        .containsExactly("a generator could not send: refused");
  }

  @Test
  void failsTheRun_whenAGeneratorFails() {
    lanesAreReady();
    log.afterSending =
        job -> {
          if (job.index() == 5) {
            throw new IllegalStateException("a bug");
          }
        };
    assertThatThrownBy(generators()::run)
        .isInstanceOf(RunFailedException.class)
        .hasMessage("a generator could not send: a bug");
  }

  @Test
  void failsTheRun_whenTheArrivalsEndCannotBeWritten() {
    lanesAreReady();
    log.refuses = ArrivalsEnded.class::isInstance;
    assertThatThrownBy(generators()::run)
        .isInstanceOf(RunFailedException.class)
        .hasMessageStartingWith("a record could not be written: ");
  }

  @Test
  void failsTheRun_whenTheBrokerFails() {
    lanesAreReady();
    log.brokenAtNs = 1_000 * MS;
    assertThatThrownBy(generators()::run)
        .isInstanceOf(RunFailedException.class)
        .hasMessage("Kafka failed the generators: the broker is gone");
    assertThat(log.runs(RunEnded.class)).hasSize(1);
  }

  @Test
  void tellsItsOwnReason_whenTheRunsEndCannotBeWritten() {
    log.deaf = true;
    assertThatThrownBy(generators()::run).hasMessageStartingWith("lanes are missing after (20) s");
    assertThat(log.runs).isEmpty();
  }

  @Test
  void ends_whenAnotherRoleEndsTheRun() throws Exception {
    lanesAreReady();
    var others = new RunEnded("run-1", 0, false, true, 1, null, null);
    log.put(others, ZERO_AT_NS + 1_050 * MS);
    assertThat(generators().run()).hasValue(others);
    assertThat(sent()).hasSize(10);
    assertThat(log.facts(ArrivalsEnded.class)).isEmpty();
    assertThat(log.runs(RunEnded.class)).containsExactly(others);
  }

  @Test
  void fails_whenAnotherRoleGivesTheRunUp() {
    lanesAreReady();
    log.put(new RunEnded("run-1", 0, false, false, 1, "no memory", null), ZERO_AT_NS + 1_050 * MS);
    assertThatThrownBy(generators()::run)
        .isInstanceOf(RunFailedException.class)
        .hasMessage("another role gave the run up: no memory");
    assertThat(log.runs(RunEnded.class)).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void endsTheArrivalsAtOnce_whenStopped(boolean wished) throws Exception {
    lanesAreReady();
    JobGenerators generators = generators();
    log.afterSending =
        job -> {
          if (job.index() == 8) {
            generators.stop(wished);
          }
        };
    Optional<RunEnded> ended = generators.run();
    assertThat(sent()).hasSize(9);
    assertThat(ended).map(RunEnded::interrupted).hasValue(wished);
    assertThat(ended).map(RunEnded::jobsSent).hasValue(9L);
  }

  @Test
  void writesNothing_whenStoppedBeforeTheRunBegins() throws Exception {
    JobGenerators generators = generators();
    whenMissing = generators::stop;
    assertThat(generators.run()).isEmpty();
    assertThat(missing).isNotEmpty();
    assertThat(log.runs).isEmpty();
    assertThat(log.facts).isEmpty();
  }

  @Test
  void endsTheRun_whenStoppedBeforeItResumes() throws Exception {
    lanesAreReady();
    killAt(1_000 * MS);
    JobGenerators generators = generators();
    generators.stop();
    Optional<RunEnded> ended = generators.resume();
    assertThat(ended).map(RunEnded::interrupted).hasValue(true);
    assertThat(ended).map(RunEnded::jobsSent).hasValue(10L);
    assertThat(sent()).hasSize(10);
  }

  /** Jobs take 300 ms: at 0, 300, … 1,800 ms, and the last one ends beyond the duration of 2 s. */
  @Test
  void sendsEachJobWhenTheOneBeforeHasEnded_inASingleStream() throws Exception {
    lanesAreReady();
    singleStream();
    log.doneAfterNs = job -> 300 * MS;
    Optional<RunEnded> ended = generators().run();
    List<JobRequested> jobs = log.facts(JobRequested.class);
    assertThat(jobs.stream().sorted(Comparator.comparing(JobRequested::index)).toList())
        .extracting(JobRequested::intendedAtNs)
        .containsExactly(0L, 300 * MS, 600 * MS, 900 * MS, 1200 * MS, 1500 * MS, 1800 * MS);
    assertThat(jobs).allMatch(job -> job.sentAtNs() == job.intendedAtNs());
    assertThat(reasons()).containsExactly(EndOfArrivals.MEASURED_JOBS_ENDED);
    assertThat(ended).map(RunEnded::jobsSent).hasValue(7L);
    assertThat(log.facts(ArrivalsEnded.class))
        .allMatch(end -> time.nowNs() >= ZERO_AT_NS + 2_100 * MS);
    assertThat(ended).map(RunEnded::tailLimitReached).hasValue(false);
  }

  @Test
  void waitsForTheJobUnderWay_atMostToTheTailsEnd_inASingleStream() throws Exception {
    lanesAreReady();
    singleStream();
    log.doneAfterNs = job -> job.index() == 3 ? FakeGeneratorLog.WAITS : 200 * MS;
    Optional<RunEnded> ended = generators().run();
    assertThat(sent()).containsExactly(0, 1, 2, 3);
    assertThat(reasons()).containsExactly(EndOfArrivals.TAIL_LIMIT);
    assertThat(ended).map(RunEnded::tailLimitReached).hasValue(true);
    assertThat(time.nowNs()).isGreaterThanOrEqualTo(ZERO_AT_NS + 3_000 * MS);
  }

  @Test
  void endsASingleStream_withItsList_butNotBeforeTheDuration() throws Exception {
    lanesAreReady();
    singleStream();
    experiment.ratePerSecond = 2;
    Optional<RunEnded> ended = generators().run();
    assertThat(sent()).containsExactly(0, 1, 2, 3);
    assertThat(reasons()).containsExactly(EndOfArrivals.MEASURED_JOBS_ENDED);
    assertThat(ended)
        .map(RunEnded::endedAtNs)
        .hasValueSatisfying(atNs -> assertThat(atNs).isBetween(2_000 * MS, 2_200 * MS));
  }

  @Test
  void stopsASingleStream_whenAsked() throws Exception {
    lanesAreReady();
    singleStream();
    JobGenerators generators = generators();
    log.afterSending =
        job -> {
          if (job.index() == 2) {
            generators.stop();
          }
        };
    assertThat(generators.run()).map(RunEnded::interrupted).hasValue(true);
    assertThat(reasons()).containsExactly(EndOfArrivals.STOPPED);
    assertThat(sent().size()).isLessThan(20);
  }

  @Test
  void takesNoSingleStreamUpAgain() {
    lanesAreReady();
    singleStream();
    killAt(1_000 * MS);
    assertThatThrownBy(generators()::resume)
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("(scenario single_stream), and is not taken up again");
  }

  @Test
  void sendsAllJobsAtOnce_offline() throws Exception {
    lanesAreReady();
    experiment.scenario = Scenario.OFFLINE;
    experiment.warmupSeconds = 0;
    log.doneAfterNs = job -> job.index() * 100 * MS;
    Optional<RunEnded> ended = generators().run();
    assertThat(log.facts(JobRequested.class))
        .hasSize(20)
        .allMatch(job -> job.intendedAtNs() == 0 && job.sentAtNs() == 0);
    assertThat(ended).map(RunEnded::tailLimitReached).hasValue(false);
    assertThat(ended)
        .map(RunEnded::endedAtNs)
        .hasValueSatisfying(atNs -> assertThat(atNs).isBetween(2_000 * MS, 2_200 * MS));
  }

  private void singleStream() {
    experiment.scenario = Scenario.SINGLE_STREAM;
    experiment.arrivals = Arrivals.POISSON;
    experiment.generators = 1;
    log.generators = 1;
  }

  /** Leaves a run as a killed process would: nothing is written after the last job. */
  private void killAt(long ns) {
    log.interruptedAtNs = ZERO_AT_NS + ns;
    assertThatThrownBy(generators()::run).isInstanceOf(InterruptedException.class);
    log.interruptedAtNs = Long.MAX_VALUE;
  }

  private void oneMeasuredJobWaits() {
    log.doneAfterNs = job -> job.index() == 10 ? FakeGeneratorLog.WAITS : 5 * MS;
  }

  private void lanesAreReady() {
    log.put(0, report("a", "onnx", "pytorch"), 0);
    log.put(1, report("b", "onnx", "pytorch"), 0);
  }

  /** Returns the indexes of the jobs that were sent, in order. */
  private List<Integer> sent() {
    return log.facts(JobRequested.class).stream().map(job -> (int) job.index()).sorted().toList();
  }

  private RunStarted started(String configDigest) {
    String digest = RequestList.draw(experiment.build()).digest();
    return new RunStarted("run-1", 1_000_301, 42, configDigest, digest, 2, 2, 3_000 * MS);
  }

  private GeneratorSettings settings() {
    return new GeneratorSettings(
        experiment.build(),
        RequestList.draw(experiment.build()),
        "run-1",
        "config",
        FakeGeneratorLog.TOPICS,
        new GeneratorSettings.TimeLimits(LANES_LIMIT, OUTCOMES_LIMIT));
  }

  private JobGenerators generators() {
    return generators(settings());
  }

  private JobGenerators generators(GeneratorSettings settings) {
    return new JobGenerators(
        settings,
        log.open(settings, clock),
        clock,
        time,
        lanes -> {
          missing.addAll(lanes);
          whenMissing.run();
        },
        time.threads());
  }

  /** Why the arrivals ended, as the ends of the run in the log say. */
  private List<EndOfArrivals> reasons() {
    return log.runs(RunEnded.class).stream()
        .map(
            ended ->
                ended.interrupted()
                    ? EndOfArrivals.STOPPED
                    : ended.tailLimitReached()
                        ? EndOfArrivals.TAIL_LIMIT
                        : EndOfArrivals.MEASURED_JOBS_ENDED)
        .toList();
  }

  private static ExecutorReported report(String id, String... backends) {
    List<Capability> capabilities =
        Stream.of("resnet18", "resnet50", "vit")
            .flatMap(
                workload ->
                    Stream.of(backends)
                        .map(backend -> new Capability(workload, backend, "fp32", 1, List.of())))
            .toList();
    return new ExecutorReported(
        id, 1, false, "cpu", null, List.of(new Lane(0, List.of())), capabilities, 0, null, null);
  }
}
