package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.planning.pipeline.LayerProfileRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of a profile of layers, which {@code plan} reads. */
public final class LayerOptions {
  private static final int SAMPLES_MAX = 256;
  private static final int LANES_MAX = 1024;
  private static final double NUMBER_MAX = 1e9;

  @Option(
      names = "--layers",
      paramLabel = "MODEL",
      split = ",",
      description = "Measures the layers of these models, for plan: ${bundle:splittable}.")
  private List<String> models = new ArrayList<>();

  @Option(
      names = {"-b", "--batch-size"},
      paramLabel = "N",
      split = ",",
      description = "Layers: samples of a micro-batch (default: 8).")
  private List<Integer> batchSizes = new ArrayList<>();

  @Option(
      names = "--device-type",
      paramLabel = "NAME",
      description = "Layers: the name of this kind of machine in device_types.yml.")
  private @Nullable String deviceType;

  @Option(
      names = "--bw-mbps",
      paramLabel = "N",
      description = "Layers: the bandwidth of such a machine, Mbit/s.")
  private @Nullable Double bandwidthMbps;

  @Option(
      names = "--mem-mb",
      paramLabel = "N",
      description = "Layers: the memory that a stage may take on such a machine, MB.")
  private @Nullable Double memoryMb;

  @Option(
      names = "--busy-lanes",
      paramLabel = "N",
      description = "Layers: other lanes that compute meanwhile (default: all other cores).")
  private @Nullable Integer busyLanes;

  @Option(
      names = "--force",
      description = "Layers: replaces entries that stand in the two files already.")
  private boolean force;

  public boolean asked() {
    return !models.isEmpty();
  }

  /** Tells whether an option stands that only counts for layers. */
  public boolean given() {
    return asked()
        || !batchSizes.isEmpty()
        || deviceType != null
        || bandwidthMbps != null
        || memoryMb != null
        || busyLanes != null
        || force;
  }

  /**
   * The options as they count.
   *
   * @param folder folder of the two files; null: the current one
   */
  public LayerProfileRun.Options checked(int passes, int repeats, @Nullable Path folder)
      throws UserMistakeException {
    List<Integer> samples =
        batchSizes.isEmpty() ? List.of(8) : List.copyOf(new LinkedHashSet<>(batchSizes));
    for (int count : samples) {
      inRange("--batch-size", count, 1, SAMPLES_MAX, "-b 1,8");
    }
    if (deviceType == null || !deviceType.matches("[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")) {
      throw new UserMistakeException(
          "--device-type",
          deviceType == null
              ? "the layers' times need the name of a device type"
              : "the name (" + deviceType + ") is not of letters, digits, '.', '_' and '-' alone",
          "--device-type laptop will do");
    }
    Double bandwidth = bandwidthMbps;
    Double memory = memoryMb;
    if (bandwidth != null) {
      inRange("--bw-mbps", bandwidth, 0, NUMBER_MAX, "--bw-mbps 1000");
    }
    if (memory != null) {
      inRange("--mem-mb", memory, 0, NUMBER_MAX, "--mem-mb 4096");
    }
    Integer told = busyLanes;
    int others = told != null ? told : Runtime.getRuntime().availableProcessors() - 1;
    inRange("--busy-lanes", others, 0, LANES_MAX, "--busy-lanes 1");
    Path in = folder != null ? folder : Path.of("");
    return new LayerProfileRun.Options(
        List.copyOf(new LinkedHashSet<>(models)),
        samples,
        deviceType,
        bandwidth,
        memory,
        others,
        passes,
        repeats,
        in,
        force);
  }

  private static void inRange(
      String option, double value, double least, double most, String example)
      throws UserMistakeException {
    UserMistakeException.throwIf(
        !(value >= least && value <= most),
        option,
        "the value (%s) must be between %.0f and %.0f".formatted(value, least, most),
        example + " will do");
  }
}
