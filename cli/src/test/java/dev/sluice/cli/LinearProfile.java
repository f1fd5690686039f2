package dev.sluice.cli;

import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.latency.LatencyKey;
import dev.sluice.executor.latency.ModelFile;
import dev.sluice.executor.latency.ProfileRow;
import dev.sluice.executor.latency.Trainer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** What a profile of the emulated lanes of {@link Loop#EMULATED} would hold, drawn from a seed. */
final class LinearProfile {
  /** What an experiment's workloads with alpha_ms and beta_ms are emulated on. */
  static final String KIND = "emulated-linear";

  private static final int PASSES = 3;
  private static final int REPEATS = 5;
  private static final int SAMPLES_MAX = 8;
  private static final int LANES = 2;
  private static final double SPREAD = 0.02;

  /** Share of the processors that others took, as its rows say. */
  private static final double FOREIGN_LOAD = 0.64;

  /** What each run with its model warns of. */
  static final String WARNING =
      "others took 64 % of the processors while these times were measured, so that they may be too"
          + " long";

  private LinearProfile() {}

  /**
   * Trains a model for lanes of a kind.
   *
   * @param timesAsLong how many times as long as on the lanes all took
   */
  static void train(String deviceKind, double timesAsLong, Path model) throws Exception {
    var random = new Random(5);
    List<ProfileRow> rows = new ArrayList<>();
    for (int pass = 1; pass <= PASSES; pass++) {
      for (String workload : List.of("short", "long")) {
        for (int samples = 1; samples <= SAMPLES_MAX; samples++) {
          for (int busyLanes = 1; busyLanes <= LANES; busyLanes++) {
            for (int repeat = 1; repeat <= REPEATS; repeat++) {
              double ms = workload.equals("short") ? 2 + 0.5 * samples : 6 + samples;
              double noise = Math.exp(SPREAD * random.nextGaussian());
              rows.add(
                  new ProfileRow(
                      deviceKind,
                      new LatencyKey(new ModelKey(workload, "onnx", "fp32"), 1, samples, busyLanes),
                      pass,
                      repeat,
                      rows.size(),
                      Math.round(1e6 * timesAsLong * ms * noise),
                      FOREIGN_LOAD,
                      0,
                      0));
            }
          }
        }
      }
    }
    ModelFile.write(Trainer.train(rows, 1).model(), model);
  }
}
