package dev.sluice.producer.requests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.experiment.Arrivals;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.producer.arrivals.RescaledTime;
import dev.sluice.producer.generator.FakeTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The request list, which is drawn from the seed alone. */
final class RequestListTest {
  private final Experiments experiment = new Experiments();

  /**
   * From this seed every machine draws this list; the figures were counted by a second program in
   * another language. A change here changes every published result.
   */
  @Test
  void isTheSameOnEveryMachine() {
    RequestList list = experiment.drawn();
    assertThat(list.size()).isEqualTo(2531);
    assertThat(list.get(0))
        .isEqualTo(
            new JobRequested(
                "job-0",
                0,
                0,
                "batch",
                "resnet18",
                "pytorch",
                "fp32",
                8,
                1_000_000_000,
                16_406_888,
                16_406_888));
    assertThat(list.digest())
        .isEqualTo("f681f2e23daf63d3c6bbf6298b72f7a8f69a61eaefc606df56af559d4f94cd69");
  }

  @Test
  void hasNoJobBeyondItsEnds() {
    RequestList list = experiment.drawn();
    assertThatThrownBy(() -> list.get(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> list.get(list.size())).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void keepsItsDigest_whateverTheNumberOfGenerators() {
    String digestOfOne = experiment.drawn().digest();
    experiment.generators = 3;
    assertThat(experiment.drawn().digest()).isEqualTo(digestOfOne);
  }

  @ParameterizedTest
  @ValueSource(strings = {"priority_slo", "batch_aware", "dynamic", "random"})
  void keepsItsDigest_whateverThePolicy(String policy) {
    String digestOfFifo = experiment.drawn().digest();
    experiment.schedulerName = policy;
    assertThat(experiment.drawn().digest()).isEqualTo(digestOfFifo);
  }

  @Property(tries = 30)
  void hasAnotherDigest_whenTheSeedDiffers(@ForAll long seed) {
    experiment.seed = seed;
    String digest = experiment.drawn().digest();
    assertThat(experiment.drawn().digest()).isEqualTo(digest);
    experiment.seed = seed + 1;
    assertThat(experiment.drawn().digest()).isNotEqualTo(digest);
  }

  @Test
  void keepsTheTimes_whenTheMixChanges() {
    long[] timesNs = timesNs(experiment.drawn());
    experiment.batchSizes = List.of(1, 2, 3, 4);
    experiment.interactiveRatio = 0.9;
    assertThat(timesNs(experiment.drawn())).isEqualTo(timesNs);
  }

  @Test
  void keepsTheMix_whenTheArrivalsChange() {
    RequestList poisson = experiment.drawn();
    experiment.arrivals = Arrivals.drawn("constant");
    RequestList constant = experiment.drawn();
    for (int i = 0; i < Math.min(poisson.size(), constant.size()); i++) {
      assertThat(constant.get(i).workload()).isEqualTo(poisson.get(i).workload());
      assertThat(constant.get(i).samples()).isEqualTo(poisson.get(i).samples());
    }
  }

  @Test
  void keepsTheWorkloads_whenTheRatioChanges() {
    List<String> workloads = jobs(experiment.drawn()).stream().map(JobRequested::workload).toList();
    experiment.interactiveRatio = 1;
    assertThat(jobs(experiment.drawn()).stream().map(JobRequested::workload).toList())
        .isEqualTo(workloads);
  }

  @Property(tries = 50)
  void risesFromTimeZeroToTheTailsEnd(
      @ForAll long seed, @ForAll @DoubleRange(min = 0.5, max = 300) double ratePerSecond) {
    experiment.seed = seed;
    experiment.ratePerSecond = ratePerSecond;
    long[] timesNs = timesNs(experiment.drawn());
    assertThat(timesNs).isSorted();
    assertThat(Arrays.stream(timesNs)).allMatch(ns -> ns >= 0 && ns < 25_000_000_000L);
  }

  @Property
  void isDealtWhole(@ForAll @IntRange(min = 1, max = 7) int generators) {
    experiment.durationSeconds = 2;
    RequestList list = experiment.drawn();
    var sent = new ArrayList<Integer>();
    for (int g = 0; g < generators; g++) {
      sent.addAll(FakeTime.sendAll(new FakeTime(), list, g, generators));
    }
    assertThat(sent)
        .containsExactlyInAnyOrderElementsOf(IntStream.range(0, list.size()).boxed().toList());
  }

  @Test
  void drawsEachAttributeAsOftenAsAsked() {
    experiment.ratePerSecond = 2_000;
    List<JobRequested> jobs = jobs(experiment.drawn());
    assertShare(jobs, 0.3, job -> job.classType().equals("interactive"));
    assertShare(jobs, 0.5, job -> job.workload().equals("resnet18"));
    assertShare(jobs, 0.25, job -> job.workload().equals("resnet50"));
    assertShare(jobs, 0.25, job -> job.workload().equals("vit"));
    assertShare(jobs, 0.5, job -> job.backend().equals("onnx"));
    assertShare(jobs, 1 / 3.0, job -> job.samples() == 8);
    assertShare(
        jobs, 0.3 * 0.25, job -> job.workload().equals("vit") && job.sloNs() == 100_000_000);
    assertShare(jobs, 0.5 / 3, job -> job.backend().equals("pytorch") && job.samples() == 32);
  }

  @Test
  void drawsUniformlyAmongClassesOfOneSort() {
    experiment.ratePerSecond = 2_000;
    experiment.classes =
        List.of(
            Experiments.BATCH,
            new JobClass("chat", 50, 0, true, false),
            new JobClass("nightly", 90_000, 9, false, true),
            Experiments.INTERACTIVE);
    List<JobRequested> jobs = jobs(experiment.drawn());
    assertShare(jobs, 0.15, job -> job.classType().equals("chat"));
    assertShare(jobs, 0.15, job -> job.classType().equals("interactive"));
    assertShare(jobs, 0.35, job -> job.classType().equals("batch"));
    assertShare(jobs, 0.35, job -> job.classType().equals("nightly"));
  }

  @Test
  void promisesAMultipleOfEachJobsIsolatedTime_whereItsClassHasAScale() {
    RequestList fixed = experiment.drawn();
    experiment.classes =
        List.of(Experiments.INTERACTIVE, new JobClass("batch", null, 2.5, 5, false, true));
    RequestList scaled =
        RequestList.drawn(
            experiment.build(),
            RescaledTime.EVEN,
            (workload, backend, precision, samples) ->
                workload.length() + backend.length() + precision.length() + 10.0 * samples);

    assertThat(scaled.size()).isEqualTo(fixed.size());
    for (int i = 0; i < fixed.size(); i++) {
      JobRequested before = fixed.get(i);
      JobRequested job = scaled.get(i);
      double aloneMs =
          job.workload().length()
              + job.backend().length()
              + job.precision().length()
              + 10.0 * job.samples();
      assertThat(job)
          .isEqualTo(
              new JobRequested(
                  before.jobId(),
                  0,
                  i,
                  before.classType(),
                  before.workload(),
                  before.backend(),
                  before.precision(),
                  before.samples(),
                  job.classType().equals("batch") ? Math.round(2.5e6 * aloneMs) : before.sloNs(),
                  before.intendedAtNs(),
                  before.intendedAtNs()));
    }
    assertThat(scaled.digest()).isNotEqualTo(fixed.digest());
  }

  @Test
  void needsTheIsolatedTimes_whenAClassHasAScale() {
    experiment.classes = List.of(new JobClass("batch", null, 2.5, 5, false, true));
    assertThatThrownBy(experiment::drawn)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is needed for a slo_scale");
  }

  @Test
  void hasNoInteractiveJob_whenTheRatioIs0() {
    experiment.interactiveRatio = 0;
    assertThat(jobs(experiment.drawn())).extracting(JobRequested::classType).containsOnly("batch");
  }

  @Test
  void hasInteractiveJobsOnly_whenTheRatioIs1() {
    experiment.interactiveRatio = 1;
    assertThat(jobs(experiment.drawn()))
        .extracting(JobRequested::classType)
        .containsOnly("interactive");
  }

  @Test
  void givesAllJobsToTheOnlySortOfClass_whateverTheRatio() {
    experiment.interactiveRatio = 0;
    experiment.classes = List.of(Experiments.INTERACTIVE);
    assertThat(jobs(experiment.drawn()))
        .extracting(JobRequested::classType)
        .containsOnly("interactive");
    experiment.interactiveRatio = 1;
    experiment.classes = List.of(Experiments.BATCH);
    assertThat(jobs(experiment.drawn())).extracting(JobRequested::classType).containsOnly("batch");
  }

  @Test
  void givesAnOwnModelItsOwnBackendOnly() {
    experiment.workloads =
        List.of(Experiments.workload("vit", 1), Experiments.ownModel("mine", "onnx"));
    List<JobRequested> jobs = jobs(experiment.drawn());
    assertThat(jobs)
        .filteredOn(job -> job.workload().equals("mine"))
        .extracting(JobRequested::backend)
        .containsOnly("onnx");
    assertThat(jobs)
        .filteredOn(job -> job.workload().equals("vit"))
        .extracting(JobRequested::backend)
        .contains("onnx", "pytorch");
  }

  @Test
  void countsTheJobsBeforeATime() {
    experiment.arrivals = Arrivals.drawn("constant");
    experiment.ratePerSecond = 10;
    RequestList list = experiment.drawn();
    assertThat(list.countBefore(0)).isZero();
    assertThat(list.countBefore(100_000_000)).isZero();
    assertThat(list.countBefore(100_000_001)).isEqualTo(1);
    assertThat(list.countBefore(2_000_000_000)).isEqualTo(19);
    assertThat(list.countBefore(Long.MAX_VALUE)).isEqualTo(list.size());
  }

  @Test
  void findsItsOwnIdsOnly() {
    RequestList list = experiment.drawn();
    assertThat(list.indexOf(list.get(17).jobId())).isEqualTo(17);
    for (String other : List.of("", "17", "job-", "job--1", "job-017", "job-99999999", "job-x")) {
      assertThat(list.indexOf(other)).as(other).isEqualTo(-1);
    }
  }

  @Test
  void isRefused_whenTheArrivalProcessIsUnknown() {
    experiment.arrivals = Arrivals.drawn("bursty");
    assertThatIllegalArgumentException()
        .isThrownBy(experiment::drawn)
        .withMessageContaining("bursty");
  }

  /** The mix is drawn from a stream of its own, so that the jobs are those of each other load. */
  @Test
  void aScenario_hasTheJobsOfArrivals_allAtTimeZero() {
    RequestList server = experiment.drawn();
    experiment.scenario = Scenario.OFFLINE;
    RequestList offline = experiment.drawn();
    assertThat(offline.size()).isEqualTo(2000);
    for (int i = 0; i < 1500; i++) {
      assertThat(offline.get(i)).isEqualTo(server.get(i, 0, 0, 0));
    }
    experiment.scenario = Scenario.SINGLE_STREAM;
    assertThat(experiment.drawn().digest()).isEqualTo(offline.digest());
    assertThat(offline.digest()).isNotEqualTo(server.digest());
  }

  private static List<JobRequested> jobs(RequestList list) {
    return IntStream.range(0, list.size()).mapToObj(list::get).toList();
  }

  private static long[] timesNs(RequestList list) {
    return IntStream.range(0, list.size()).mapToLong(i -> list.get(i).intendedAtNs()).toArray();
  }

  /** Within four standard errors of a share of that number of independent draws. */
  private static void assertShare(
      List<JobRequested> jobs, double share, Predicate<JobRequested> isOne) {
    double seen = jobs.stream().filter(isOne).count() / (double) jobs.size();
    double standardError = Math.sqrt(share * (1 - share) / jobs.size());
    assertThat(seen).isCloseTo(share, within(4 * standardError));
  }

  @Test
  void kindsThatDifferInTheirPromiseAlone_haveHashesOfTheirOwn() {
    assertThat(
            IntStream.range(0, 10_000)
                .map(i -> new JobKind("batch", "short", "onnx", "fp32", 1, 1_000L * i).hashCode())
                .distinct()
                .count())
        .isGreaterThan(9_000);
  }
}
