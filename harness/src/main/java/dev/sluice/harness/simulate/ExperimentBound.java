package dev.sluice.harness.simulate;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.bound.FluidBound;
import dev.sluice.analytics.bound.OneLaneOptimum;
import dev.sluice.analytics.bound.SchedulingInstance;
import dev.sluice.analytics.bound.SchedulingInstance.BatchTimes;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.JobId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.lane.Emulation;
import dev.sluice.harness.frame.Registries;
import dev.sluice.producer.requests.JobKind;
import dev.sluice.producer.requests.RequestList;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * An upper bound on the good jobs of an experiment, among those that are measured. A batch takes at
 * least the least of its mean times by busy lanes, times the least factor that noise and drift give
 * it; and lanes that slow each other down do less together.
 */
public final class ExperimentBound {
  private static final String SERVICE_TIMES = "service times: ";
  private static final double LONGEST_NS = 1e17;

  private final SimulatedExperiment experiment;
  private final Experiment asked;
  private final RequestList requests;
  private final List<BatchTimes> families = new ArrayList<>();

  /** Families by the number of a kind of requests. */
  private final int[] familyOfKind;

  /** Least means of jobs alone, in ns, by the number of a kind. */
  private final double[] aloneNsOfKind;

  /** Least normal numbers of noise by a batch's first job; empty: none was asked for. */
  private double[] normals = {};

  /** Least of these numbers, once they have been asked for. */
  private double leastNormal;

  /** Greatest share of its least mean that a batch gets done in that time, by busy lanes less 1. */
  private final double[] pace;

  private double factorMin = 1;

  /** Whether each time is the one that lanes take. */
  private boolean exact;

  /**
   * Jobs that count, how many are good at most, and whether a scheduler that knows the future
   * reaches that.
   */
  public record Good(int jobs, int goodMax, boolean optimum) {
    public double share() {
      return jobs == 0 ? 1 : (double) goodMax / jobs;
    }
  }

  /** Jobs of a model that may share batches with each other, or that run alone. */
  private record Family(ModelKey model, boolean shares) {}

  private ExperimentBound(SimulatedExperiment experiment) throws UserMistakeException {
    this.experiment = experiment;
    asked = experiment.parsed().experiment();
    requests = experiment.requests();
    pace = new double[asked.lanes().count()];
    exact = asked.lanes().drift().isEmpty();
    List<JobKind> kinds = requests.kinds();
    familyOfKind = new int[kinds.size()];
    aloneNsOfKind = new double[kinds.size()];
    Map<Family, Integer> numbers = new HashMap<>(); // looked up, never iterated
    for (int i = 0; i < familyOfKind.length; i++) {
      JobKind kind = kinds.get(i);
      var family =
          new Family(
              new ModelKey(kind.workload(), kind.backend(), kind.precision()),
              asked.scheduling().microbatch().enabled()
                  && asked.jobClass(kind.classType()).microbatch());
      if (!numbers.containsKey(family)) {
        numbers.put(family, families.size());
        families.add(times(family));
      }
      familyOfKind[i] = numbers.get(family);
      aloneNsOfKind[i] = leastMeanNs(family.model(), kind.samples());
      exact &= factor(family.model(), kind.samples(), () -> 0) == 1;
    }
  }

  /** Reads the files; a profile takes the place of the service times that the experiment names. */
  public static ExperimentBound of(ParsedExperiment parsed, @Nullable Path profile)
      throws UserMistakeException {
    UserMistakeException.throwIf(
        parsed.experiment().load().scenario() == Scenario.SINGLE_STREAM,
        parsed.location("scenario"),
        "in the scenario (single_stream) jobs arrive when the scheduler has ended others",
        "scenario: server is meant");
    return of(SimulatedExperiment.of(parsed, Profile.read(profile)));
  }

  static ExperimentBound of(SimulatedExperiment experiment) throws UserMistakeException {
    var bound = new ExperimentBound(experiment);
    UserMistakeException.throwIf(
        bound.measured().findAny().isEmpty(),
        experiment.parsed().location("duration_seconds"),
        "none of the jobs (%d) arrives in the measured window".formatted(bound.requests.size()),
        "a longer duration_seconds is meant, or a higher rate");
    return bound;
  }

  /** Refuses more lane time up to the last promise than a long holds. */
  void refuseUncountable() throws UserMistakeException {
    refuseUncountable(requests.kinds().stream().mapToLong(JobKind::sloNs).max().orElse(0));
  }

  private void refuseUncountable(long promiseMaxNs) throws UserMistakeException {
    double lastNs = asked.load().durationSeconds() * 1e9 + promiseMaxNs;
    UserMistakeException.throwIf(
        lastNs * lanes() > SchedulingInstance.LANE_TIME_MAX_NS,
        experiment.parsed().location("lanes.num_lanes"),
        "%d lanes have more time up to the last promise (%.0f s) than can be counted"
            .formatted(lanes(), lastNs / 1e9),
        "fewer lanes are meant, or a shorter promise");
  }

  private IntStream measured() {
    return IntStream.range(
        requests.countBefore(asked.load().warmupNs()),
        requests.countBefore(asked.load().durationNs()));
  }

  private BatchTimes times(Family family) throws UserMistakeException {
    int batchMax = family.shares() ? asked.scheduling().microbatch().maxBatch() : 0;
    long[] ns = new long[batchMax];
    for (int samples = 1; samples <= batchMax; samples++) {
      double factor = factor(family.model(), samples, this::leastNormal);
      factorMin = Math.min(factorMin, factor);
      exact &= factor == 1;
      ns[samples - 1] = wholeNs(factor * leastMeanNs(family.model(), samples));
    }
    return new BatchTimes(ns);
  }

  /** Returns a factor that no batch is below by noise and drift. */
  private double factor(ModelKey model, int samples, DoubleSupplier normal)
      throws UserMistakeException {
    double factor = experiment.times().factorMin(model, samples, normal);
    if (Double.isNaN(factor)) {
      throw new UserMistakeException(
          experiment.parsed().location("lanes"),
          "a latency model predicts these lanes (kind real), and nothing bounds their times",
          "--profile FILE names a latency table, as ./sluice profile leaves it");
    }
    return factor;
  }

  /** Rounds a time in the way in which lanes do, or to a nanosecond less. */
  private static long wholeNs(double ns) {
    return Math.round(Math.min(ns, LONGEST_NS) - 1e-3);
  }

  /** Returns the least mean by busy lanes, and notes how lanes slow each other down. */
  private double leastMeanNs(ModelKey model, int samples) {
    double[] meanNs = new double[pace.length];
    Arrays.setAll(meanNs, i -> experiment.times().meanNs(model, samples, i + 1));
    double leastNs = Arrays.stream(meanNs).min().orElseThrow();
    for (int i = 0; i < pace.length; i++) {
      pace[i] = Math.max(pace[i], leastNs / meanNs[i]);
    }
    return leastNs;
  }

  private double leastNormal() {
    double[] unused = normals();
    return leastNormal;
  }

  private double[] normals() {
    if (normals.length == 0) {
      normals = new double[requests.size()];
      long seed = SimulatedExperiment.noiseSeed(asked);
      Arrays.setAll(
          normals, job -> Emulation.leastNormal(seed, JobId.of(job), asked.lanes().maxAttempts()));
      leastNormal = Arrays.stream(normals).min().orElse(0);
    }
    return normals;
  }

  /**
   * Bounds the good jobs of some kinds, whatever becomes of all other jobs.
   *
   * @param promiseNs promise in place of each job's own; null: its own
   * @throws UserMistakeException if there is more lane time up to the last promise than a long
   *     holds
   */
  public Good good(Predicate<JobKind> counts, @Nullable Long promiseNs)
      throws UserMistakeException {
    List<JobKind> kinds = requests.kinds();
    boolean[] counted = new boolean[kinds.size()];
    long promiseMaxNs = 0;
    for (int i = 0; i < counted.length; i++) {
      counted[i] = counts.test(kinds.get(i));
      promiseMaxNs = Math.max(promiseMaxNs, promiseNs == null ? kinds.get(i).sloNs() : promiseNs);
    }
    int[] jobs = measured().filter(job -> counted[requests.kindNumber(job)]).toArray();
    refuseUncountable(promiseMaxNs);
    var release = new long[jobs.length];
    var deadline = new long[jobs.length];
    var samples = new int[jobs.length];
    var alone = new long[jobs.length];
    var family = new int[jobs.length];
    for (int i = 0; i < jobs.length; i++) {
      int job = jobs[i];
      int number = requests.kindNumber(job);
      JobKind kind = kinds.get(number);
      release[i] = requests.intendedAtNs(job);
      deadline[i] = release[i] + (promiseNs == null ? kind.sloNs() : promiseNs);
      samples[i] = kind.samples();
      family[i] = familyOfKind[number];
      if (!families.get(family[i]).holds(kind.samples())) {
        var model = new ModelKey(kind.workload(), kind.backend(), kind.precision());
        double factor = factor(model, kind.samples(), () -> normals()[job]);
        alone[i] = wholeNs(factor * aloneNsOfKind[number]);
      }
    }
    var instance =
        new SchedulingInstance(release, deadline, samples, alone, family, families, capacity());
    OptionalInt oneLane = OneLaneOptimum.good(instance);
    return oneLane.isPresent()
        ? new Good(jobs.length, oneLane.getAsInt(), exact && families.get(family[0]).rising())
        : new Good(jobs.length, FluidBound.goodMax(instance), false);
  }

  ParsedExperiment parsed() {
    return experiment.parsed();
  }

  /**
   * Returns figures of a finished run that no scheduler is better than, by name: of all jobs and of
   * classes. Lanes that took other times than the experiment names are refused.
   */
  public static Map<String, Double> figures(FinishedRun run) throws UserMistakeException {
    ParsedExperiment parsed = ExperimentFile.read(run.config(), List.of(), Registries.vocabulary());
    UserMistakeException.throwIf(
        !run.isSimulated() && !parsed.experiment().lanes().emulated(),
        run.folder().toString(),
        "a bound needs the times of all batches, and this run's lanes were real",
        "you want ./sluice bound with --profile, which takes them from the run");
    ExperimentBound bound = of(parsed, null);
    UserMistakeException.throwIf(
        run.isSimulated() && !bound.isTimedAs(run.summary()),
        run.folder().toString(),
        "a bound takes the times that the experiment names, and this simulation took others",
        "you want ./sluice bound with the same --profile");
    Set<String> scopes = new LinkedHashSet<>(List.of("all"));
    bound.requests.kinds().forEach(kind -> scopes.add(kind.classType()));
    Map<String, Double> bounds = new HashMap<>();
    for (String scope : scopes) {
      Good good = bound.good(kind -> scope.equals("all") || kind.classType().equals(scope), null);
      double seconds = parsed.experiment().load().measuredSeconds();
      bounds.put(scope + "_goodput_jobs_sec", good.goodMax() / seconds);
      bounds.put(scope + "_slo_violation_rate", 1 - good.share());
    }
    return bounds;
  }

  /** Tells whether a simulation with this summary.json took its times from the same source. */
  private boolean isTimedAs(JsonNode summary) {
    Set<String> notes = new HashSet<>();
    summary.path("notes").forEach(note -> notes.add(note.asText()));
    return experiment.notes().stream()
        .filter(note -> note.startsWith(SERVICE_TIMES))
        .allMatch(notes::contains);
  }

  RequestList requests() {
    return requests;
  }

  int lanes() {
    return asked.lanes().count() * asked.kafka().shards();
  }

  /** Returns how many lanes alone do as much as all lanes together. */
  private double capacity() {
    double most = 0;
    for (int i = 0; i < pace.length; i++) {
      most = Math.max(most, (i + 1) * pace[i]);
    }
    return most * asked.kafka().shards();
  }

  /** Returns the source of the times, and how they are bounded from below. */
  List<String> serviceTimes() {
    List<String> notes =
        new ArrayList<>(
            experiment.notes().stream()
                .filter(note -> note.startsWith(SERVICE_TIMES))
                .map(note -> note.substring(SERVICE_TIMES.length()))
                .toList());
    if (capacity() < lanes()) {
      notes.add(
          "contention: a batch takes the least of its times by busy lanes, and all lanes together"
              + " do at most the work of "
              + Decimals.short3(capacity())
              + " that are alone");
    }
    if (!exact) {
      notes.add(
          "noise and drift: a job alone takes at least what its own draw says"
              + (factorMin == 1
                  ? ""
                  : ", and a batch at least "
                      + Decimals.short3(factorMin)
                      + " of its mean, the least draw of these requests"));
    }
    return notes;
  }
}
