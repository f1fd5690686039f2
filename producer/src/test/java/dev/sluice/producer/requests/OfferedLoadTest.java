package dev.sluice.producer.requests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.Vocabulary;
import dev.sluice.contract.experiment.Vocabulary.PolicyWeights;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.producer.arrivals.ArrivalProcesses;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The load on lanes, estimated from made-up warm-up times. */
final class OfferedLoadTest {
  private static final long MS = 1_000_000;

  private static final String EXPERIMENT =
      """
      seed: 7
      duration_seconds: 1
      tail_seconds: 5
      arrival_rate_jobs_per_sec: 100
      interactive_ratio: 0.4
      classes:
        interactive: {slo_ms: 20000}
        batch: {slo_ms: 40000}
      workloads:
      - {name: short, alpha_ms: 2, beta_ms: 0.5, tokens: 50}
      - {name: long, alpha_ms: 6, beta_ms: 1, tokens: 100}
      backends_enabled: [onnx]
      batch_sizes: [1, 2]
      scheduler_name: dynamic
      microbatch: {window_ms: 10, max_batch: 8}
      lanes: {num_lanes: 2, kind: emulated}
      """;

  private static final Vocabulary VOCABULARY =
      new Vocabulary(
          Map.of("dynamic", PolicyWeights.NONE, "fifo", PolicyWeights.NONE),
          ArrivalProcesses.keys(),
          Map.of(),
          Map.of(),
          List.of());

  /** At 300 a second, the first after one gap, and none at the very end. */
  private static final int SENT = 299;

  @TempDir private Path folder;

  @Test
  void isServiceTimeAskedForByLaneAndSecond() throws Exception {
    OfferedLoad load = load(List.of(new WarmUp(1, 10 * MS), new WarmUp(8, 80 * MS)));
    assertThat(load.meanServiceMs()).isEqualTo(10, within(1e-9));
    assertThat(load.perLane()).isEqualTo(SENT * 10e-3 / 2, within(1e-9));
    assertThat(load.perLaneMin())
        .as("batches save nothing")
        .isEqualTo(SENT * 10e-3 / 2, within(1e-9));
    assertThat(load.infeasible()).isEmpty();
  }

  @Test
  void isLess_whenBatchesAreCheaper_butNotForJobsThatShareNone() throws Exception {
    List<WarmUp> cheap = List.of(new WarmUp(1, 10 * MS), new WarmUp(8, 16 * MS));
    assertThat(load(cheap, "interactive_ratio=0").perLaneMin())
        .isEqualTo(SENT * 2e-3 / 2, within(1e-9));
    assertThat(load(cheap, "interactive_ratio=1").perLaneMin())
        .isEqualTo(SENT * 10e-3 / 2, within(1e-9));
    assertThat(load(cheap, "interactive_ratio=0", "scheduler_name=fifo").perLaneMin())
        .as("fifo joins none")
        .isEqualTo(SENT * 10e-3 / 2, within(1e-9));
  }

  @Test
  void takesTheNearestSamplesScaled() throws Exception {
    List<WarmUp> warmUps = List.of(new WarmUp(1, 10 * MS), new WarmUp(8, 40 * MS));
    assertThat(load(warmUps, "batch_sizes=[6]").meanServiceMs()).isEqualTo(30, within(1e-9));
  }

  @Test
  void namesEachClassAndWorkloadOnce_thatCannotMeetItsPromise() throws Exception {
    assertThat(load(List.of(new WarmUp(1, 30_000 * MS))).infeasible())
        .containsExactlyInAnyOrder(
            "interactive × short on onnx takes 30000 ms at 1 sample, its SLO is 20000 ms",
            "interactive × long on onnx takes 30000 ms at 1 sample, its SLO is 20000 ms");
  }

  /** Whether the list ends with the window, before it or after the tail. */
  @Property
  void isTheProductOfRateAndTime_ofWhatArrivesInTheWindow_whateverComesAfterIt(
      @ForAll @Size(max = 60) List<@IntRange(max = 2_000) Integer> gapsMs,
      @ForAll @IntRange(min = 1, max = 40) int durationSeconds,
      @ForAll @IntRange(max = 30) int tailSeconds,
      @ForAll @IntRange(min = 1, max = 4) int shards) {
    var made = new Experiments();
    made.durationSeconds = durationSeconds;
    made.tailSeconds = tailSeconds;
    made.shards = shards;
    long windowMs = durationSeconds * 1000L;
    var capability = new Capability("w", "onnx", "fp32", 1, List.of(new WarmUp(1, 7 * MS)));
    OfferedLoad load = OfferedLoad.of(made.build(), apart(gapsMs), List.of(capability));
    double workSeconds = 0;
    int atMs = 0;
    for (int i = 0; i < gapsMs.size(); i++) {
      atMs += gapsMs.get(i);
      workSeconds += atMs < windowMs ? 7e-3 * samples(i) : 0;
    }
    int lanes = 2 * shards;
    assertThat(load.perLane()).isCloseTo(workSeconds / durationSeconds / lanes, within(1e-9));
    assertThat(load.perLane())
        .isCloseTo(load.jobsPerSecond() * load.meanServiceMs() / 1e3 / lanes, within(1e-9));
  }

  /** Over 1,000 s the mix that is drawn is near to the mix that is asked for. */
  @Property(tries = 50)
  void anAskedLoad_isOffered_whateverTheMixTheLanesAndTheShape(
      @ForAll @DoubleRange(min = 0.05, max = 3) double asked,
      @ForAll @IntRange(min = 1, max = 4) int lanes,
      @ForAll @DoubleRange(min = 0.1, max = 10) double weight,
      @ForAll @DoubleRange(max = 0.9) double depth)
      throws Exception {
    Path file = Files.createTempFile("tiny", ".yaml");
    Files.writeString(
        file, EXPERIMENT.replace("name: short", "weight: " + weight + ", name: short"));
    ParsedExperiment parsed =
        ExperimentFile.read(
            file,
            List.of(
                "offered_load=" + asked,
                "arrivals=constant",
                "load={diurnal: {period_seconds: 100, depth: " + depth + "}}",
                "lanes.num_lanes=" + lanes,
                "duration_seconds=1000",
                "tail_seconds=0"),
            VOCABULARY);
    Files.delete(file);
    var times =
        List.of(
            new Capability("short", "onnx", "fp32", 1, List.of(new WarmUp(1, 30 * MS))),
            new Capability("long", "onnx", "fp32", 1, List.of(new WarmUp(1, 90 * MS))));
    ParsedExperiment rated = OfferedRate.of(parsed, times);
    OfferedLoad offered =
        OfferedLoad.of(rated.experiment(), RequestList.draw(rated.experiment()), times);
    assertThat(offered.perLane()).isCloseTo(asked, withinPercentage(15));
    assertThat(OfferedRate.of(rated, times)).isEqualTo(rated);
  }

  @Test
  void anOfferedLoadThatAsksForMoreJobsThanARunMayHaveIsRefusedAtItsLine() throws Exception {
    Path file = Files.writeString(Files.createTempFile("tiny", ".yaml"), EXPERIMENT);
    ParsedExperiment parsed =
        ExperimentFile.read(
            file, List.of("offered_load=0.5", "duration_seconds=1000000"), VOCABULARY);
    Files.delete(file);
    var times =
        List.of(
            new Capability("short", "onnx", "fp32", 1, List.of(new WarmUp(1, 10 * MS))),
            new Capability("long", "onnx", "fp32", 1, List.of(new WarmUp(1, 10 * MS))));

    assertThatThrownBy(() -> OfferedRate.of(parsed, times))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("offered_load (0.5) asks for")
        .hasMessageContaining("more than 10000000");
  }

  private static int samples(int job) {
    return 1 + job % 3;
  }

  /** Jobs of one to three samples, apart by gaps. */
  private static RequestList apart(List<Integer> gapsMs) {
    var list = new RequestList.Builder();
    long atNs = 0;
    for (int i = 0; i < gapsMs.size(); i++) {
      atNs += gapsMs.get(i) * MS;
      list.add(new JobKind("batch", "w", "onnx", "fp32", samples(i), MS), atNs);
    }
    return list.build(List.of());
  }

  private OfferedLoad load(List<WarmUp> warmUps, String... overrides) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "arrivals=constant",
                "arrival_rate_jobs_per_sec=300",
                "tail_seconds=0",
                "batch_sizes=[1]"));
    all.addAll(List.of(overrides));
    Path file = Files.writeString(folder.resolve("tiny.yaml"), EXPERIMENT);
    Experiment experiment = ExperimentFile.read(file, all, VOCABULARY).experiment();
    return OfferedLoad.of(
        experiment,
        RequestList.draw(experiment),
        List.of(
            new Capability("short", "onnx", "fp32", 1, warmUps),
            new Capability("long", "onnx", "fp32", 1, warmUps)));
  }
}
