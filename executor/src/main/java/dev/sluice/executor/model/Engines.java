package dev.sluice.executor.model;

import ai.djl.engine.Engine;
import ai.djl.engine.StandardCapabilities;
import dev.sluice.contract.file.UserMistakeException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The inference engines of this process, told how to start: nothing is fetched, nobody is told, the
 * native libraries are kept in the cache, and each lane gets its threads.
 */
public final class Engines {
  /** PyTorch reads its number of threads once in a process; 0: not yet. */
  private static final AtomicInteger PYTORCH_THREADS = new AtomicInteger();

  private final int threadsPerLane;

  private Engines(int threadsPerLane) {
    this.threadsPerLane = threadsPerLane;
  }

  /**
   * Tells the engines; each starts when it is first used.
   *
   * @param threadsPerLane intra-op threads of one inference; in one process the same at each call
   * @throws UserMistakeException if the cache can not be written
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
    return new Engines(threadsPerLane);
  }

  /**
   * Version of each backend's engine, by the backend's name, in their order. Starts the engines.
   */
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

  /** Starts the backend's engine, which loads its libraries. */
  public void start(String backend) {
    Engine.getEngine(Backend.named(backend).engine);
  }

  /**
   * How many CUDA devices the backend's engine can use here; 0 where its native library is built
   * for processors alone. Starts that engine.
   */
  public int cudaDevices(String backend) {
    Backend named = Backend.named(backend);
    if (named == Backend.ONNX && !NativeLibraries.onnxRuntimeKnowsCuda()) {
      return 0; // DJL would find that out by trying, and warn of it in each run's log
    }
    Engine engine = Engine.getEngine(named.engine);
    return engine.hasCapability(StandardCapabilities.CUDA) ? engine.getGpuCount() : 0;
  }
}
