package dev.sluice.planning.pipeline;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.harness.process.TemporaryFolder;
import dev.sluice.planning.pipeline.LayerMeasurement.LayerTimes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** {@code profile --layers}: from the names of models to the files that {@code plan} reads. */
public final class LayerProfileRun {
  private static final double MIB = 1 << 20;

  private final Options options;
  private final Console console;

  /**
   * Options of a profile of layers.
   *
   * @param models names of networks, none twice
   * @param batchSizes samples of a micro-batch, none twice
   * @param deviceType name under which the times stand in the file
   * @param bandwidthMbps bandwidth of a host of this type, Mbit/s of 1024² bits; null: as the file
   *     has it
   * @param memoryMb memory of a host of this type, MiB; null: as the file has it
   * @param busyLanes other lanes that compute meanwhile
   * @param passes passes over all layers, apart in time
   * @param repeats repeats of each layer and batch size in each pass
   * @param folder folder of models.yml and device_types.yml
   * @param force true if entries that are there are replaced
   */
  public record Options(
      List<String> models,
      List<Integer> batchSizes,
      String deviceType,
      @Nullable Double bandwidthMbps,
      @Nullable Double memoryMb,
      int busyLanes,
      int passes,
      int repeats,
      Path folder,
      boolean force) {
    public Options {
      models = List.copyOf(models);
      batchSizes = List.copyOf(batchSizes);
    }
  }

  public LayerProfileRun(Options options, Console console) {
    this.options = options;
    this.console = console;
  }

  /**
   * Measures, and returns the exit status.
   *
   * @throws IOException if the files can no longer be written
   */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    Map<String, Network> networks = new LinkedHashMap<>();
    for (String model : options.models()) {
      if (!Workloads.splittable().contains(model)) {
        throw new UserMistakeException(
            "--layers",
            "model (" + model + ") is unknown",
            NearestName.advice(model, Workloads.splittable(), "models"));
      }
      networks.put(model, Workloads.network(model));
    }
    var files = new PlanFiles(options);
    Set<String> present = files.check(networks);
    files.makeFolder();
    Path temporary = Files.createTempDirectory("sluice-layers");
    var measurement = new LayerMeasurement(options, temporary, console);
    try (var signals = Signals.listen(measurement::stop, () -> TemporaryFolder.remove(temporary))) {
      return measure(measurement, files, present, signals);
    } finally {
      TemporaryFolder.remove(temporary);
    }
  }

  private int measure(
      LayerMeasurement measurement, PlanFiles files, Set<String> present, Signals signals)
      throws UserMistakeException, IOException, InterruptedException {
    try {
      console.line(
          "Sluice %s, layers of %s as device type %s"
              .formatted(
                  SluiceVersion.current(),
                  String.join(", ", options.models()),
                  options.deviceType()));
      console.item(
          "measuring",
          "batch %s, float32, one thread, beside %d other busy lane(s), %d passes of %d repeats"
              .formatted(
                  String.join(", ", options.batchSizes().stream().map(String::valueOf).toList()),
                  options.busyLanes(),
                  options.passes(),
                  options.repeats()));
      for (String model : options.models()) {
        long beganNs = MachineClock.monotonicNs();
        boolean kept = present.contains(model) && !options.force();
        LayerTimes times = measurement.measure(model, !kept);
        files.add(times);
        tell(times, kept, (MachineClock.monotonicNs() - beganNs) / 1e9);
      }
      console.line("");
      console.line("Models    " + files.models());
      console.line("Devices   " + files.deviceTypes());
      return ExitStatus.DONE;
    } catch (RoleFailedException e) {
      console.line("sluice: error: " + e.getMessage() + ".");
      console.line("  Maybe memory is short; what was measured of other models is kept.");
      return ExitStatus.BUG;
    } catch (StoppedException e) {
      console.line("Stopped; what was measured of other models is kept.");
      return signals.exitStatus();
    }
  }

  private void tell(LayerTimes times, boolean kept, double tookSeconds) {
    String memory =
        kept
            ? "memory as " + PlanFiles.MODELS + " has it"
            : String.format(
                Locale.ROOT,
                "%.0f MiB",
                times.layerBytes().stream().mapToLong(Long::longValue).sum() / MIB);
    console.item(
        times.model(),
        String.format(
            Locale.ROOT, "%d layers, %s, measured in %.0f s", times.layers(), memory, tookSeconds));
    for (LayerTimes.OfBatch batch : times.batches()) {
      List<Double> seconds = batch.layerSeconds();
      double sum = seconds.stream().mapToDouble(Double::doubleValue).sum();
      int longest =
          IntStream.range(0, seconds.size())
              .reduce(0, (a, b) -> seconds.get(b) > seconds.get(a) ? b : a);
      console.item(
          "",
          String.format(
              Locale.ROOT,
              "batch %d: %.4f s in all, %.2f samples/s; the longest is layer %d, %.4f s",
              batch.samples(),
              sum,
              batch.samples() / sum,
              longest + 1,
              seconds.get(longest)));
    }
  }
}
