package dev.sluice.executor.model;

import ai.djl.Device;
import ai.djl.MalformedModelException;
import ai.djl.Model;
import ai.djl.engine.Engine;
import ai.djl.engine.EngineException;
import dev.sluice.contract.experiment.ModelInput;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.model.Engines.Backend;
import dev.sluice.executor.network.Workloads;
import dev.sluice.executor.network.Workloads.WorkloadInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Every model of a run, loaded once for each precision and shared by all lanes. May be used from
 * many threads. Close it after all lanes have ended and all its sessions are closed: the engines
 * hold its memory outside the Java heap, and ONNX Runtime ends the whole process if a model is
 * closed during an inference.
 */
public final class LoadedModels implements RunModels, AutoCloseable {
  private static final int GIST_CHARACTERS_MAX = 200;

  /** Largest number of threads that load: more would only hold more files in memory at once. */
  private static final int LOADING_THREADS_MAX = 4;

  private record Loaded(List<Model> models, WorkloadInfo info) {}

  private final Engines engines;
  private final Devices devices;
  private final Map<ModelKey, Loaded> models = new ConcurrentHashMap<>();
  private final AtomicInteger sessionsOpen = new AtomicInteger();

  /**
   * A model that a run needs.
   *
   * @param model its workload is a name in {@link Workloads}, or with {@code userFile} the user's
   *     own name; its backend pytorch or onnx; its precision fp32, fp16 or bf16. A user's own model
   *     runs in the precision of its file, and only fp32 may be asked for
   */
  public record ModelRequest(ModelKey model, @Nullable UserFile userFile) {
    /**
     * A user's own model file: TorchScript for pytorch, ONNX for onnx. It takes tensors [samples,
     * shape…] of any number of samples, and the first that it gives is [samples, classes] of
     * float32 or float16.
     *
     * @param location place at which a mistake in the file is reported: {@code file:line} of the
     *     experiment
     * @param path path of the model file; a file of that name with {@code .sha256} appended (in the
     *     format of {@code sha256sum}), if there is one, must match
     * @param inputs what it takes, at least one, in its order
     * @param tokens memory tokens of the model itself
     */
    public record UserFile(String location, Path path, List<ModelInput> inputs, int tokens) {}
  }

  private LoadedModels(Engines engines, Devices devices) {
    this.engines = engines;
    this.devices = devices;
  }

  /**
   * Loads all models: writes each model's file if it is missing, checks it, and then loads several
   * at once. Takes seconds. A user's own model is tried on one and on two samples of zeros.
   *
   * @param devices devices of all backends of the requests; a model is loaded on each device of its
   *     backend
   */
  public static LoadedModels load(
      List<ModelRequest> requests,
      Engines engines,
      Devices devices,
      ModelCache cache,
      ModelProgress progress)
      throws UserMistakeException {
    var distinct = new LinkedHashMap<ModelKey, ModelRequest>();
    requests.forEach(request -> distinct.putIfAbsent(request.model(), request));
    var files = new LinkedHashMap<ModelRequest, Path>();
    for (ModelRequest request : distinct.values()) {
      files.put(request, checkedFile(request, cache, progress));
    }
    var loaded = new LoadedModels(engines, devices);
    try {
      sideBySide(
          files.entrySet().stream()
              .map(entry -> (Loading) () -> loaded.load(entry.getKey(), entry.getValue()))
              .toList());
    } catch (UserMistakeException | RuntimeException | Error e) {
      loaded.close();
      throw e;
    }
    return loaded;
  }

  interface Loading {
    void run() throws UserMistakeException;
  }

  /**
   * Loads on several threads at once, in order, and waits for all even if this thread is
   * interrupted: engines load a model on one core. After a failure no further loading begins; of
   * several, the first one is thrown.
   */
  static void sideBySide(List<Loading> loadings) throws UserMistakeException {
    int processors = Runtime.getRuntime().availableProcessors();
    var failed = new AtomicBoolean();
    ExecutorService threads =
        Executors.newFixedThreadPool(
            Math.min(processors, LOADING_THREADS_MAX),
            task -> {
              var thread = new Thread(task, "sluice-models");
              thread.setDaemon(true);
              return thread;
            });
    List<CompletableFuture<@Nullable Throwable>> failures =
        loadings.stream()
            .map(loading -> CompletableFuture.supplyAsync(() -> failure(loading, failed), threads))
            .toList();
    threads.shutdown();
    for (@Nullable Throwable failure : failures.stream().map(CompletableFuture::join).toList()) {
      if (failure instanceof UserMistakeException mistake) {
        throw mistake;
      }
      if (failure instanceof Error error) {
        throw error;
      }
      if (failure instanceof RuntimeException bug) {
        throw bug;
      }
    }
  }

  private static @Nullable Throwable failure(Loading loading, AtomicBoolean failed) {
    if (failed.get()) {
      return null;
    }
    try {
      loading.run();
      return null;
    } catch (UserMistakeException | RuntimeException | Error e) {
      failed.set(true);
      return e;
    }
  }

  private static Path checkedFile(ModelRequest request, ModelCache cache, ModelProgress progress)
      throws UserMistakeException {
    ModelRequest.UserFile userFile = request.userFile();
    if (userFile == null) {
      return cache.file(request.model(), progress);
    }
    if (!request.model().precision().equals("fp32")) {
      throw new IllegalArgumentException("a user's own model runs as it is: " + request);
    }
    checkUserFile(userFile, Backend.named(request.model().backend()));
    return userFile.path();
  }

  private void load(ModelRequest request, Path file) throws UserMistakeException {
    ModelKey model = request.model();
    ModelRequest.UserFile userFile = request.userFile();
    if (userFile == null) {
      List<Model> opened =
          open(file.toString(), file, model.backend(), said -> "delete it; Sluice writes it again");
      models.put(model, new Loaded(opened, Workloads.info(model.workload())));
      return;
    }
    Backend backend = Backend.named(model.backend());
    List<Model> opened =
        open(
            userFile.location(),
            file,
            model.backend(),
            said -> ModelHints.notLoaded(file, backend, said));
    var info = new WorkloadInfo(model.workload(), userFile.tokens(), 0, 0, userFile.inputs());
    models.put(model, new Loaded(opened, info)); // before the trial, so that a failure closes it
    tryOut(userFile, opened.get(0), info);
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
    if (Files.exists(ModelHash.file(file))) {
      ModelCache.verify(
          userFile.location(),
          file,
          "copy it again, or delete the .sha256 file if you changed the model");
    }
  }

  /** On each device of its backend; if one fails, the model stays open on none. */
  private List<Model> open(String location, Path file, String backend, UnaryOperator<String> maybe)
      throws UserMistakeException {
    var opened = new ArrayList<Model>();
    try {
      for (Device device : devices.of(backend)) {
        opened.add(open(engines, location, file, Backend.named(backend), device, maybe));
      }
      return opened;
    } catch (UserMistakeException | RuntimeException e) {
      opened.forEach(Model::close);
      throw e;
    }
  }

  /**
   * @param location file or line that a message names
   * @param maybe probable cause, for the message, given what the engine said
   */
  static Model open(
      Engines engines,
      String location,
      Path file,
      Backend backend,
      Device device,
      UnaryOperator<String> maybe)
      throws UserMistakeException {
    Engine.getEngine(backend.engine); // a missing engine is not the file's fault
    Model model = Model.newInstance(file.getFileName().toString(), device, backend.engine);
    String threads = Integer.toString(engines.threadsPerLane());
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
          "the model file (%s) cannot be loaded (%s)".formatted(file, gist(e)),
          maybe.apply(words(e)),
          e);
    }
  }

  /** Runs one and two zero samples through a user's model, so that a wrong shape is found here. */
  private static void tryOut(ModelRequest.UserFile file, Model model, WorkloadInfo info)
      throws UserMistakeException {
    int samples = 1;
    try (var session = new DjlSession(model, info.inputs(), new InputBuffer(), () -> {})) {
      for (; samples <= 2; samples++) {
        var values = new float[samples * info.elementsPerSample()];
        session.infer(List.of(new JobInput("trial", samples, values)));
      }
    } catch (InferenceException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new UserMistakeException(
          file.location(),
          "the model (%s) does not take %s of %s and give logits (%s)"
              .formatted(
                  file.path(),
                  samples == 1 ? "1 sample" : samples + " samples",
                  words(info.inputs()),
                  gist(cause)),
          ModelHints.notRun(samples, words(cause)),
          e);
    }
  }

  private static String words(List<ModelInput> inputs) {
    return inputs.equals(List.of(ModelInput.of(inputs.get(0).shape())))
        ? "input_shape (" + inputs.get(0).shape() + ")"
        : "inputs ("
            + inputs.stream().map(ModelInput::words).collect(Collectors.joining(", "))
            + ")";
  }

  /** All that an engine said, of the failure and what led to it. */
  private static String words(Throwable e) {
    var words = new StringBuilder();
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      words.append(cause.getMessage()).append(' ');
    }
    return words.toString().replaceAll("\\s+", " ");
  }

  /** One line of an engine's message; TorchScript puts a traceback before it. */
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
            .replaceFirst("/onnxruntime_src/\\S+ .*?\\) (?=[A-Z])", "")
            .replaceAll("\\s+", " ");
    return line.length() <= GIST_CHARACTERS_MAX
        ? line
        : line.substring(0, GIST_CHARACTERS_MAX) + "…";
  }

  @Override
  public InferenceSession openSession(ModelKey model, int lane, InputBuffer buffer) {
    Loaded loaded = loaded(model);
    Model onDevice = loaded.models().get(lane % loaded.models().size());
    var session =
        new DjlSession(onDevice, loaded.info().inputs(), buffer, sessionsOpen::decrementAndGet);
    sessionsOpen.incrementAndGet();
    return session;
  }

  @Override
  public boolean isOneWithTheFirst(ModelKey model, int lane) {
    return lane % loaded(model).models().size() == 0;
  }

  public Devices devices() {
    return devices;
  }

  @Override
  public WorkloadInfo info(ModelKey model) {
    return loaded(model).info();
  }

  private Loaded loaded(ModelKey model) {
    Loaded loaded = models.get(model);
    if (loaded == null) {
      throw new IllegalArgumentException(
          "no model (%s) was loaded; loaded: %s".formatted(model, models.keySet()));
    }
    return loaded;
  }

  /** Frees the engines' memory, unless a session is open. */
  @Override
  public void close() {
    int open = sessionsOpen.get();
    if (open > 0) {
      throw new IllegalStateException(open + " sessions are open; join the lanes first");
    }
    models.values().forEach(loaded -> loaded.models().forEach(Model::close));
    models.clear();
  }
}
