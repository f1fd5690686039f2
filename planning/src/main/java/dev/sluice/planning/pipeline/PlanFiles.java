package dev.sluice.planning.pipeline;

import dev.sluice.contract.file.OutputFile;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Tree;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Entry;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Scalar;
import dev.sluice.contract.file.Value.Sequence;
import dev.sluice.executor.network.Network;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The files of models and device types, in the form of PipeEdge's scheduler. What is there stays,
 * except for comments and the layout.
 */
final class PlanFiles {
  static final String MODELS = "models.yml";
  static final String DEVICE_TYPES = "device_types.yml";
  static final String DTYPE = "torch.float32";

  private static final double MIB = 1 << 20;
  private static final String FORCE = "you want --force, which replaces what is there";

  private static final Place MADE = new Place("made", 0);

  private final LayerProfileRun.Options options;

  PlanFiles(LayerProfileRun.Options options) {
    this.options = options;
  }

  Path models() {
    return options.folder().resolve(MODELS);
  }

  Path deviceTypes() {
    return options.folder().resolve(DEVICE_TYPES);
  }

  /** Makes the folder, if it is missing; refuses one that cannot be made, or written. */
  void makeFolder() throws UserMistakeException {
    Path folder = options.folder().toAbsolutePath();
    try {
      Files.createDirectories(folder);
      Files.delete(Files.createTempFile(folder, MODELS, ".unfinished"));
    } catch (IOException e) {
      throw new UserMistakeException(
          "--results",
          "the folder (%s) cannot be written (%s)"
              .formatted(folder, UserMistakeException.reason(e)),
          "you want another --results, or lack the right to write there",
          e);
    }
  }

  /**
   * Checks that nothing is there already that would be measured, unless it may be replaced.
   *
   * @return models that are there with the same layers
   * @throws UserMistakeException if something is, or a file is malformed
   */
  Set<String> check(Map<String, Network> networks) throws UserMistakeException {
    var problems = new Problems(models().toString());
    Mapping models = read(models());
    Set<String> present = new LinkedHashSet<>();
    networks.forEach(
        (name, network) -> {
          Entry entry = models.entries().get(name);
          if (entry != null && describes(entry.value(), network)) {
            present.add(name);
          } else if (entry != null && !options.force()) {
            problems.error(
                entry.keyPlace(), "the model (" + name + ") is there with other layers", FORCE);
          }
        });
    checkDeviceType(problems);
    problems.throwIfAny();
    return present;
  }

  private void checkDeviceType(Problems problems) throws UserMistakeException {
    Entry type = read(deviceTypes()).entries().get(options.deviceType());
    if (type == null || !(type.value() instanceof Mapping mapping)) {
      checkGiven("--bw-mbps", options.bandwidthMbps());
      checkGiven("--mem-mb", options.memoryMb());
      return;
    }
    checkSame(problems, mapping, "bw_Mbps", options.bandwidthMbps());
    checkSame(problems, mapping, "mem_MB", options.memoryMb());
    if (options.force() || !(value(mapping, "model_profiles") instanceof Mapping profiles)) {
      return;
    }
    for (String model : options.models()) {
      if (value(profiles, model) instanceof Sequence list) {
        for (Value item : list.items()) {
          if (options.batchSizes().stream().anyMatch(samples -> isOf(item, samples))) {
            problems.error(
                item.place(),
                "the profile of (%s) with batch size (%s) is there"
                    .formatted(model, text(item, "batch_size")),
                FORCE);
          }
        }
      }
    }
  }

  private void checkGiven(String option, @Nullable Double value) throws UserMistakeException {
    UserMistakeException.throwIf(
        value == null,
        option,
        "the device type (%s) is not in (%s) yet, and needs it"
            .formatted(options.deviceType(), deviceTypes()),
        option.equals("--bw-mbps")
            ? "--bw-mbps 1000 is its network's bandwidth"
            : "--mem-mb 4096 is what a host has to spare");
  }

  private void checkSame(Problems problems, Mapping type, String key, @Nullable Double told) {
    Value there = value(type, key);
    if (told != null
        && there instanceof Scalar scalar
        && !options.force()
        && !scalar.text().equals(number(told))) {
      problems.error(
          there.place(),
          "%s of (%s) is (%s), not (%s)"
              .formatted(key, options.deviceType(), scalar.text(), number(told)),
          FORCE + ", or to leave the option out");
    }
  }

  /**
   * Adds a model and its times, and writes both files.
   *
   * @param layerBytes memory of each layer; empty: not measured, and kept as it is
   * @param batches times by batch size, in the order of the command
   * @throws UserMistakeException if a file is malformed by now
   * @throws IOException if a file cannot be written
   */
  void add(String name, Network network, List<Long> layerBytes, List<BatchTimes> batches)
      throws UserMistakeException, IOException {
    if (!layerBytes.isEmpty()) {
      Mapping models = copy(read(models()));
      put(models, name, model(network, layerBytes));
      write(models(), models);
    }
    Mapping types = copy(read(deviceTypes()));
    Mapping type = inner(types, options.deviceType());
    putNumber(type, "bw_Mbps", options.bandwidthMbps());
    putNumber(type, "mem_MB", options.memoryMb());
    Mapping profiles = inner(type, "model_profiles");
    List<Value> list =
        value(profiles, name) instanceof Sequence there
            ? new ArrayList<>(there.items())
            : new ArrayList<>();
    for (BatchTimes batch : batches) {
      Value profile = profile(batch);
      int at =
          IntStream.range(0, list.size())
              .filter(i -> isOf(list.get(i), batch.samples()))
              .findFirst()
              .orElse(-1);
      if (at < 0) {
        list.add(profile);
      } else {
        list.set(at, profile);
      }
    }
    put(profiles, name, new Sequence(MADE, list));
    write(deviceTypes(), types);
  }

  private static Mapping model(Network network, List<Long> layerBytes) {
    Mapping model = empty();
    put(model, "layers", scalar(Integer.toString(network.layers())));
    put(model, "mem_MB", list(layerBytes.stream().map(bytes -> number(bytes / MIB)).toList()));
    put(model, "parameters_in", scalar(Integer.toString(network.elementsBehind(0))));
    put(model, "parameters_out", list(elementsOut(network)));
    return model;
  }

  /** Values of a sample that cross the cut behind each layer, as texts. */
  private static List<String> elementsOut(Network network) {
    return IntStream.rangeClosed(1, network.layers())
        .mapToObj(layer -> Integer.toString(network.elementsBehind(layer)))
        .toList();
  }

  private static Mapping profile(BatchTimes batch) {
    Mapping profile = empty();
    put(profile, "batch_size", scalar(Integer.toString(batch.samples())));
    put(profile, "dtype", scalar(DTYPE));
    put(profile, "time_s", list(batch.layerSeconds().stream().map(PlanFiles::number).toList()));
    putNumber(profile, "time_spread", batch.spread());
    putNumber(profile, "whole_s", batch.wholeSeconds());
    return profile;
  }

  private static boolean describes(Value entry, Network network) {
    return entry instanceof Mapping model
        && text(model, "layers").equals(Integer.toString(network.layers()))
        && text(model, "parameters_in").equals(Integer.toString(network.elementsBehind(0)))
        && value(model, "parameters_out") instanceof Sequence out
        && out.items().stream().map(PlanFiles::text).toList().equals(elementsOut(network));
  }

  private static boolean isOf(Value profile, int samples) {
    return text(profile, "batch_size").equals(Integer.toString(samples))
        && text(profile, "dtype").equals(DTYPE);
  }

  /** A number as the files hold it: without an exponent, a whole one without a point. */
  private static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : BigDecimal.valueOf(value).toPlainString();
  }

  private static Mapping read(Path file) throws UserMistakeException {
    if (!Files.exists(file)) {
      return empty();
    }
    var problems = new Problems(file.toString());
    Value whole;
    try (Tree tree = Tree.open(file, "", new Tree.Limits(20, 10_000_000))) {
      whole = tree.whole(problems);
    }
    problems.throwIfAny();
    if (whole == null || (whole instanceof Scalar scalar && scalar.missing())) {
      return empty();
    }
    if (!(whole instanceof Mapping mapping)) {
      throw new UserMistakeException(
          whole.place(), "the file is no mapping of names", "it is another file; name a folder");
    }
    return mapping;
  }

  private static Mapping empty() {
    return new Mapping(MADE, new LinkedHashMap<>());
  }

  private static Mapping copy(Mapping mapping) {
    return new Mapping(mapping.place(), new LinkedHashMap<>(mapping.entries()));
  }

  /** Puts a copy of the mapping under a key in its place, or an empty one, and returns it. */
  private static Mapping inner(Mapping mapping, String key) {
    Mapping inner = value(mapping, key) instanceof Mapping there ? copy(there) : empty();
    put(mapping, key, inner);
    return inner;
  }

  private static void put(Mapping mapping, String key, Value value) {
    mapping.entries().put(key, new Entry(MADE, value));
  }

  private static void putNumber(Mapping mapping, String key, @Nullable Double value) {
    if (value != null) {
      put(mapping, key, scalar(number(value)));
    }
  }

  private static Scalar scalar(String text) {
    return new Scalar(MADE, text, false, false);
  }

  private static Sequence list(List<String> texts) {
    return new Sequence(MADE, texts.stream().map(text -> (Value) scalar(text)).toList());
  }

  private static @Nullable Value value(Mapping mapping, String key) {
    Entry entry = mapping.entries().get(key);
    return entry == null ? null : entry.value();
  }

  private static String text(Value mapping, String key) {
    Value value = mapping instanceof Mapping m ? value(m, key) : null;
    return value == null ? "" : text(value);
  }

  private static String text(Value value) {
    return value instanceof Scalar scalar ? scalar.text() : "";
  }

  private static void write(Path file, Mapping content) throws IOException {
    OutputFile.write(file, PlanYaml.text(content).getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Times of a model's layers, of a batch size.
   *
   * @param layerSeconds median time of each layer
   * @param spread as {@link LayerProfileRun#spread}
   * @param wholeSeconds median time of the whole model; null: it was not measured
   */
  record BatchTimes(
      int samples,
      List<Double> layerSeconds,
      @Nullable Double spread,
      @Nullable Double wholeSeconds) {}
}
