package dev.sluice.scheduling.core;

import static dev.sluice.scheduling.core.Facts.MS;
import static dev.sluice.scheduling.core.Facts.START;
import static dev.sluice.scheduling.core.Facts.completed;
import static dev.sluice.scheduling.core.Facts.job;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.PredictionsPublished.Calibration;
import dev.sluice.contract.event.PredictionsPublished.Service;
import dev.sluice.contract.value.Prediction;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.driver.CoreSettings.Admission;
import dev.sluice.scheduling.driver.CoreSettings.Microbatch;
import dev.sluice.scheduling.driver.CoreSettings.Predictor;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.prediction.ModelTimes.PredictionSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Published tables: which are used, for what, and what completions make of them. */
final class PublishedPredictionsTest {
  private static final Microbatch JOINING = new Microbatch(true, 0, 8, true, Map.of());
  private final Shard shard = shard(new Predictor(true, 0.9), Facts.ALONE, Admission.NONE);

  private static Shard shard(Predictor predictor, Microbatch microbatch, Admission admission) {
    return Shard.of("fifo", settings(predictor, microbatch, admission), on("e", "cpu", 3));
  }

  private static CoreSettings settings(
      Predictor predictor, Microbatch microbatch, Admission admission) {
    CoreSettings plain = Facts.settings(microbatch, admission);
    return plain.with(microbatch).with(admission).with(predictor);
  }

  private static ExecutorReported on(String id, String deviceKind, int lanes) {
    return Facts.executor(id, 1, false, deviceKind, lanes, 10_000, Facts.capabilities());
  }

  /** resnet18: 4 ms a sample up to four, 6 ms beside another lane. */
  private static PredictionsPublished table(long version) {
    return rows("e", "cpu", version, List.of(ms(4, 8, 12, 16), ms(6, 12, 18, 24)));
  }

  private static PredictionsPublished table(
      String executorId, String deviceKind, long version, List<Long> meanNs) {
    return rows(executorId, deviceKind, version, List.of(meanNs));
  }

  private static PredictionsPublished rows(
      String executorId, String deviceKind, long version, List<List<Long>> meanNs) {
    return new PredictionsPublished(
        executorId,
        deviceKind,
        "m" + version,
        version,
        List.of(new Service("resnet18", "pytorch", "fp32", meanNs)),
        List.of());
  }

  private static PredictionsPublished calibrated(PredictionsPublished table, double... residuals) {
    List<Double> ascending =
        IntStream.range(0, residuals.length).mapToObj(i -> residuals[i]).toList();
    return new PredictionsPublished(
        table.executorId(),
        table.deviceKind(),
        table.modelVersion(),
        table.tableVersion(),
        table.services(),
        List.of(new Calibration("resnet18", "pytorch", ascending)));
  }

  private static List<Long> ms(long... values) {
    return IntStream.range(0, values.length).mapToObj(i -> values[i] * MS).toList();
  }

  private Prediction startOf(Facts.Job job) {
    return shard.at(0, job.arrives()).get(0).prediction();
  }

  @Test
  void looksUpBySamplesAndByLanesThatAreBusyWithIt() {
    shard.at(0, table(1));
    shard.at(0, START);
    assertThat(startOf(job(1)))
        .isEqualTo(
            new Prediction(4 * MS, PredictionSource.PUBLISHED.text(), 1, "m1", null, null, null));
    assertThat(startOf(job(2).samples(3)))
        .isEqualTo(
            new Prediction(18 * MS, PredictionSource.PUBLISHED.text(), 2, "m1", null, null, null));
    assertThat(startOf(job(3).samples(8)))
        .as("of more lanes and samples than it holds, what it says of the most")
        .isEqualTo(
            new Prediction(
                48 * MS, PredictionSource.PUBLISHED_NEAREST.text(), 3, "m1", null, null, null));
  }

  @Test
  void leavesOthersToRunningMeansAndWarmUps() {
    shard.at(0, table(1));
    shard.at(0, START);
    assertThat(startOf(job(1).on("vit")))
        .isEqualTo(Prediction.ofMean(100 * MS, PredictionSource.WARM_UP.text(), 1));
  }

  @Test
  void aCompletion_changesTheNextDecision() {
    shard.at(0, table(1));
    shard.at(0, START);
    BatchDispatched first = shard.at(0, job(1).arrives()).get(0);
    shard.at(MS, completed(first, Result.DONE, 8 * MS));
    Prediction next = shard.at(MS, job(2).arrives()).get(0).prediction();
    assertThat(next.source()).isEqualTo(PredictionSource.PUBLISHED.text());
    assertThat(next.meanNs()).isBetween(4 * MS + 1, 5 * MS);
  }

  @Test
  void learnsNothingFromAFailedOrALostBatch() {
    shard.at(0, table(1));
    shard.at(0, START);
    BatchDispatched failed = shard.at(0, job(1).arrives()).get(0);
    shard.at(MS, completed(failed, Result.FAILED, 800 * MS));
    BatchDispatched lost = shard.at(MS, job(2).arrives()).get(0);
    shard.at(MS, Facts.executor("e", 2, false, 3, 10_000, Facts.capabilities()));
    shard.at(MS, completed(lost, Result.DONE, 800 * MS));
    assertThat(shard.at(MS, job(3).arrives()).get(0).prediction().meanNs()).isEqualTo(6 * MS);
  }

  @Test
  void hasQuantilesFromTheCalibration() {
    double[] residuals = IntStream.rangeClosed(1, 99).mapToDouble(i -> 0.01 * i).toArray();
    shard.at(0, calibrated(table(1), residuals));
    shard.at(0, START);
    Prediction prediction = startOf(job(1));
    assertThat(prediction.quantileNs()).isEqualTo((long) Math.ceil(4 * MS * Math.exp(0.9)));
    assertThat(prediction.p95Ns()).isEqualTo((long) Math.ceil(4 * MS * Math.exp(0.95)));
    assertThat(prediction.p99Ns()).isEqualTo((long) Math.ceil(4 * MS * Math.exp(0.99)));
  }

  @Test
  void aTableHoldsItsMostSamples_andScalesNoneOfThem() {
    shard.at(0, table(1));
    shard.at(0, START);
    assertThat(startOf(job(1).samples(4)))
        .isEqualTo(
            new Prediction(16 * MS, PredictionSource.PUBLISHED.text(), 1, "m1", null, null, null));
    assertThat(startOf(job(2).samples(5)).source())
        .isEqualTo(PredictionSource.PUBLISHED_NEAREST.text());
  }

  /** A bound that was missed is allowed to be missed less often from then on. */
  @Test
  void aBatchThatTakesJustItsBound_doesNotMissIt() {
    assertThat(missRateOfP95(0)).isGreaterThan(0.05);
    assertThat(missRateOfP95(1)).isLessThan(0.05);
  }

  private static double missRateOfP95(long beyondNs) {
    double[] residuals = IntStream.rangeClosed(1, 99).mapToDouble(i -> 0.01 * i).toArray();
    Shard learning = shard(new Predictor(true, 0.9), Facts.ALONE, Admission.NONE);
    learning.at(0, calibrated(table(1), residuals));
    learning.at(0, START);
    BatchDispatched dispatch = learning.at(0, job(1).arrives()).get(0);
    long p95Ns = requireNonNull(dispatch.prediction().p95Ns());
    learning.at(MS, completed(dispatch, Result.DONE, p95Ns + beyondNs));
    return learning.kept.values().stream()
        .filter(CoreEntity.WorkloadCorrection.class::isInstance)
        .map(CoreEntity.WorkloadCorrection.class::cast)
        .filter(correction -> correction.workload().equals("resnet18"))
        .findFirst()
        .orElseThrow()
        .missRates()
        .get(1);
  }

  @Test
  void hasQuantilesOfTheRunItself_withoutATable() {
    shard.at(0, START);
    for (int i = 1; i <= 101; i++) {
      BatchDispatched dispatch = shard.at(0, job(i).arrives()).get(0);
      Prediction known = dispatch.prediction();
      // the first rests on the warm-up, whose error teaches no quantile
      assertThat(known.quantileNs() != null).as("batch %d", i).isEqualTo(i > 10);
      assertThat(known.p95Ns() != null).as("batch %d", i).isEqualTo(i > 20);
      assertThat(known.p99Ns() != null).as("batch %d", i).isEqualTo(i > 100);
      shard.at(0, completed(dispatch, Result.DONE, (10 + i % 3) * MS));
    }
  }

  @Test
  void predictsEachDeviceKindByItsOwnRows() {
    shard.at(0, on("fast", "accelerator", 1));
    shard.at(0, table(1));
    shard.at(0, table("fast", "accelerator", 1, ms(1, 2, 3, 4)));
    shard.at(0, START);
    List<BatchDispatched> started = new ArrayList<>();
    for (int i = 1; i <= 4; i++) {
      started.addAll(shard.at(0, job(i).arrives()));
    }
    assertThat(started.get(0).executorId()).isEqualTo("e");
    assertThat(started.get(0).prediction().meanNs()).isEqualTo(4 * MS);
    BatchDispatched fast = started.get(3);
    assertThat(fast.executorId()).isEqualTo("fast");
    assertThat(fast.prediction().meanNs()).isEqualTo(MS);

    shard.at(MS, completed(fast, Result.DONE, 2 * MS));
    shard.at(MS, completed(started.get(0), Result.DONE, 4 * MS));
    BatchDispatched slow = shard.at(MS, job(5).arrives()).get(0);
    assertThat(slow.prediction().meanNs()).as("kept apart").isEqualTo(6 * MS);
    assertThat(shard.at(MS, job(6).arrives()).get(0).prediction().meanNs()).isGreaterThan(MS);
  }

  @Test
  void takesANewerTable_andNoStaleOne() {
    shard.at(0, table(2));
    shard.at(0, table("e", "cpu", 3, ms(5)));
    shard.at(0, table(2));
    shard.at(0, table("e", "cpu", 3, ms(7)));
    shard.at(0, table("e", "cpu", 3, ms(5)));
    assertThat(shard.refusals)
        .containsExactly(
            "tableVersion (2) is stale: 3 is in use", "tableVersion (3) is stale: 3 is in use");
    shard.at(0, START);
    assertThat(startOf(job(1)).meanNs()).isEqualTo(5 * MS);
  }

  @Test
  void refusesWhatIsNoTableOfAnExecutorHere_andUsesNoneOfIt() {
    shard.at(0, table("nobody", "cpu", 1, ms(1)));
    shard.at(0, table("e", "tpu", 1, ms(1)));
    shard.at(0, of(new Service("resnet18", "onnx", "fp32", List.of(ms(1)))));
    assertThat(shard.refusals)
        .containsExactly(
            "executor (nobody) has not reported",
            "deviceKind (tpu) is not that of e (cpu)",
            "services [resnet18, onnx, fp32]: no executor of deviceKind (cpu) runs it");
    shard.at(0, START);
    assertThat(startOf(job(1)).source()).isEqualTo(PredictionSource.WARM_UP.text());
  }

  private static PredictionsPublished of(Service... services) {
    return new PredictionsPublished("e", "cpu", "m", 1, List.of(services), List.of());
  }

  @Test
  void ignoresTables_whenThePredictorIsOff() {
    Shard off = shard(Predictor.OFF, Facts.ALONE, Admission.NONE);
    off.at(0, table(1));
    off.at(0, table("nobody", "cpu", 1, ms(1)));
    off.at(0, START);
    assertThat(off.at(0, job(1).arrives()).get(0).prediction())
        .isEqualTo(Prediction.ofMean(10 * MS, PredictionSource.WARM_UP.text(), 1));
    assertThat(off.refusals).isEmpty();
    assertThat(off.kept.keySet()).noneMatch(key -> key.startsWith("table/"));
  }

  @Test
  void continuesWithWhatWasLearnt_whenTheCoreIsRestored() {
    CoreSettings settings = settings(new Predictor(true, 0.9), Facts.ALONE, Admission.NONE);
    shard.at(0, table(1));
    shard.at(0, START);
    for (int i = 1; i <= 30; i++) {
      BatchDispatched dispatch = shard.at(0, job(i).samples(1 + i % 2).arrives()).get(0);
      shard.at(0, completed(dispatch, Result.DONE, (5 + i % 4) * MS));
    }
    List<CoreEntity> entities = new ArrayList<>(shard.kept.values());
    Collections.reverse(entities);
    Shard restored = shard.restored(settings, Policies.create("fifo", Map.of()), entities);
    Prediction expected = startOf(job(31));
    assertThat(expected.modelVersion()).isEqualTo("m1");
    assertThat(expected.p95Ns()).isNotNull();
    assertThat(restored.at(0, job(31).arrives()).get(0).prediction()).isEqualTo(expected);
  }

  @Test
  void dropsAsHopeless_whatTheUpperQuantileWouldMakeLate() {
    double[] residuals = new double[99];
    Arrays.fill(residuals, 90, 99, 1.0);
    Shard hopeless = shard(new Predictor(true, 0.95), Facts.ALONE, Admission.HOPELESS);
    hopeless.at(0, calibrated(table(1), residuals));
    hopeless.at(0, START);
    assertThat(hopeless.at(0, job(1).sloMs(11).arrives())).hasSize(1);
    assertThat(hopeless.at(0, job(2).sloMs(10).arrives())).as("4 ms × e > 10 ms").isEmpty();
    assertThat(hopeless.ends).extracting(JobEnded::reason).containsExactly("hopeless");
    assertThat(hopeless.at(0, job(3).on("resnet50").sloMs(20).arrives()))
        .as("without quantiles the mean decides")
        .hasSize(1);
  }

  @Test
  void growsABatchNoFurther_whereAMemberWouldMissItsDeadline() {
    assertThat(batchOf(JOINING, 40, 40, 12)).as("3 samples take 12 ms").containsExactly(3);
    assertThat(batchOf(JOINING, 40, 40, 11)).as("the third would miss").containsExactly(2, 1);
    assertThat(batchOf(JOINING, 11, 40, 40)).as("the first would miss").containsExactly(2, 1);
    assertThat(batchOf(JOINING, 3, 40, 40)).as("it is late in any case").containsExactly(3);
    assertThat(batchOf(JOINING, 40, 40, 3)).as("it is late in any case").containsExactly(3);
    assertThat(batchOf(new Microbatch(true, 0, 8), 11, 40, 11)).containsExactly(3);
  }

  /** A batch of 1, 2 or 3 takes 4, 8 or 12 ms. */
  @Test
  void aMemberThatMeetsItsDeadlineExactly_isKeptToIt() {
    assertThat(batchOf(JOINING, 12, 40, 40)).as("the first meets it").containsExactly(3);
    assertThat(batchOf(JOINING, 4, 40, 40)).as("alone the first meets it").containsExactly(1, 2);
    assertThat(batchOf(JOINING, 40, 8, 40)).as("so does the second").containsExactly(2, 1);
    assertThat(batchOf(JOINING, 40, 8)).as("which joins the first").containsExactly(2);
    Facts.Job third = job(2).atMs(1).sloMs(3);
    assertThat(batchOf(JOINING, job(0), job(1), third)).as("it does alone").containsExactly(2, 1);
  }

  /** Behind a batch that is expected to end at 4 ms, two samples end at 12 ms, three at 16 ms. */
  @Test
  void aBatchAhead_startsWhenItsLaneIsFree() {
    CoreSettings settings = settings(new Predictor(true, 0.9), JOINING, Admission.NONE);
    for (long sloMs : new long[] {15, 16}) {
      Shard ahead = Shard.of("fifo", Facts.ahead(settings), on("e", "cpu", 1));
      ahead.at(0, table(1));
      ahead.at(0, START);
      assertThat(ahead.at(0, job(0).arrives())).hasSize(1);
      assertThat(
              ahead
                  .at(
                      MS,
                      Step.together(
                          job(1).arrives(), job(2).arrives(), job(3).sloMs(sloMs).arrives()))
                  .get(0)
                  .samples())
          .isEqualTo(sloMs == 15 ? 2 : 3);
    }
  }

  /** The samples of each batch in which three jobs with these promises start at once. */
  private static List<Integer> batchOf(Microbatch microbatch, long... sloMs) {
    return batchOf(
        microbatch,
        IntStream.range(0, sloMs.length)
            .mapToObj(i -> job(i).sloMs(sloMs[i]))
            .toArray(Facts.Job[]::new));
  }

  private static List<Integer> batchOf(Microbatch microbatch, Facts.Job... jobs) {
    Shard joining = shard(new Predictor(true, 0.9), microbatch, Admission.NONE);
    joining.at(0, table(1));
    joining.holding(jobs);
    return joining.at(0, START).stream().map(BatchDispatched::samples).toList();
  }
}
