package dev.sluice.bench;

import ai.djl.Device;
import ai.djl.MalformedModelException;
import ai.djl.Model;
import ai.djl.inference.Predictor;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import ai.djl.translate.NoopTranslator;
import ai.djl.translate.TranslateException;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.model.ModelCache;
import dev.sluice.executor.model.ModelProgress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.function.LongSupplier;

/**
 * The yardstick of the inference bench: DJL alone, one thread, one inference after the other at
 * full speed. Each inference makes its tensor from an existing float array and reads its logits, as
 * any user of DJL would.
 */
final class DjlLoop {
  private static final int ELEMENTS = 3 * 224 * 224;
  private static final long WARM_UP_NS = 3_000_000_000L;

  private DjlLoop() {}

  /**
   * Returns inferences per second with ONNX Runtime, one intra-op thread, fp32.
   *
   * @param measuredNs length of the measured window
   */
  static double inferencesPerSecond(
      String workload, int samples, long measuredNs, LongSupplier monotonicNs)
      throws UserMistakeException, IOException, MalformedModelException, TranslateException {
    System.setProperty("ai.djl.offline", "true");
    System.setProperty("OPT_OUT_TRACKING", "true");
    Path home = Path.of(System.getProperty("user.home"));
    Path file =
        new ModelCache(ModelCache.defaultFolder(System.getenv(), home))
            .file(new ModelKey(workload, "onnx", "fp32"), ModelProgress.none());
    float[] input = input(samples);
    try (Model model = Model.newInstance(workload, Device.cpu(), "OnnxRuntime")) {
      model.load(file, null, Map.of("intraOpNumThreads", "1", "interOpNumThreads", "1"));
      try (Predictor<NDList, NDList> predictor = model.newPredictor(new NoopTranslator());
          NDManager manager = NDManager.newBaseManager(Device.cpu(), "OnnxRuntime")) {
        count(predictor, manager, input, samples, WARM_UP_NS, monotonicNs);
        return count(predictor, manager, input, samples, measuredNs, monotonicNs);
      }
    }
  }

  private static float[] input(int samples) {
    var random = new Random(42);
    var values = new float[samples * ELEMENTS];
    for (int i = 0; i < values.length; i++) {
      values[i] = random.nextFloat() - 0.5f;
    }
    return values;
  }

  /** Returns inferences per second over at least the given time. */
  private static double count(
      Predictor<NDList, NDList> predictor,
      NDManager manager,
      float[] input,
      int samples,
      long leastNs,
      LongSupplier monotonicNs)
      throws TranslateException {
    long startNs = monotonicNs.getAsLong();
    long elapsedNs = 0;
    long inferences = 0;
    float sum = 0;
    while (elapsedNs < leastNs) {
      try (NDManager inference = manager.newSubManager();
          NDList logits =
              predictor.predict(
                  new NDList(inference.create(input, new Shape(samples, 3, 224, 224))))) {
        NDArray rows = logits.singletonOrThrow();
        sum += rows.toFloatArray()[0];
      }
      inferences++;
      elapsedNs = monotonicNs.getAsLong() - startNs;
    }
    if (Float.isNaN(sum)) {
      throw new IllegalStateException("the model gave no numbers");
    }
    return inferences * 1e9 / elapsedNs;
  }
}
