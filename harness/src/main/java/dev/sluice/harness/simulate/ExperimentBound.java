package dev.sluice.harness.simulate;

import dev.sluice.analytics.bound.BatchTimes;
import dev.sluice.analytics.bound.FluidBound;
import dev.sluice.analytics.bound.OneLaneOptimum;
import dev.sluice.analytics.bound.SchedulingInstance;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Microbatch;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.emulation.Emulation;
import dev.sluice.producer.requests.JobKind;
import dev.sluice.producer.requests.RequestList;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * An upper bound on the good jobs of an experiment, among those that are measured. A batch takes at
 * least the least of its mean times by busy lanes, times the least factor that noise and drift give
 * any batch of these requests.
 */
public final class ExperimentBound {
  private static final String SERVICE_TIMES = "service times: ";

  private final SimulatedExperiment experiment;
  private final double lanes;
  private final List<BatchTimes> families = new ArrayList<>();

  /** Families by the number of a kind of requests. */
  private final int[] familyOfKind;

  private final int measuredFrom;
  private final int measuredTo;

  /** Least normal number of the batches' noise; NaN: nobody has asked for it yet. */
  private double leastNormal = Double.NaN;

  private double factorMin = Double.POSITIVE_INFINITY;
  private boolean contended;
  private boolean exact = true;

  /**
   * A bound.
   *
   * @param jobs jobs that count
   * @param goodMax how many of them are good at most
   * @param optimum true if a scheduler that knows the future reaches it
   */
  public record Good(int jobs, int goodMax, boolean optimum) {
    /** Share of good jobs; 1 if there are no jobs. */
    public double share() {
      return jobs == 0 ? 1 : (double) goodMax / jobs;
    }
  }

  /** Jobs that may share a batch with each other alone. */
  private record Family(ModelKey model, boolean shares) {}

  private ExperimentBound(SimulatedExperiment experiment) throws UserMistakeException {
    this.experiment = experiment;
    Experiment asked = experiment.parsed().experiment();
    RequestList requests = experiment.requests();
    lanes = (double) asked.lanes().count() * asked.kafka().shards();
    measuredFrom = requests.countBefore(Math.round(asked.load().warmupSeconds() * 1e9));
    measuredTo = requests.countBefore(Math.round(asked.load().durationSeconds() * 1e9));
    refuse(asked, requests);
    Map<Family, Integer> numbers = new LinkedHashMap<>();
    List<JobKind> kinds = requests.kinds();
    familyOfKind = new int[kinds.size()];
    for (int i = 0; i < familyOfKind.length; i++) {
      Family family = family(asked, kinds.get(i));
      if (!numbers.containsKey(family)) {
        numbers.put(family, numbers.size());
        families.add(times(asked, family, kinds));
      }
      familyOfKind[i] = numbers.get(family);
    }
  }

  /**
   * Reads the files that the bound needs.
   *
   * @param profile service times in place of those that the experiment names: a latency table, or a
   *     finished run's folder; null: none
   * @throws UserMistakeException if a file is missing or wrong, or nothing bounds the times of
   *     batches from below
   */
  public static ExperimentBound of(ParsedExperiment parsed, @Nullable Path profile)
      throws UserMistakeException {
    if (parsed.experiment().load().scenario() == Scenario.SINGLE_STREAM) {
      throw new UserMistakeException(
          parsed.location("scenario"),
          "in the scenario (single_stream) jobs arrive when the scheduler has ended others",
          "scenario: server is meant");
    }
    return new ExperimentBound(
        SimulatedExperiment.of(parsed, profile == null ? null : Profile.read(profile)));
  }

  private void refuse(Experiment asked, RequestList requests) throws UserMistakeException {
    double promiseNs = requests.kinds().stream().mapToLong(JobKind::sloNs).max().orElse(1);
    long lastNs = requests.size() == 0 ? 0 : requests.intendedAtNs(requests.size() - 1);
    if ((lastNs + promiseNs) * lanes > SchedulingInstance.LANE_TIME_MAX_NS) {
      throw new UserMistakeException(
          experiment.parsed().location("lanes.num_lanes"),
          "%.0f lanes have more nanoseconds up to the last promise than can be counted"
              .formatted(lanes),
          "fewer lanes are meant, or a shorter promise");
    }
    if (measuredFrom == measuredTo) {
      throw new UserMistakeException(
          experiment.parsed().location("duration_seconds"),
          "no job arrives in the measured window of these " + requests.size() + " requests",
          "a longer duration_seconds is meant, or a higher rate than "
              + asked.load().arrivalRateJobsPerSec());
    }
  }

  private static Family family(Experiment asked, JobKind kind) {
    return new Family(
        new ModelKey(kind.workload(), kind.backend(), kind.precision()),
        asked.scheduling().microbatch().enabled() && asked.jobClass(kind.classType()).microbatch());
  }

  private BatchTimes times(Experiment asked, Family family, List<JobKind> kinds)
      throws UserMistakeException {
    Microbatch microbatch = asked.scheduling().microbatch();
    int batchMax = family.shares() ? microbatch.maxBatch() : 0;
    int largest =
        kinds.stream()
            .filter(kind -> family(asked, kind).equals(family))
            .mapToInt(JobKind::samples)
            .max()
            .orElse(1);
    long[] ns = new long[Math.max(batchMax, largest)];
    for (int samples = 1; samples <= ns.length; samples++) {
      double factor = experiment.times().factorMin(family.model(), samples, this::leastNormal);
      if (Double.isNaN(factor)) {
        throw new UserMistakeException(
            experiment.parsed().location("lanes"),
            "a latency model predicts these lanes (kind real), and no time bounds their batches",
            "--profile FILE names a latency table, as ./sluice profile leaves it");
      }
      double leastNs = Double.POSITIVE_INFINITY;
      double mostNs = 0;
      for (int busy = 1; busy <= asked.lanes().count(); busy++) {
        double meanNs = experiment.times().meanNs(family.model(), samples, busy);
        leastNs = Math.min(leastNs, meanNs);
        mostNs = Math.max(mostNs, meanNs);
      }
      contended |= leastNs < mostNs;
      factorMin = Math.min(factorMin, factor);
      exact &= factor == 1 && asked.lanes().drift().isEmpty();
      ns[samples - 1] = Math.round(Math.min(1e17, factor * leastNs) - 1e-3);
    }
    return new BatchTimes(ns, batchMax);
  }

  private double leastNormal() {
    if (Double.isNaN(leastNormal)) {
      Experiment asked = experiment.parsed().experiment();
      leastNormal =
          Emulation.leastNormal(
              SimulatedExperiment.noiseSeed(asked),
              experiment.requests().size(),
              asked.lanes().maxAttempts());
    }
    return leastNormal;
  }

  /**
   * Bounds the good jobs of some kinds, whatever becomes of all other jobs.
   *
   * @param promiseNs promise in place of each job's own; null: its own
   */
  public Good good(Predicate<JobKind> counts, @Nullable Long promiseNs) {
    RequestList requests = experiment.requests();
    List<JobKind> kinds = requests.kinds();
    boolean[] counted = new boolean[kinds.size()];
    for (int i = 0; i < counted.length; i++) {
      counted[i] = counts.test(kinds.get(i));
    }
    int[] jobs =
        IntStream.range(measuredFrom, measuredTo)
            .filter(job -> counted[requests.kindNumber(job)])
            .toArray();
    var release = new long[jobs.length];
    var deadline = new long[jobs.length];
    var samples = new int[jobs.length];
    var family = new int[jobs.length];
    for (int i = 0; i < jobs.length; i++) {
      int kind = requests.kindNumber(jobs[i]);
      release[i] = requests.intendedAtNs(jobs[i]);
      deadline[i] = release[i] + (promiseNs == null ? kinds.get(kind).sloNs() : promiseNs);
      samples[i] = kinds.get(kind).samples();
      family[i] = familyOfKind[kind];
    }
    var instance = new SchedulingInstance(release, deadline, samples, family, families, lanes);
    OptionalInt oneLane = OneLaneOptimum.good(instance);
    return oneLane.isPresent()
        ? new Good(jobs.length, oneLane.getAsInt(), exact && families.get(family[0]).rising())
        : new Good(jobs.length, FluidBound.goodMax(instance), false);
  }

  /** Returns the experiment, with the rate that its offered load asks for. */
  ParsedExperiment parsed() {
    return experiment.parsed();
  }

  RequestList requests() {
    return experiment.requests();
  }

  double lanes() {
    return lanes;
  }

  /** Returns the table that times come from, and how they are bounded from below. */
  List<String> serviceTimes() {
    List<String> notes =
        new ArrayList<>(
            experiment.notes().stream()
                .filter(note -> note.startsWith(SERVICE_TIMES))
                .map(note -> note.substring(SERVICE_TIMES.length()))
                .toList());
    if (contended) {
      notes.add("of each batch the least for any number of busy lanes");
    }
    if (factorMin != 1) {
      notes.add(
          "times "
              + Decimals.short3(factorMin)
              + ", the least factor that noise and drift give a batch of these requests");
    }
    return notes;
  }
}
