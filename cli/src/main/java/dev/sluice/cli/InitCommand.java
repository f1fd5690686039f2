package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "init",
    description = {
      "Writes an experiment to begin with, each key with what it means, and says what to do next.",
      "With --model: an experiment on a model of your own."
    },
    exitCodeList = {
      "0:done",
      "1:a bug, or the file could not be written",
      "2:a mistake in the command, or the file exists"
    },
    footer = {
      "  ./sluice init",
      "  ./sluice init mine.yaml --model models/mine.onnx --input-shape 3,224,224"
    })
final class InitCommand implements Callable<Integer> {
  private static final String TEXT =
      """
      # An experiment of Sluice; docs/experiments.md explains every key.
      duration_seconds: 20         # how long jobs arrive
      warmup_seconds: 3            # jobs that arrive before this are not measured
      offered_load: 0.5            # share of what the lanes can do; or arrival_rate_jobs_per_sec: 14
      interactive_ratio: 0.3       # share of the jobs of class interactive
      classes:                     # latency promises, from the intended arrival to the end
        interactive: {slo_ms: 1000}
        batch: {slo_ms: 4000}
      %s
      batch_sizes: [1, 2]          # samples that a job asks for
      scheduler_name: dynamic      # or fifo, priority_slo, batch_aware and more: docs/policies.md
      microbatch:                  # jobs of class batch may share an inference
        window_ms: 10              # how long a set of jobs gathers
        max_batch: 4               # most samples in one inference
      lanes:
        num_lanes: 2               # inferences at a time
      """;

  private static final String BUILT_IN =
      """
      workloads: [resnet18, resnet50, vit_tiny]  # or a model of your own: docs/experiments.md#jobs
      backends_enabled: [pytorch, onnx]
      simulation:                  # where ./sluice simulate has its service times from
        latency_table: %s\
      """;

  private static final String OWN =
      """
      workloads:
        - {name: %s, path: '%s', input_shape: [%s], tokens: 100}
      backends_enabled: [%s]
      precision_modes: [fp32]\
      """;

  @Parameters(
      paramLabel = "FILE",
      arity = "0..1",
      description = "The file to write (default: ${DEFAULT-VALUE}).",
      defaultValue = "experiment.yaml")
  private Path file = Path.of("experiment.yaml");

  @Option(
      names = "--model",
      paramLabel = "MODEL",
      description = "A model of your own, TorchScript (.pt) or ONNX (.onnx).")
  private @Nullable Path model;

  @Option(
      names = "--input-shape",
      paramLabel = "N,N,…",
      description = "Shape of one of its samples, without the batch axis (default: 3,224,224).")
  private @Nullable String inputShape;

  @Override
  public Integer call() throws UserMistakeException, IOException {
    check();
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    String models = model == null ? BUILT_IN.formatted(table()) : own(model);
    Files.writeString(file, TEXT.formatted(models));
    System.out.println("Written   " + file);
    String of = model == null ? file.toString() : file + " --profile results/latency_table.csv";
    System.out.println("Next      ./sluice run " + file);
    if (model != null) {
      System.out.println(
          "then, of times that are measured once, which policy is better, and up to");
      System.out.println("which load it keeps its promises:");
      System.out.println("          ./sluice profile " + file);
    }
    System.out.println(
        "          ./sluice simulate " + of + " --repeat 8 --versus scheduler_name=fifo");
    System.out.println(
        "          ./sluice capacity "
            + of
            + " --simulate --policies fifo,dynamic --target \"slo_violation_rate<0.01\" --between"
            + " 2..60");
    return ExitStatus.DONE;
  }

  private void check() throws UserMistakeException {
    UserMistakeException.throwIf(
        Files.exists(file), file.toString(), "the file exists already", "you want another name");
    if (model == null) {
      UserMistakeException.throwIf(
          inputShape != null,
          "--input-shape",
          "it is of a model, and none is named",
          "you want --model too");
      return;
    }
    UserMistakeException.throwIf(
        !Files.exists(model),
        "--model",
        "the file does not exist (" + model + ")",
        "the path has a slip");
    String name = String.valueOf(model.getFileName()).toLowerCase(Locale.ROOT);
    UserMistakeException.throwIf(
        !name.endsWith(".onnx") && !name.endsWith(".pt"),
        "--model",
        "the file is neither .onnx nor .pt (" + model + ")",
        "you want to export the model as TorchScript or ONNX");
    if (inputShape != null && !inputShape.matches("[1-9]\\d{0,6}(,[1-9]\\d{0,6})*")) {
      throw new UserMistakeException(
          "--input-shape",
          "the value (" + inputShape + ") must be whole numbers with commas between them",
          "--input-shape 3,224,224 is meant");
    }
  }

  private String own(Path path) {
    String fileName = String.valueOf(path.getFileName());
    int dot = fileName.lastIndexOf('.');
    String name = fileName.substring(0, dot).replaceAll("[^\\p{L}\\p{N}._-]", "-");
    boolean onnx = fileName.toLowerCase(Locale.ROOT).endsWith(".onnx");
    return OWN.formatted(
        name.substring(0, Math.min(50, name.length())),
        relative(path).replace("'", "''"),
        inputShape == null ? "3, 224, 224" : inputShape.replace(",", ", "),
        onnx ? "onnx" : "pytorch");
  }

  /** The table of the machine on which Sluice was tried, which its configs folder holds. */
  private String table() {
    return relative(
        Path.of(System.getProperty("sluice.home", "."))
            .resolve("configs")
            .resolve("latency")
            .resolve("cpu-2core.csv"));
  }

  /** A path as the experiment names it: from the folder of its file. */
  private String relative(Path path) {
    Path folder = file.toAbsolutePath().normalize().getParent();
    return folder == null
        ? path.toString()
        : folder.relativize(path.toAbsolutePath().normalize()).toString();
  }
}
