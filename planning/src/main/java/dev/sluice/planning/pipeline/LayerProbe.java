package dev.sluice.planning.pipeline;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.model.Engines;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.JobInput;
import dev.sluice.executor.model.LayerModule;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.NetworkPart;
import dev.sluice.executor.network.Precision;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.machine.HostLoad;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.MemoryOf;
import dev.sluice.harness.process.ParentWatch;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/**
 * The main of a child process that measures the layers of one network, and prints each result as a
 * line of JSON ({@link Line}). Ends when its parent is gone.
 */
public final class LayerProbe {
  /** First argument of a process that measures times. */
  static final String TIMES = "times";

  /** Layer of a line that tells the times of the whole model. */
  static final int WHOLE = 0;

  /** First argument of a process that measures memory. */
  static final String MEMORY = "memory";

  /** Number of runs before those that count: the engine compiles at the first and the second. */
  private static final int WARM_UP_RUNS = 3;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Network network;
  private final Engines engines;
  private final Path temporary;
  private final PrintStream result;

  /**
   * A line of standard output.
   *
   * @param layer number of the layer, from 1; {@link #WHOLE}: the whole model
   * @param samples samples of each batch; 0: the line tells memory
   * @param seconds time of each repeat
   * @param bytes memory by which the process grew, with all batch sizes run
   */
  record Line(int layer, int samples, List<Double> seconds, long bytes) {}

  private LayerProbe(Network network, Engines engines, PrintStream result) {
    this.network = network;
    this.engines = engines;
    this.result = result;
    temporary = Path.of(System.getProperty("java.io.tmpdir"));
  }

  /** JVM options of a process that computes layers for a measurement. */
  public static List<String> jvmOptions(Path temporary) {
    List<String> options = ChildJvm.probe(256);
    options.addAll(List.of("-XX:MaxDirectMemorySize=4g", "-Djava.io.tmpdir=" + temporary));
    return options;
  }

  /** The last line of a log that is no line of a stack trace. */
  public static String lastLine(Path file) throws IOException {
    return Files.readAllLines(file).stream()
        .filter(line -> !line.isBlank() && !line.startsWith("\tat "))
        .reduce((before, last) -> last)
        .orElse("it said nothing");
  }

  /**
   * Arguments: what is measured, network, batch sizes joined by commas, passes, repeats, number of
   * other lanes at work. Only the first three count where memory is measured.
   */
  public static void main(String[] arguments)
      throws UserMistakeException, IOException, InferenceException, InterruptedException {
    PrintStream result = System.out;
    System.setOut(System.err); // an engine's output is no part of the result
    ParentWatch.start(line -> {}, () -> Runtime.getRuntime().halt(1));
    Engines engines = Engines.prepare(1, ModelCache.ofUser());
    var probe = new LayerProbe(Workloads.network(arguments[1]), engines, result);
    int[] batchSizes =
        Arrays.stream(arguments[2].split(",", -1)).mapToInt(Integer::parseInt).toArray();
    if (arguments[0].equals(MEMORY)) {
      probe.measureMemory(batchSizes);
    } else {
      probe.measureTimes(
          batchSizes,
          Integer.parseInt(arguments[3]),
          Integer.parseInt(arguments[4]),
          Integer.parseInt(arguments[5]));
    }
  }

  private void print(Line line) throws IOException {
    result.println(JSON.writeValueAsString(line));
    result.flush();
  }

  /**
   * Times the layers, one after another as a stage computes them: a layer that is computed again
   * and again finds its weights in the processor's cache, and seems faster. Of a model that memory
   * does not hold, one layer is loaded at a time.
   */
  private void measureTimes(int[] batchSizes, int passes, int repeats, int otherLanes)
      throws IOException, InferenceException, InterruptedException {
    List<ByteBuffer> inputs = new ArrayList<>();
    for (int lane = 0; lane <= otherLanes; lane++) {
      inputs.add(input(batchSizes));
    }
    int layers = network.layers();
    NetworkPart whole = network.layers(1, layers);
    boolean fits = whole.weightBytes(Precision.FP32) < HostLoad.memoryBytes() / 8;
    for (int pass = 0; pass < passes; pass++) {
      if (fits) {
        time(WHOLE, List.of(whole), inputs, batchSizes, repeats);
        time(
            1,
            IntStream.rangeClosed(1, layers).mapToObj(l -> network.layers(l, l)).toList(),
            inputs,
            batchSizes,
            repeats);
      } else {
        for (int layer = 1; layer <= layers; layer++) {
          time(layer, List.of(network.layers(layer, layer)), inputs, batchSizes, repeats);
        }
      }
    }
  }

  /** Times parts that are loaded together, of which the first is the layer with a number. */
  private void time(
      int firstLayer,
      List<NetworkPart> parts,
      List<ByteBuffer> inputs,
      int[] batchSizes,
      int repeats)
      throws IOException, InferenceException, InterruptedException {
    List<LayerModule> modules = new ArrayList<>();
    try {
      for (NetworkPart part : parts) {
        modules.add(LayerModule.load(part, engines, temporary));
      }
      for (int samples : batchSizes) {
        List<List<Double>> seconds = seconds(modules, inputs, samples, repeats);
        for (int i = 0; i < seconds.size(); i++) {
          print(new Line(firstLayer + i, samples, seconds.get(i), 0));
        }
      }
    } finally {
      modules.forEach(LayerModule::close);
    }
  }

  /** Times modules, in turn, on this thread while other threads compute them all along. */
  private static List<List<Double>> seconds(
      List<LayerModule> modules, List<ByteBuffer> inputs, int samples, int repeats)
      throws InferenceException, InterruptedException {
    List<List<Double>> seconds = new ArrayList<>();
    modules.forEach(module -> seconds.add(new ArrayList<>()));
    var others = new OtherLanes(modules, inputs.subList(1, inputs.size()), samples);
    List<LayerModule.Session> sessions = modules.stream().map(LayerModule::session).toList();
    try {
      for (int run = -WARM_UP_RUNS; run < repeats; run++) {
        if (run == 0) {
          others.awaitWarm();
        }
        for (int i = 0; i < sessions.size(); i++) {
          long beganNs = MachineClock.monotonicNs();
          sessions.get(i).compute(inputs.get(0), samples, null);
          if (run >= 0) {
            seconds.get(i).add((MachineClock.monotonicNs() - beganNs) / 1e9);
          }
        }
      }
      return seconds;
    } finally {
      sessions.forEach(LayerModule.Session::close);
      others.end();
    }
  }

  private void measureMemory(int[] batchSizes) throws IOException, InferenceException {
    ByteBuffer input = input(batchSizes);
    grownBytes(network.layers(1, 1), input, batchSizes); // what the engine takes once
    for (int layer = 1; layer <= network.layers(); layer++) {
      NetworkPart part = network.layers(layer, layer);
      long bytes = grownBytes(part, input, batchSizes);
      print(new Line(layer, 0, List.of(), Math.max(bytes, part.weightBytes(Precision.FP32))));
    }
  }

  private long grownBytes(NetworkPart part, ByteBuffer input, int[] batchSizes)
      throws IOException, InferenceException {
    long beforeBytes = residentBytes();
    try (LayerModule module = LayerModule.load(part, engines, temporary);
        LayerModule.Session session = module.session()) {
      for (int samples : batchSizes) {
        for (int run = 0; run < WARM_UP_RUNS; run++) {
          session.compute(input, samples, null);
        }
      }
      return residentBytes() - beforeBytes;
    }
  }

  /** Memory of this process; 0 where the system does not tell. */
  static long residentBytes() throws IOException {
    return MemoryOf.residentBytes(ProcessHandle.current().pid()).orElse(0);
  }

  /** Returns random values for the layer with the largest input and the largest batch. */
  private ByteBuffer input(int[] batchSizes) {
    int elements = 0;
    for (int layer = 0; layer < network.layers(); layer++) {
      elements = Math.max(elements, network.elementsBehind(layer));
    }
    ByteBuffer input =
        LayerModule.buffer(Float.BYTES * elements * Arrays.stream(batchSizes).max().orElseThrow());
    var values = input.asFloatBuffer();
    float[] sample = JobInput.make(1, "layers", 1, elements).values();
    while (values.hasRemaining()) {
      values.put(sample);
    }
    return input;
  }

  /** Threads that compute modules over and over, in turn, each on its own input. */
  private static final class OtherLanes {
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch warm;
    private final AtomicReference<InferenceException> failure = new AtomicReference<>();
    private volatile boolean ending;

    OtherLanes(List<LayerModule> modules, List<ByteBuffer> inputs, int samples) {
      warm = new CountDownLatch(inputs.size());
      for (ByteBuffer input : inputs) {
        var thread = new Thread(() -> compute(modules, input, samples), "sluice-other-lane");
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
      }
    }

    private void compute(List<LayerModule> modules, ByteBuffer input, int samples) {
      List<LayerModule.Session> sessions = modules.stream().map(LayerModule::session).toList();
      try {
        for (int run = 0; !ending; run++) {
          for (LayerModule.Session session : sessions) {
            session.compute(input, samples, null);
          }
          if (run == WARM_UP_RUNS - 1) {
            warm.countDown();
          }
        }
      } catch (InferenceException e) {
        failure.set(e);
        warm.countDown();
      } finally {
        sessions.forEach(LayerModule.Session::close);
      }
    }

    void awaitWarm() throws InterruptedException {
      warm.await();
    }

    void end() throws InterruptedException, InferenceException {
      ending = true;
      for (Thread thread : threads) {
        thread.join();
      }
      InferenceException failed = failure.get();
      if (failed != null) {
        throw failed;
      }
    }
  }
}
