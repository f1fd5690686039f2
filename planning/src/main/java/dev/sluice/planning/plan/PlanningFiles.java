package dev.sluice.planning.plan;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Tree;
import dev.sluice.contract.file.Tree.Limits;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Scalar;
import dev.sluice.contract.file.Value.Sequence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
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
   * @param types types with a profile, in the order of their file, also those without a host
   * @param warnings lines to print as they are: what was left out
   */
  public record Read(PlanModel model, List<ProfiledType> types, List<String> warnings) {
    public Read {
      types = List.copyOf(types);
      warnings = List.copyOf(warnings);
    }

    public int hosts() {
      return types.stream().mapToInt(type -> type.hosts().size()).sum();
    }
  }

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
    PlanModel model = PlanModel.read(modelsRoot, asked, inModels);
    var reader = new TypesReader(asked, model.layers(), inTypes);
    Map<String, List<String>> hosts = hosts(devicesRoot, inDevices);
    List<ProfiledType> profiled = reader.read(typesRoot, hosts);
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
    var read = new Read(model, profiled, warnings);
    if (!asked.compatible()) {
      checkSomethingIsLeft(read, asked, reader.known());
    }
    return read;
  }

  private void checkSomethingIsLeft(Read read, Asked asked, List<String> known)
      throws UserMistakeException {
    UserMistakeException.throwIf(
        read.types().isEmpty(),
        types.toString(),
        "no type has a profile of model (%s) at %s".formatted(asked.model(), asked.profile()),
        known.isEmpty()
            ? "the model should be profiled on a device first"
            : "you meant one of the profiles of this model: " + String.join(", ", known));
    UserMistakeException.throwIf(
        read.hosts() == 0,
        devices.toString(),
        "no host is left",
        "it should name hosts of a type with a profile: "
            + read.types().stream().map(ProfiledType::name).collect(Collectors.joining(", ")));
  }

  private static Map<String, List<String>> hosts(Mapping root, Problems problems) {
    Map<String, List<String>> hosts = new LinkedHashMap<>();
    Map<String, Place> placeByHost = new HashMap<>();
    root.entries()
        .forEach(
            (type, entry) -> {
              List<String> names = new ArrayList<>();
              for (Value item : hostsOf(type, entry.value(), problems)) {
                if (!(item instanceof Scalar host) || host.missing() || host.text().isBlank()) {
                  problems.error(
                      item.place(), "a host of " + type + " must be a name", "one name is meant");
                  continue;
                }
                Place earlier = placeByHost.putIfAbsent(host.text(), item.place());
                if (earlier != null) {
                  problems.error(
                      item.place(),
                      "host (%s) is here a second time, first at %s"
                          .formatted(host.text(), earlier),
                      "one of the two should be removed");
                }
                names.add(host.text());
              }
              hosts.put(type, names);
            });
    return hosts;
  }

  private static List<Value> hostsOf(String type, Value value, Problems problems) {
    if (value instanceof Sequence list) {
      return list.items();
    }
    if (!(value instanceof Scalar scalar) || !scalar.missing()) {
      problems.error(
          value.place(),
          type + " must be a list of hosts",
          "each host should follow a dash: - host");
    }
    return List.of();
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
   * @param compatible true: a {@code parameters_out} that is too short is repeated, and files
   *     without a profile or a host are no mistake
   */
  public record Asked(String model, String dtype, int batchSize, boolean compatible) {
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
      return dtype + " with batch size " + batchSize;
    }
  }
}
