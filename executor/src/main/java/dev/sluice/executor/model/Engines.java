package dev.sluice.executor.model;

import ai.djl.engine.Engine;
import ai.djl.engine.StandardCapabilities;
import dev.sluice.contract.file.UserMistakeException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The inference engines of this process, with their start-up settings: they download nothing, send
 * no usage reports, keep their native libraries in the cache, and give each lane its threads.
 */
public final class Engines {
  /** Threads of PyTorch, which it reads once in a process; 0: not started yet. */
  private static final AtomicInteger PYTORCH_THREADS = new AtomicInteger();

  private final int threadsPerLane;

  /** An inference engine: its name in configs, its name in DJL, and the ending of its files. */
  enum Backend {
    PYTORCH("PyTorch", ".pt"),
    ONNX("OnnxRuntime", ".onnx");

    final String engine;
    final String fileEnding;

    Backend(String engine, String fileEnding) {
      this.engine = engine;
      this.fileEnding = fileEnding;
    }

    static Backend named(String configName) {
      return Arrays.stream(values())
          .filter(backend -> backend.name().toLowerCase(Locale.ROOT).equals(configName))
          .findFirst()
          .orElseThrow(
              () ->
                  new IllegalArgumentException(
                      "backend (" + configName + ") is not pytorch or onnx"));
    }
  }

  private Engines(int threadsPerLane) {
    this.threadsPerLane = threadsPerLane;
  }

  /**
   * Sets the engines' start-up settings; each engine starts when it is first used.
   *
   * @param threadsPerLane intra-op threads of one inference; every call in one process must give an
   *     equal number
   */
  public static Engines prepare(int threadsPerLane, ModelCache cache) throws UserMistakeException {
    if (threadsPerLane < 1) {
      throw new IllegalArgumentException("threadsPerLane (" + threadsPerLane + ") is below 1");
    }
    int before = PYTORCH_THREADS.compareAndExchange(0, threadsPerLane);
    if (before != 0 && before != threadsPerLane) {
      throw new IllegalStateException(
          "threadsPerLane (%d) differs from (%d), which PyTorch was started with in this process"
              .formatted(threadsPerLane, before));
    }
    System.setProperty("ai.djl.offline", "true");
    System.setProperty("OPT_OUT_TRACKING", "true");
    System.setProperty("ai.djl.pytorch.num_threads", Integer.toString(threadsPerLane));
    System.setProperty("ai.djl.pytorch.num_interop_threads", "1");
    NativeLibraries.keepIn(cache.folder());
    EngineErrors.divert();
    return new Engines(threadsPerLane);
  }

  /** Starts the engines, and returns their versions by the backends' names. */
  public static Map<String, String> versions(List<String> backends) {
    Map<String, String> versions = new LinkedHashMap<>();
    for (String backend : backends) {
      versions.put(backend, Engine.getEngine(Backend.named(backend).engine).getVersion());
    }
    return versions;
  }

  int threadsPerLane() {
    return threadsPerLane;
  }

  public void start(String backend) {
    Engine.getEngine(Backend.named(backend).engine);
  }

  /**
   * Returns how many CUDA devices the backend's engine can use here; 0 if its native library is
   * built for processors alone. Starts that engine.
   */
  public int cudaDevices(String backend) {
    Backend named = Backend.named(backend);
    if (named == Backend.ONNX && !NativeLibraries.onnxRuntimeKnowsCuda()) {
      return 0; // asking DJL would put a warning into each run's log
    }
    Engine engine = Engine.getEngine(named.engine);
    return engine.hasCapability(StandardCapabilities.CUDA) ? engine.getGpuCount() : 0;
  }
}
