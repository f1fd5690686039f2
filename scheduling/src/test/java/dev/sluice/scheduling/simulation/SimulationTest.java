package dev.sluice.scheduling.simulation;

import static dev.sluice.scheduling.simulation.Simulated.MS;
import static dev.sluice.scheduling.simulation.Simulated.constant;
import static dev.sluice.scheduling.simulation.Simulated.core;
import static dev.sluice.scheduling.simulation.Simulated.job;
import static dev.sluice.scheduling.simulation.Simulated.requests;
import static dev.sluice.scheduling.simulation.Simulated.settings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.scheduling.simulation.Hops.Hop;
import dev.sluice.scheduling.simulation.Hops.Kind;
import dev.sluice.scheduling.simulation.Simulation.ServiceModel;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Small experiments whose course can be reckoned by hand. */
final class SimulationTest {
  private static final long TOKENS = 1000;

  @Test
  void startsAJobWhenItArrives_andEndsItAfterItsServiceTime() {
    Simulated told = fifo(1, Hops.NONE, job(0, "small", 3, 10 * MS));
    BatchCompleted ran = told.batchOf("job-0").fact();
    assertThat(ran.startedAtNs()).isEqualTo(10 * MS);
    assertThat(ran.finishedAtNs()).isEqualTo(40 * MS);
    assertThat(ran.busyLanes()).isOne();
    assertThat(told.end().jobs()).isOne();
    assertThat(told.end().endedAtNs()).isEqualTo(40 * MS);
  }

  @Test
  void startsTheNextAtTheVeryEndOfTheOneBefore() {
    Simulated told = fifo(1, Hops.NONE, job(0, "small", 1, 0), job(1, "small", 1, MS));
    assertThat(told.batchOf("job-1").fact().startedAtNs()).isEqualTo(10 * MS);
  }

  @Test
  void endsABatchBeforeAJobArrives_whenBothAreDueAtOneNanosecond() {
    Simulated told = fifo(1, Hops.NONE, job(0, "small", 1, 0), job(1, "small", 1, 10 * MS));
    assertThat(told.dispatches.get(1).dispatchId().factOffset())
        .as("the fact of job-1's own arrival, not of the completion before it")
        .isEqualTo(told.dispatches.get(0).dispatchId().factOffset() + 2);
    assertThat(told.batchOf("job-1").fact().startedAtNs()).isEqualTo(10 * MS);
  }

  @Test
  void givesTheLowestLaneToTheFirst_whenTwoJobsArriveAtOneNanosecond() {
    Simulated told = fifo(2, Hops.NONE, job(0, "small", 1, 5), job(1, "small", 2, 5));
    assertThat(told.batchOf("job-0").fact().lane()).isZero();
    assertThat(told.batchOf("job-1").fact().lane()).isOne();
    assertThat(told.batchOf("job-1").fact().busyLanes()).isEqualTo(2);
  }

  @Test
  void slowsABatchDown_onlyWhileAnotherRuns() {
    ServiceModel contended =
        new ServiceModel() {
          @Override
          public double[] nsByBusyLanes(Work batch) {
            return new double[] {100 * MS, 150 * MS};
          }

          @Override
          public double factor(Work batch, long startsAtNs) {
            return 1;
          }
        };
    Simulated told =
        Simulated.run(
            settings(core(false, 0), "fifo", 1, 2, TOKENS, Hops.NONE),
            contended,
            requests(List.of(job(0, "small", 1, 0), job(1, "small", 1, 40 * MS))));
    // 40 % is done alone; the other 60 % take 90 ms; then 60 % of the second are done, 40 % alone.
    assertThat(told.batchOf("job-0").fact().finishedAtNs()).isEqualTo(130 * MS);
    assertThat(told.batchOf("job-1").fact().finishedAtNs()).isEqualTo(170 * MS);
  }

  @Test
  void addsWhatTheLoopTakes() {
    Hops hops =
        Hops.recorded(
            List.of(
                new Hop(0, Kind.REQUEST, 100_000, 2 * MS, 3 * MS),
                new Hop(0, Kind.COMPLETION, 200_000, MS, 4 * MS)),
            1);
    Simulated told = fifo(1, hops, job(0, "small", 1, 0), job(1, "small", 1, MS));
    var first = told.batchOf("job-0");
    assertThat(first.fact().startedAtNs()).isEqualTo(5_100_000);
    assertThat(first.fact().emulatedServiceNs()).isEqualTo(10 * MS);
    assertThat(first.fact().serviceNs()).isEqualTo(10_200_000);
    assertThat(first.appendedAtNs()).as("log time of 16.3 ms").isEqualTo(16 * MS);
    assertThat(told.batchOf("job-1").fact().startedAtNs()).isEqualTo(20_300_000);
  }

  /**
   * A job takes 2 ms to the log, 3 ms to its lane and 10.2 ms there; its completion takes 1 ms to
   * the log, and the outcome 4 ms to the generator. Nobody is late.
   */
  @Test
  void sendsEachJobWhenTheOneBeforeHasEnded_inASingleStream() {
    Hops hops =
        Hops.recorded(
            List.of(
                new Hop(0, Kind.REQUEST, 100_000, 2 * MS, 3 * MS),
                new Hop(0, Kind.COMPLETION, 200_000, MS, 4 * MS)),
            1);
    Simulated told =
        Simulated.run(
            settings(core(false, 0), "fifo", 2, 2, TOKENS, hops),
            constant(10 * MS),
            new Requests() {
              private int sent;

              @Override
              public @Nullable JobRequested next(int generator) {
                return nextAt(0);
              }

              @Override
              public boolean oneAtATime() {
                return true;
              }

              @Override
              public @Nullable JobRequested nextAt(long intendedAtNs) {
                return intendedAtNs < 50 * MS ? job(sent++, "small", 1, intendedAtNs) : null;
              }

              @Override
              public boolean isMeasured(String jobId) {
                return true;
              }
            });
    assertThat(told.intendedAtNs).containsExactly(0L, 20_200_000L, 40_400_000L);
    assertThat(told.requested).containsExactly("job-0", "job-1", "job-2");
    assertThat(told.ends).hasSize(3);
    assertThat(told.end().jobs()).isEqualTo(3);
  }

  @Test
  void startsTheBatchAheadAtOnce() {
    Hops hops =
        Hops.recorded(
            List.of(new Hop(0, Kind.REQUEST, 0, 0, MS), new Hop(0, Kind.COMPLETION, 0, MS, MS)), 1);
    Simulated told =
        Simulated.run(
            settings(core(false, 1), "fifo", 1, 1, TOKENS, hops),
            constant(10 * MS),
            requests(List.of(job(0, "small", 1, 0), job(1, "small", 1, 0), job(2, "small", 1, 0))));
    assertThat(told.batchOf("job-1").fact().startedAtNs()).isEqualTo(11 * MS);
    assertThat(told.batchOf("job-2").fact().startedAtNs()).isEqualTo(21 * MS);
  }

  @Test
  void ticksWhenAWindowIsOver() {
    Simulated told =
        Simulated.run(
            settings(core(true, 0), "dynamic", 1, 1, TOKENS, Hops.NONE),
            constant(MS),
            requests(List.of(job(1, "small", 2, 300_000), job(2, "small", 3, 2 * MS))));
    BatchCompleted ran = told.batchOf("job-1").fact();
    assertThat(told.batchOf("job-2").fact().dispatchId())
        .isEqualTo(told.batchOf("job-1").fact().dispatchId());
    assertThat(ran.startedAtNs()).as("5 ms after log time 0").isEqualTo(5 * MS);
    assertThat(told.lines).anyMatch(line -> line.equals("0 5000000 Ticked[sentAtNs=null]"));
  }

  @Test
  void endsTheArrivalsWithTheTail_andDropsWhatWaits() {
    List<JobRequested> jobs =
        IntStream.range(0, 10).mapToObj(i -> job(i, "small", 1, i * MS)).toList();
    var settings = settings(core(false, 0), "fifo", 1, 1, TOKENS, Hops.NONE);
    var withTail =
        new SimulationSettings(
            settings.started(),
            settings.core(),
            settings.policies(),
            1,
            1,
            TOKENS,
            true,
            "made-up",
            settings.capabilities(),
            null,
            1,
            5 * MS,
            25 * MS,
            Hops.NONE);
    Simulated told = Simulated.run(withTail, constant(10 * MS), requests(jobs));
    assertThat(told.end().tailLimitReached()).isTrue();
    assertThat(told.ends.stream().filter(end -> end.status() == JobEnded.Status.DONE)).hasSize(3);
    assertThat(told.ends.stream().filter(end -> "run_ended".equals(end.reason()))).hasSize(7);
  }

  @Test
  void sendsNoMore_onceTheMeasuredJobsHaveEnded() {
    Requests endless =
        new Requests() {
          private int next;

          @Override
          public JobRequested next(int generator) {
            return job(next, "small", 1, next++ * 20 * MS);
          }

          @Override
          public boolean isMeasured(String jobId) {
            return jobId.equals("job-0") || jobId.equals("job-1");
          }
        };
    var told =
        Simulated.run(
            settings(core(false, 0), "fifo", 1, 1, TOKENS, Hops.NONE), constant(10 * MS), endless);
    assertThat(told.requested).containsExactly("job-0", "job-1");
    assertThat(told.end().tailLimitReached()).isFalse();
  }

  @Test
  void countsAsEvents_theFactsAndTheStartsAndEndsOfBatches() {
    Simulated told = fifo(1, Hops.NONE, job(0, "small", 1, 0), job(1, "small", 1, 0));
    assertThat(told.end().events()).isEqualTo(told.facts.size() + 2 * 2);
  }

  /** The first completion takes 600 ms to the log, the second one, of 10 ms later, none. */
  @Test
  void completionsOfALaneStandInTheLogInTheirOrder() {
    Hops hops =
        Hops.recorded(
            List.of(
                new Hop(0, Kind.REQUEST, 0, 0, 0),
                new Hop(0, Kind.COMPLETION, 0, 600 * MS, 0),
                new Hop(500 * MS, Kind.COMPLETION, 0, 0, 0)),
            1);
    Simulated told =
        Simulated.run(
            settings(core(false, 1), "fifo", 1, 1, TOKENS, hops),
            constant(10 * MS),
            requests(List.of(job(0, "small", 49, 0), job(1, "small", 2, 0))));
    assertThat(told.batches).hasSize(2);
    assertThat(told.batches.get(0)).isEqualTo(told.batchOf("job-0"));
    assertThat(told.batchOf("job-1").fact().finishedAtNs()).isEqualTo(510 * MS);
    assertThat(told.batches)
        .extracting(Simulated.Batch::appendedAtNs)
        .containsExactly(1090 * MS, 1090 * MS);
  }

  private static Simulated fifo(int lanes, Hops hops, JobRequested... jobs) {
    return Simulated.run(
        settings(core(false, 0), "fifo", 1, lanes, TOKENS, hops),
        constant(10 * MS),
        requests(List.of(jobs)));
  }
}
