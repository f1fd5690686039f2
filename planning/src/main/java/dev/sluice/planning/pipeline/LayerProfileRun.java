package dev.sluice.planning.pipeline;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.lane.LowerMedian;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.process.StoppedException;
import dev.sluice.harness.process.TemporaryFolder;
import dev.sluice.planning.pipeline.PlanFiles.BatchTimes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code profile --layers}: from the names of models, whose layers child processes measure ({@link
 * LayerProbe}), to the files that {@code plan} reads.
 */
public final class LayerProfileRun {
  private static final double MIB = 1 << 20;

  /** Environment in which the C library gives freed memory back at once. */
  private static final Map<String, String> FREED_AT_ONCE =
      Map.of("MALLOC_MMAP_THRESHOLD_", "65536", "MALLOC_TRIM_THRESHOLD_", "65536");

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Options options;
  private final Console console;

  /** Child that measures now; null: none does. Guarded by this. */
  private @Nullable Process child;

  private boolean stopped;

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
      UserMistakeException.throwIf(
          !Workloads.splittable().contains(model),
          "--layers",
          "model (" + model + ") is unknown",
          NearestName.advice(model, Workloads.splittable(), "models"));
      networks.put(model, Workloads.network(model));
    }
    var files = new PlanFiles(options);
    Set<String> present = files.check(networks);
    files.makeFolder();
    Path temporary = Files.createTempDirectory("sluice-layers");
    try (var signals = Signals.listen(this::stop, () -> TemporaryFolder.remove(temporary))) {
      return measure(temporary, files, present, signals);
    } finally {
      TemporaryFolder.remove(temporary);
    }
  }

  private int measure(Path temporary, PlanFiles files, Set<String> present, Signals signals)
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
        Network network = Workloads.network(model);
        List<Long> layerBytes = kept ? List.of() : layerBytes(model, network.layers(), temporary);
        List<BatchTimes> batches = batches(model, network.layers(), temporary);
        files.add(model, network, layerBytes, batches);
        tell(model, layerBytes, batches, (MachineClock.monotonicNs() - beganNs) / 1e9);
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

  private void tell(
      String model, List<Long> layerBytes, List<BatchTimes> batches, double tookSeconds) {
    String memory =
        layerBytes.isEmpty()
            ? "memory as " + PlanFiles.MODELS + " has it"
            : String.format(
                Locale.ROOT,
                "%.0f MiB",
                layerBytes.stream().mapToLong(Long::longValue).sum() / MIB);
    console.item(
        model,
        String.format(
            Locale.ROOT,
            "%d layers, %s, measured in %.0f s",
            batches.get(0).layerSeconds().size(),
            memory,
            tookSeconds));
    for (BatchTimes batch : batches) {
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

  private String samples() {
    return options.batchSizes().stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  private List<Long> layerBytes(String model, int layers, Path temporary)
      throws RoleFailedException, StoppedException, IOException, InterruptedException {
    List<Long> layerBytes = new ArrayList<>();
    lines(
        temporary,
        List.of(LayerProbe.MEMORY, model, samples()),
        FREED_AT_ONCE,
        line -> {
          layerBytes.add(line.bytes());
          progress(model, "memory", line.layer(), layers);
        });
    return layerBytes;
  }

  private List<BatchTimes> batches(String model, int layers, Path temporary)
      throws RoleFailedException, StoppedException, IOException, InterruptedException {
    List<List<List<Double>>> seconds = new ArrayList<>(); // by batch size, the whole and each layer
    for (int unused : options.batchSizes()) {
      seconds.add(Stream.<List<Double>>generate(ArrayList::new).limit(layers + 1).toList());
    }
    int[] layersTimed = {0};
    lines(
        temporary,
        List.of(
            LayerProbe.TIMES,
            model,
            samples(),
            Integer.toString(options.passes()),
            Integer.toString(options.repeats()),
            Integer.toString(options.busyLanes())),
        Map.of(),
        line -> {
          int batch = options.batchSizes().indexOf(line.samples());
          seconds.get(batch).get(line.layer()).addAll(line.seconds());
          if (line.layer() != LayerProbe.WHOLE) {
            int timed = layersTimed[0]++ / options.batchSizes().size();
            progress(
                model,
                "pass " + (1 + timed / layers) + " of " + options.passes(),
                1 + timed % layers,
                layers);
          }
        });
    List<BatchTimes> batches = new ArrayList<>();
    for (int i = 0; i < seconds.size(); i++) {
      List<Double> whole = seconds.get(i).get(LayerProbe.WHOLE);
      List<List<Double>> ofLayers = seconds.get(i).subList(1, layers + 1);
      batches.add(
          new BatchTimes(
              options.batchSizes().get(i),
              ofLayers.stream().map(LowerMedian::of).toList(),
              spread(ofLayers),
              whole.isEmpty() ? null : LowerMedian.of(whole)));
    }
    return batches;
  }

  /**
   * Sum of the layers' interquartile ranges / sum of their medians; null of fewer times than three
   * for each layer.
   */
  static @Nullable Double spread(List<List<Double>> secondsOfLayers) {
    if (secondsOfLayers.get(0).size() < 3) {
      return null;
    }
    double ranges = 0;
    double medians = 0;
    for (List<Double> seconds : secondsOfLayers) {
      List<Double> sorted = seconds.stream().sorted().toList();
      int last = sorted.size() - 1;
      ranges += sorted.get(last - last / 4) - sorted.get(last / 4);
      medians += LowerMedian.of(seconds);
    }
    return ranges / medians;
  }

  private void progress(String model, String what, int layer, int layers) {
    console.progress(model, what + ", layer " + layer + " of " + layers);
  }

  private void lines(
      Path temporary,
      List<String> arguments,
      Map<String, String> environment,
      Consumer<LayerProbe.Line> taker)
      throws RoleFailedException, StoppedException, IOException, InterruptedException {
    Path errors = temporary.resolve(arguments.get(1) + "-" + arguments.get(0) + ".log");
    List<String> jvm = LayerProbe.jvmOptions(temporary);
    Process probe =
        begun(
            Launch.of(ChildJvm.of(jvm, LayerProbe.class.getName(), arguments))
                .errors(Redirect.to(errors.toFile()))
                .environment(environment));
    try (var printed =
        new BufferedReader(new InputStreamReader(probe.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = printed.readLine(); line != null; line = printed.readLine()) {
        throwIfStopped(); // the line may be cut short
        taker.accept(JSON.readValue(line, LayerProbe.Line.class));
      }
      int status = probe.waitFor();
      throwIfStopped();
      if (status != 0) {
        throw new RoleFailedException(
            "the layers of %s could not be measured (status %d): %s"
                .formatted(arguments.get(1), status, LayerProbe.lastLine(errors)),
            null);
      }
    } finally {
      probe.destroyForcibly().waitFor();
    }
  }

  private synchronized Process begun(Launch launch) throws StoppedException, IOException {
    throwIfStopped();
    Process begun = launch.start();
    child = begun;
    return begun;
  }

  private synchronized void throwIfStopped() throws StoppedException {
    if (stopped) {
      throw new StoppedException();
    }
  }

  /** Ends the measurement. Called from any thread. */
  private synchronized void stop() {
    stopped = true;
    if (child != null) {
      child.destroyForcibly();
    }
  }
}
