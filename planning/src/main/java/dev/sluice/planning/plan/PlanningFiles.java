package dev.sluice.planning.plan;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Tree;
import dev.sluice.contract.file.Tree.Limits;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.planning.split.PlanProblem;
import dev.sluice.planning.split.PlanProblem.DeviceType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The three files that a plan is made from: models by name with their layers, device types by name
 * with measured times, hosts by device type. They are read as other tools write them: entries that
 * a plan does not need are not looked at.
 */
public record PlanningFiles(Path models, Path types, Path devices) {
  private static final long BYTES_MAX = 64L << 20;
  private static final Limits LIMITS = new Limits(20, 2_000_000);

  /**
   * What the files hold for a plan.
   *
   * @param problem types with a profile, in the order of their file, also those without a host
   * @param certainties how sure the times are, by type
   * @param warnings lines to print as they are: what was left out
   */
  public record Read(PlanProblem problem, List<Certainty> certainties, List<String> warnings) {}

  /**
   * Reads what a plan needs.
   *
   * @throws UserMistakeException with all mistakes of all files; if nothing is left to plan with,
   *     unless compatible
   */
  public Read read(Asked asked) throws UserMistakeException {
    asked.check();
    var inModels = new Problems(models.toString(), Problems.LISTED_MAX);
    var inTypes = new Problems(types.toString(), Problems.LISTED_MAX);
    var inDevices = new Problems(devices.toString(), Problems.LISTED_MAX);
    Mapping modelsRoot = mapping(models, "--models-file", "models", inModels);
    Mapping typesRoot = mapping(types, "--dev-types-file", "device types", inTypes);
    Mapping devicesRoot = mapping(devices, "--dev-file", "device types with hosts", inDevices);
    var reader = new PlanReader(asked, inModels);
    reader.readModel(modelsRoot);
    Map<String, List<String>> hosts = PlanReader.hosts(devicesRoot, inDevices);
    reader.readTypes(typesRoot, hosts, inTypes);
    Problems.throwIfAny(List.of(inModels, inTypes, inDevices));
    hosts
        .keySet()
        .forEach(
            type -> {
              if (!typesRoot.entries().containsKey(type)) {
                var entry = devicesRoot.entries().get(type);
                inDevices.warn(
                    entry == null ? devicesRoot.place() : entry.keyPlace(),
                    "type (" + type + ") is left out: " + types + " has no such type");
              }
            });
    List<String> warnings = new ArrayList<>(inModels.warnings());
    warnings.addAll(inTypes.warnings());
    warnings.addAll(inDevices.warnings());
    PlanProblem problem = reader.problem();
    if (!asked.compatible()) {
      UserMistakeException.throwIf(
          problem.types().isEmpty(),
          types.toString(),
          "no type has a profile of model (%s) at %s".formatted(asked.model(), asked.profile()),
          reader.known.isEmpty()
              ? "the model should be profiled on a device first"
              : "you meant one of the profiles of this model: " + String.join(", ", reader.known));
      UserMistakeException.throwIf(
          problem.hosts() == 0,
          devices.toString(),
          "no host is left",
          "it should name hosts of a type with a profile: "
              + problem.types().stream().map(DeviceType::name).collect(Collectors.joining(", ")));
    }
    return new Read(problem, reader.certainties, warnings);
  }

  /** Reads a file whose value is a mapping of names. */
  static Mapping mapping(Path file, String option, String names, Problems problems)
      throws UserMistakeException {
    Value value = value(file, option, problems);
    if (value instanceof Mapping mapping) {
      return mapping;
    }
    throw new UserMistakeException(
        value.place(),
        "the file is no mapping of " + names,
        "another file was meant; " + option + " names it");
  }

  /** Reads a file within the limits of all planning files. */
  static Value value(Path file, String option, Problems problems) throws UserMistakeException {
    try {
      long bytes = Files.isRegularFile(file) ? Files.size(file) : 0;
      if (bytes > BYTES_MAX) {
        throw new UserMistakeException(
            file.toString(),
            "the file holds (%d) MiB, more than %d".formatted(bytes >> 20, BYTES_MAX >> 20),
            "another file was meant; " + option + " names it");
      }
    } catch (IOException e) {
      throw new UserMistakeException(
          file.toString(),
          "the file cannot be read (" + UserMistakeException.reason(e) + ")",
          "another file was meant; " + option + " names it",
          e);
    }
    try (Tree tree = Tree.open(file, option + " should name another file", LIMITS)) {
      Value value = tree.whole(problems);
      if (value == null) {
        throw new UserMistakeException(
            file.toString(),
            "the file is empty",
            "another file was meant; " + option + " names it");
      }
      return value;
    }
  }

  /**
   * What a plan is asked for.
   *
   * @param model name of the model in models.yml
   * @param dtype type of the values that layers pass on, as PyTorch names it
   * @param batchSize samples of a micro-batch, from 1
   * @param buffersIn buffers for what comes in, of each stage but the first, at least 0
   * @param buffersOut buffers for what goes out, of each stage, at least 0
   * @param compatible true: a {@code parameters_out} that is too short is repeated, and files
   *     without a profile or a host are no mistake
   */
  public record Asked(
      String model,
      String dtype,
      int batchSize,
      int buffersIn,
      int buffersOut,
      boolean compatible) {
    private static final Map<String, Integer> BYTES_BY_DTYPE =
        Map.of("torch.float32", 4, "torch.float16", 2, "torch.bfloat16", 2);

    static final int BATCH_MAX = 100_000;

    /** Checks what needs no file. */
    public void check() throws UserMistakeException {
      UserMistakeException.throwIf(
          !BYTES_BY_DTYPE.containsKey(dtype),
          "--dtype",
          "the dtype (" + dtype + ") is unknown",
          NearestName.advice(dtype, BYTES_BY_DTYPE.keySet(), "dtypes"));
      UserMistakeException.throwIf(
          batchSize < 1 || batchSize > BATCH_MAX,
          "--batch-size",
          "the batch size (%d) must be at least 1 and at most %d".formatted(batchSize, BATCH_MAX),
          "you meant 8, the default");
    }

    /** Bytes of a value, from 1; the dtype must have been checked. */
    public long bytesPerValue() {
      Integer bytes = BYTES_BY_DTYPE.get(dtype);
      if (bytes == null) {
        throw new IllegalStateException(dtype + " was not checked");
      }
      return bytes;
    }

    /** Dtype and batch size in words. */
    String profile() {
      return profile(dtype, batchSize);
    }

    static String profile(String dtype, int batchSize) {
      return dtype + " with batch size " + batchSize;
    }
  }
}
