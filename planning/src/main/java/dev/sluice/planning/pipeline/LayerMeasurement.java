package dev.sluice.planning.pipeline;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.executor.lane.LowerMedian;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.StoppedException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Measurement of one model's layers, in child processes ({@link LayerProbe}). */
final class LayerMeasurement {
  /** Environment in which the C library gives freed memory back at once. */
  private static final Map<String, String> FREED_AT_ONCE =
      Map.of("MALLOC_MMAP_THRESHOLD_", "65536", "MALLOC_TRIM_THRESHOLD_", "65536");

  private static final ObjectMapper JSON = new ObjectMapper();

  private final LayerProfileRun.Options options;
  private final Path temporary;
  private final Console console;

  /** Child that measures now; null: none does. Guarded by this. */
  private @Nullable Process child;

  private boolean stopped;

  LayerMeasurement(LayerProfileRun.Options options, Path temporary, Console console) {
    this.options = options;
    this.temporary = temporary;
    this.console = console;
  }

  /**
   * Measures a model.
   *
   * @param withMemory false: memory is not measured
   * @throws RoleFailedException if a child fails
   * @throws StoppedException if a person ended the measurement
   */
  LayerTimes measure(String model, boolean withMemory)
      throws RoleFailedException, StoppedException, IOException, InterruptedException {
    Network network = Workloads.network(model);
    String batchSizes =
        options.batchSizes().stream().map(String::valueOf).collect(Collectors.joining(","));
    List<Long> layerBytes = new ArrayList<>();
    if (withMemory) {
      lines(
          List.of(LayerProbe.MEMORY, model, batchSizes),
          FREED_AT_ONCE,
          line -> {
            layerBytes.add(line.bytes());
            progress(model, "memory", line.layer(), network.layers());
          });
    }
    int layers = network.layers();
    List<List<List<Double>>> seconds = new ArrayList<>(); // by batch size and layer
    for (int unused : options.batchSizes()) {
      seconds.add(
          IntStream.range(0, layers)
              .mapToObj(l -> (List<Double>) new ArrayList<Double>())
              .toList());
    }
    List<List<Double>> wholeSeconds = new ArrayList<>();
    options.batchSizes().forEach(unused -> wholeSeconds.add(new ArrayList<>()));
    int[] layersTimed = {0};
    lines(
        List.of(
            LayerProbe.TIMES,
            model,
            batchSizes,
            Integer.toString(options.passes()),
            Integer.toString(options.repeats()),
            Integer.toString(options.busyLanes())),
        Map.of(),
        line -> {
          int batch = options.batchSizes().indexOf(line.samples());
          if (line.layer() == LayerProbe.WHOLE) {
            wholeSeconds.get(batch).addAll(line.seconds());
            return;
          }
          seconds.get(batch).get(line.layer() - 1).addAll(line.seconds());
          int timed = layersTimed[0]++ / options.batchSizes().size();
          progress(
              model,
              "pass " + (1 + timed / layers) + " of " + options.passes(),
              1 + timed % layers,
              layers);
        });
    List<LayerTimes.OfBatch> batches = new ArrayList<>();
    for (int i = 0; i < seconds.size(); i++) {
      batches.add(
          new LayerTimes.OfBatch(
              options.batchSizes().get(i),
              seconds.get(i).stream().map(LowerMedian::of).toList(),
              spread(seconds.get(i)),
              wholeSeconds.get(i).isEmpty() ? null : LowerMedian.of(wholeSeconds.get(i))));
    }
    return new LayerTimes(
        model,
        IntStream.rangeClosed(0, layers).map(network::elementsBehind).boxed().toList(),
        layerBytes,
        batches);
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
      List<String> arguments, Map<String, String> environment, Consumer<LayerProbe.Line> taker)
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
  synchronized void stop() {
    stopped = true;
    if (child != null) {
      child.destroyForcibly();
    }
  }

  /**
   * What was measured of a model's layers.
   *
   * @param elementsBehind values of a sample at each cut: at place 0 the model's input, at place r
   *     all tensors that cross the cut behind layer r
   * @param layerBytes memory of each layer; empty: not measured
   * @param batches times by batch size, in the order of the command
   */
  record LayerTimes(
      String model, List<Integer> elementsBehind, List<Long> layerBytes, List<OfBatch> batches) {
    LayerTimes {
      elementsBehind = List.copyOf(elementsBehind);
      layerBytes = List.copyOf(layerBytes);
      batches = List.copyOf(batches);
    }

    /**
     * Times of a batch size.
     *
     * @param layerSeconds median time of each layer
     * @param spread sum of the layers' interquartile ranges / sum of their medians; null: each
     *     layer was timed too seldom to tell
     * @param wholeSeconds median time of the whole model; null: it was not measured
     */
    record OfBatch(
        int samples,
        List<Double> layerSeconds,
        @Nullable Double spread,
        @Nullable Double wholeSeconds) {
      OfBatch {
        layerSeconds = List.copyOf(layerSeconds);
      }
    }

    int layers() {
      return elementsBehind.size() - 1;
    }
  }
}
