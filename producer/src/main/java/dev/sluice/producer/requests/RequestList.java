package dev.sluice.producer.requests;

import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.experiment.Arrivals;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.LoadShape.Rates;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.Ranges;
import dev.sluice.contract.experiment.Replay;
import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.JobId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.producer.arrivals.ArrivalProcesses;
import dev.sluice.producer.arrivals.IntendedTimes;
import dev.sluice.producer.arrivals.RandomStream;
import dev.sluice.producer.arrivals.RateFile;
import dev.sluice.producer.arrivals.RescaledTime;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * All jobs that a run may ask for, by intended arrival, for duration and tail together. The list is
 * drawn from the seed, or read from a file, before the run, which sends jobs from its beginning and
 * may stop before its end. The number of generators, the policy and the machine do not change it.
 * It takes twelve bytes a job. Immutable.
 */
public final class RequestList implements ArrivalList, Iterable<JobRequested> {
  private final List<JobKind> kinds;
  private final int[] kindNumbers;
  private final long[] timesNs;
  private final List<String> notes;
  private @Nullable String digest; // made when it is first asked for

  /** Service times of jobs that run alone; promises by {@code slo_scale} are multiples of them. */
  @FunctionalInterface
  public interface IsolatedTimes {
    /** Of a job on an otherwise idle machine; above 0, equal for equal arguments. */
    double isolatedMs(String workload, String backend, String precision, int samples);
  }

  /** Takes jobs in the order of their intended times. */
  static final class Builder {
    private final Map<JobKind, Integer> numberOfKind = new LinkedHashMap<>();
    private final IntStream.Builder kindNumbers = IntStream.builder();
    private final LongStream.Builder timesNs = LongStream.builder();

    void add(JobKind kind, long intendedAtNs) {
      Integer known = numberOfKind.get(kind);
      int number = known == null ? numberOfKind.size() : known;
      if (known == null) {
        numberOfKind.put(kind, number);
      }
      kindNumbers.add(number);
      timesNs.add(intendedAtNs);
    }

    /**
     * @param notes lines about the list's source that a person should know before the run
     */
    RequestList build(List<String> notes) {
      return new RequestList(
          List.copyOf(numberOfKind.keySet()),
          kindNumbers.build().toArray(),
          timesNs.build().toArray(),
          notes);
    }
  }

  private RequestList(List<JobKind> kinds, int[] kindNumbers, long[] timesNs, List<String> notes) {
    this.kinds = kinds;
    this.kindNumbers = kindNumbers;
    this.timesNs = timesNs;
    this.notes = List.copyOf(notes);
  }

  /**
   * Makes the list that an experiment file asks for, drawn or read from the files that it names.
   *
   * @param isolatedTimes called only for jobs of classes with a {@code slo_scale}
   */
  public static RequestList of(ParsedExperiment parsed, IsolatedTimes isolatedTimes)
      throws UserMistakeException {
    Experiment experiment = parsed.experiment();
    RescaledTime rescaled =
        experiment.load().shape() instanceof Rates rates
            ? RateFile.read(parsed, rates, Ranges.JOBS_MAX)
            : RescaledTime.of(experiment.load().shape());
    return experiment.load().arrivals() instanceof Replay replay
        ? new ReplayedRequests(parsed, replay, isolatedTimes).list(rescaled)
        : drawn(experiment, rescaled, isolatedTimes);
  }

  /** Draws the list of an experiment without a file of requests and without a {@code slo_scale}. */
  public static RequestList draw(Experiment experiment) {
    return drawn(
        experiment,
        RescaledTime.of(experiment.load().shape()),
        (workload, backend, precision, samples) -> {
          throw new IllegalArgumentException(
              "the isolated time of " + workload + " is needed for a slo_scale");
        });
  }

  /**
   * Draws intended times from the seed's stream {@code arrivals}, all other attributes from {@code
   * job-mix}. The last job is meant to arrive before duration + tail. A scenario that draws no
   * arrivals has a number of jobs, all meant for time zero; under single_stream this stands for the
   * end of the job before, which no list knows.
   */
  static RequestList drawn(
      Experiment experiment, RescaledTime rescaled, IsolatedTimes isolatedTimes) {
    Experiment.Load load = experiment.load();
    var list = new Builder();
    var mix = new JobMix(experiment, isolatedTimes);
    if (load.scenario() != Scenario.SERVER) {
      for (long left = load.jobsOfScenario(); left > 0; left--) {
        list.add(mix.next(), 0);
      }
    } else if (load.arrivals() instanceof Arrivals.Drawn drawn) {
      var times =
          new IntendedTimes(
              ArrivalProcesses.of(drawn, load.arrivalRateJobsPerSec()),
              RandomStream.of(experiment.seed(), "arrivals"),
              rescaled);
      for (long ns = times.nextNs(); ns < load.tailEndNs(); ns = times.nextNs()) {
        list.add(mix.next(), ns);
      }
    } else {
      throw new IllegalArgumentException(
          "arrivals (" + load.arrivals().words() + ") come from a file");
    }
    return list.build(List.of());
  }

  /** Returns the same jobs with their intended arrivals multiplied by a factor above 0. */
  public RequestList stretched(double factor) {
    long[] stretched = Arrays.stream(timesNs).map(ns -> Math.round(ns * factor)).toArray();
    return new RequestList(kinds, kindNumbers, stretched, notes);
  }

  public List<String> notes() {
    return notes;
  }

  @Override
  public int size() {
    return timesNs.length;
  }

  /** Returns the job at a place as if it had been sent at its intended time. */
  public JobRequested get(int index) {
    return get(index, 0, timesNs[index], timesNs[index]);
  }

  /** Returns all jobs as if each had been sent at its intended time. */
  @Override
  public Iterator<JobRequested> iterator() {
    return IntStream.range(0, size()).mapToObj(this::get).iterator();
  }

  @Override
  public JobRequested get(int index, int generator, long intendedAtNs, long sentAtNs) {
    JobKind kind = kinds.get(kindNumbers[index]);
    return new JobRequested(
        JobId.of(index),
        generator,
        index,
        kind.classType(),
        kind.workload(),
        kind.backend(),
        kind.precision(),
        kind.samples(),
        kind.sloNs(),
        intendedAtNs,
        sentAtNs);
  }

  @Override
  public long intendedAtNs(int index) {
    return timesNs[index];
  }

  /** Returns the place in {@link #kinds()} of the kind of the job at a place. */
  public int kindNumber(int index) {
    return kindNumbers[index];
  }

  /**
   * Returns the SHA-256, in hexadecimal, of one line per job in order, UTF-8: id, class, workload,
   * backend, precision, samples, SLO in ns, intended time in ns, with a tab between them and a line
   * feed after each line.
   */
  @Override
  public synchronized String digest() {
    if (digest == null) {
      List<String> ofKinds = kinds.stream().map(RequestList::line).toList();
      MessageDigest sha256 = Sha256.begin();
      for (int i = 0; i < size(); i++) {
        String line = JobId.of(i) + ofKinds.get(kindNumbers[i]) + timesNs[i] + '\n';
        sha256.update(line.getBytes(StandardCharsets.UTF_8));
      }
      digest = HexFormat.of().formatHex(sha256.digest());
    }
    return digest;
  }

  /** What stands between the id and the intended time of each job of a kind. */
  private static String line(JobKind kind) {
    return "\t%s\t%s\t%s\t%s\t%s\t%s\t"
        .formatted(
            kind.classType(),
            kind.workload(),
            kind.backend(),
            kind.precision(),
            kind.samples(),
            kind.sloNs());
  }

  /** Begins to make the digest in another thread, for one that will soon ask for it. */
  public void beginDigest() {
    var unused = CompletableFuture.runAsync(this::digest);
  }

  @Override
  public int indexOf(String jobId) {
    int index = JobId.index(jobId);
    return index < size() ? index : -1;
  }

  /** Returns the different kinds of jobs in the list, in the order in which they first occur. */
  public List<JobKind> kinds() {
    return kinds;
  }

  @Override
  public List<ModelKey> models() {
    return kinds.stream().map(JobKind::model).toList();
  }
}
