package dev.sluice.executor.model;

import ai.djl.Device;
import ai.djl.MalformedModelException;
import ai.djl.Model;
import ai.djl.engine.Engine;
import ai.djl.engine.EngineException;
import dev.sluice.contract.UserMistakeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Every model of a run, loaded once for each workload and backend and shared by all lanes. May be
 * used from many threads. Close it after all lanes were joined and all its sessions closed: the
 * engines hold its memory outside the Java heap, and ONNX Runtime ends the whole process where a
 * model is closed under a running inference.
 */
public final class LoadedModels implements AutoCloseable {
  /** PyTorch reads its number of threads once in a process; 0: not yet. */
  private static final AtomicInteger PYTORCH_THREADS = new AtomicInteger();

  private static final int GIST_CHARACTERS_MAX = 200;

  /** What models of one run are told apart by. */
  private record Key(String workload, String backend) {}

  private record Loaded(Model model, WorkloadInfo info) {}

  private final Map<Key, Loaded> models = new LinkedHashMap<>();
  private final AtomicInteger sessionsOpen = new AtomicInteger();

  private LoadedModels() {}

  /**
   * Has each model's file written if it must be, checks and loads it. Takes seconds. A user's own
   * model is tried on one and on two samples of zeros.
   *
   * @param requests those of equal workload and backend are loaded once
   * @param threadsPerLane intra-op threads of one inference; in one process the same at each call
   * @throws UserMistakeException if a model cannot be had for a reason that the user can mend
   */
  public static LoadedModels load(
      List<ModelRequest> requests, int threadsPerLane, ModelCache cache, ModelProgress progress)
      throws UserMistakeException {
    prepareEngines(threadsPerLane);
    NativeLibraries.keepIn(cache.folder());
    var loaded = new LoadedModels();
    try {
      for (ModelRequest request : requests) {
        loaded.load(request, threadsPerLane, cache, progress);
      }
    } catch (UserMistakeException | RuntimeException e) {
      loaded.close();
      throw e;
    }
    return loaded;
  }

  /** Nothing is fetched, nobody is told, and each lane gets its threads. */
  private static void prepareEngines(int threadsPerLane) {
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
  }

  private void load(
      ModelRequest request, int threadsPerLane, ModelCache cache, ModelProgress progress)
      throws UserMistakeException {
    var key = new Key(request.workload(), request.backend());
    if (models.containsKey(key)) {
      return;
    }
    Backend backend = Backend.named(request.backend());
    ModelRequest.UserFile userFile = request.userFile();
    if (userFile == null) {
      Path file = cache.file(request.workload(), request.backend(), progress);
      Model model =
          open(file.toString(), file, backend, threadsPerLane, "delete it; Sluice writes it again");
      models.put(key, new Loaded(model, Workloads.info(request.workload())));
      return;
    }
    checkUserFile(userFile, backend);
    Model model =
        open(
            userFile.location(),
            userFile.path(),
            backend,
            threadsPerLane,
            "it is incomplete, or was not exported as "
                + (backend == Backend.PYTORCH ? "TorchScript" : "ONNX"));
    var info = new WorkloadInfo(request.workload(), userFile.tokens(), 0, 0, userFile.inputShape());
    models.put(key, new Loaded(model, info)); // before the trial, so that a failed one is closed
    tryOut(userFile, model, info);
  }

  private static void checkUserFile(ModelRequest.UserFile userFile, Backend backend)
      throws UserMistakeException {
    Path file = userFile.path();
    if (!Files.isRegularFile(file)) {
      throw new UserMistakeException(
          userFile.location(),
          "the model file (%s) %s"
              .formatted(file, Files.exists(file) ? "is no file" : "does not exist"),
          "the path is wrong; it counts from the folder of the experiment file");
    }
    if (!file.getFileName().toString().endsWith(backend.fileEnding)) {
      throw new UserMistakeException(
          userFile.location(),
          "the model file (%s) does not end in (%s)".formatted(file, backend.fileEnding),
          "its backend is another: .pt is pytorch, .onnx is onnx");
    }
    if (Files.exists(ModelCache.hashFile(file))) {
      ModelCache.verify(
          userFile.location(),
          file,
          "copy it again, or delete the .sha256 file if you changed the model");
    }
  }

  private static Model open(
      String location, Path file, Backend backend, int threadsPerLane, String maybe)
      throws UserMistakeException {
    Engine.getEngine(backend.engine); // a missing engine is no fault of the file
    Model model = Model.newInstance(file.getFileName().toString(), Device.cpu(), backend.engine);
    String threads = Integer.toString(threadsPerLane);
    Map<String, String> options =
        backend == Backend.ONNX
            ? Map.of("intraOpNumThreads", threads, "interOpNumThreads", "1")
            : Map.of();
    try {
      model.load(file, null, options);
      return model;
    } catch (IOException | MalformedModelException | EngineException e) {
      model.close();
      throw new UserMistakeException(
          location,
          "the model file (%s) can not be loaded (%s)".formatted(file, gist(e)),
          maybe,
          e);
    }
  }

  /** Runs one and two zero samples through a user's model, so that a wrong shape is found here. */
  private static void tryOut(ModelRequest.UserFile file, Model model, WorkloadInfo info)
      throws UserMistakeException {
    int samples = 1;
    try (var session = new DjlSession(model, info.inputShape())) {
      for (; samples <= 2; samples++) {
        var zeros = new float[samples * info.elementsPerSample()];
        session.infer(List.of(new JobInput("trial", samples, zeros)));
      }
    } catch (InferenceException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new UserMistakeException(
          file.location(),
          "the model (%s) does not take %s of input_shape (%s) and give logits (%s)"
              .formatted(
                  file.path(),
                  samples == 1 ? "1 sample" : samples + " samples",
                  info.inputShape(),
                  gist(cause)),
          "its input_shape is another, or it was exported for a fixed number of samples",
          e);
    }
  }

  /** What an engine's message says, on one line; TorchScript puts a traceback before it. */
  private static String gist(Throwable e) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    String message = cause.getMessage() == null ? cause.toString() : cause.getMessage().strip();
    return message
        .lines()
        .filter(line -> line.startsWith("RuntimeError: "))
        .findFirst()
        .orElseGet(() -> shortened(message));
  }

  private static String shortened(String message) {
    String line =
        message
            .replaceFirst("^([\\w.]+Exception: )?(Error code - \\w+ - message: )?", "")
            .replaceAll("\\s+", " ");
    return line.length() <= GIST_CHARACTERS_MAX
        ? line
        : line.substring(0, GIST_CHARACTERS_MAX) + "…";
  }

  /**
   * A session for one lane.
   *
   * @throws IllegalArgumentException if {@link #load} was not asked for that model
   */
  public InferenceSession openSession(String workload, String backend, String precision) {
    if (!precision.equals("fp32")) {
      throw new IllegalArgumentException("precision (" + precision + ") is not fp32");
    }
    Loaded loaded = loaded(workload, backend);
    var session = new DjlSession(loaded.model(), loaded.info().inputShape());
    sessionsOpen.incrementAndGet();
    session.onClose(sessionsOpen::decrementAndGet);
    return session;
  }

  /**
   * What is known of a loaded model.
   *
   * @throws IllegalArgumentException if {@link #load} was not asked for that model
   */
  public WorkloadInfo info(String workload, String backend) {
    return loaded(workload, backend).info();
  }

  private Loaded loaded(String workload, String backend) {
    Loaded loaded = models.get(new Key(workload, backend));
    if (loaded == null) {
      throw new IllegalArgumentException(
          "no model (%s, %s) was loaded; loaded: %s".formatted(workload, backend, models.keySet()));
    }
    return loaded;
  }

  /**
   * Frees the engines' memory.
   *
   * @throws IllegalStateException if a session is still open; then nothing is freed
   */
  @Override
  public void close() {
    int open = sessionsOpen.get();
    if (open > 0) {
      throw new IllegalStateException(open + " sessions are open; join the lanes first");
    }
    models.values().forEach(loaded -> loaded.model().close());
    models.clear();
  }
}
