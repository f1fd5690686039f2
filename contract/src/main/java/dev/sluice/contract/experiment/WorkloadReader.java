package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.Lanes;
import dev.sluice.contract.experiment.Experiment.LinearServiceTime;
import dev.sluice.contract.experiment.Experiment.MemoryBudget;
import dev.sluice.contract.experiment.Experiment.ModelFile;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.contract.experiment.ModelInput.Dtype;
import dev.sluice.contract.file.ByteSize;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Mapping;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The key {@code workloads}: names of built-in ones, own model files, emulated service times. */
final class WorkloadReader {
  static final List<String> DEFAULTS = List.of("resnet18", "resnet50", "vit");
  private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}._-]{1,50}");
  private static final Range MS = Range.within(0, 1e9);

  /** Limit by which a batch of 128 samples fits an array of bytes. */
  private static final int VALUES_PER_SAMPLE_MAX = 4_000_000;

  private static final int SIZE_MAX = 1_000_000;

  /** Values that an input may be asked to have: whole ones are drawn by 24 random bits. */
  private static final Range FLOATS = Range.within(-1e6, 1e6);

  private static final Map<Dtype, Range> RANGES =
      Map.of(
          Dtype.UINT8, Range.within(0, 255),
          Dtype.FLOAT16, Range.within(-65504, 65504));

  private static final int TOKENS_MAX = 1_000_000_000;

  private static final Range WEIGHT = Range.within(1e-6, 1e9);

  private static final String MEMORY_BUDGET = "memory_budget";

  /** Half of what a size as text is rounded to, below 100 MB and above. */
  private static final long BYTES_PER_DIGIT = 500_000;

  /** Key of an entry that stands for several workloads, and the beginning of their names. */
  private static final String SYNTHETIC = "synthetic";

  private static final int SYNTHETIC_MAX = 1000;

  /** Memory tokens of a synthetic workload that names none: those of resnet18. */
  private static final int SYNTHETIC_TOKENS = 80;

  private final Problems problems;
  private final Map<String, Place> places;
  private final Map<String, Integer> builtIn;
  private final Map<String, Vocabulary.Parameters> parameters;
  private final Lanes lanes;
  private final Map<String, Place> seen = new HashMap<>();

  WorkloadReader(Problems problems, Map<String, Place> places, Vocabulary vocabulary, Lanes lanes) {
    this.problems = problems;
    this.places = places;
    this.builtIn = vocabulary.workloadTokens();
    this.parameters = vocabulary.workloadParameters();
    this.lanes = lanes;
  }

  List<WorkloadChoice> read(Section top) {
    List<WorkloadChoice> defaults =
        DEFAULTS.stream()
            .map(name -> new WorkloadChoice(name, 1, builtIn.getOrDefault(name, 0), null, null))
            .toList();
    List<List<WorkloadChoice>> entries =
        top.list("workloads", List.of(defaults), false, value -> entry(top, value));
    return entries.stream().flatMap(List::stream).toList();
  }

  /** The workloads of an entry; null if it is wrong. */
  private @Nullable List<WorkloadChoice> entry(Section top, Value value) {
    if (value instanceof Mapping mapping && mapping.entries().containsKey(SYNTHETIC)) {
      return synthetic(top.item("workloads", mapping), value.place());
    }
    WorkloadChoice choice = choice(top, value);
    return choice == null ? null : List.of(choice);
  }

  /**
   * Emulated workloads of one service time, the popular ones first: the k-th has the weight
   * k^−zipf.
   */
  private List<WorkloadChoice> synthetic(Section section, Place place) {
    int count = section.whole(SYNTHETIC, 1, 1, SYNTHETIC_MAX);
    double zipf = section.number("zipf", 1, Range.within(0, 10));
    double weight = section.number("weight", 1, WEIGHT);
    int tokens = section.whole("tokens", SYNTHETIC_TOKENS, 0, TOKENS_MAX);
    LinearServiceTime linear = linear(section);
    section.end();
    if (linear == null) {
      problems.error(
          place,
          "workloads.synthetic (" + count + ") has no service time",
          "you meant {synthetic: " + count + ", alpha_ms: 5, beta_ms: 1}");
    }
    if (!lanes.emulated()) {
      section.error(
          SYNTHETIC,
          "workloads.synthetic (%s) works on emulated lanes only, and these lanes are real"
              .formatted(count),
          "you meant lanes.kind: emulated");
    }
    double sum = 0;
    for (int k = 1; k <= count; k++) {
      sum += StrictMath.pow(k, -zipf);
    }
    List<WorkloadChoice> choices = new ArrayList<>();
    for (int k = 1; k <= count; k++) {
      String name = SYNTHETIC + "-" + k;
      if (!isNew(name, place)) {
        break;
      }
      double share = weight * StrictMath.pow(k, -zipf) / sum;
      choices.add(new WorkloadChoice(name, share, tokens, null, linear));
    }
    return choices;
  }

  private boolean isNew(String name, Place place) {
    if (seen.putIfAbsent(name, place) != null) {
      problems.error(
          place,
          "workloads (" + name + ") stands in the list twice",
          name.startsWith(SYNTHETIC)
              ? "one entry with synthetic should hold them all"
              : "a weight is meant: {name: " + name + ", weight: 2}");
      return false;
    }
    places.put("workloads." + name, place);
    return true;
  }

  private @Nullable WorkloadChoice choice(Section top, Value value) {
    Mapping mapping =
        value instanceof Mapping m
            ? m
            : new Mapping(
                value.place(),
                new LinkedHashMap<>(Map.of("name", new Value.Entry(value.place(), value))));
    var section = top.item("workloads", mapping);
    if (!section.has("name")) {
      problems.error(
          value.place(),
          "an entry of workloads has no name",
          "a line should be added: name: resnet18");
    }
    String name = section.textOrNull("name");
    if (name == null || !isNew(name, value.place())) {
      return null;
    }
    LinearServiceTime linear = linear(section);
    ModelFile model = model(section);
    double weight = section.number("weight", 1, WEIGHT);
    Integer known = builtIn.get(name);
    int tokens =
        section.whole("tokens", known == null ? 0 : known, known == null ? 1 : 0, TOKENS_MAX);
    MemoryBudget budget = memoryBudget(section, name, tokens);
    section.end();
    checkName(section, name, model, linear);
    int held = budget == null ? tokens : tokensOf(budget, parameters.get(name));
    if (linear != null && !lanes.emulated()) {
      problems.error(
          value.place(),
          "workloads (" + name + ") has alpha_ms and beta_ms, but its lanes are real",
          "you meant lanes.kind: emulated");
    }
    return new WorkloadChoice(name, weight, held, model, linear, budget);
  }

  private @Nullable MemoryBudget memoryBudget(Section section, String name, int wholeTokens) {
    String text = section.textOrNull(MEMORY_BUDGET);
    if (text == null) {
      return null;
    }
    Vocabulary.Parameters size = parameters.get(name);
    if (size == null) {
      section.error(
          MEMORY_BUDGET,
          "workloads.memory_budget (%s) has no effect on %s, whose layers are not known"
              .formatted(text, name),
          "the line should be left out; a budget works for "
              + String.join(", ", new TreeSet<>(parameters.keySet())));
      return null;
    }
    OptionalLong bytes = ByteSize.parse(text);
    if (bytes.isEmpty()) {
      section.error(
          MEMORY_BUDGET,
          "workloads.memory_budget (" + text + ") is no size",
          "you meant " + ByteSize.FORM);
      return null;
    }
    if (bytes.getAsLong() < size.largestLayer()) {
      section.error(
          MEMORY_BUDGET,
          "workloads.memory_budget (%s) is below the largest layer of %s (%d bytes)"
              .formatted(text, name, size.largestLayer()),
          "memory_budget should be at least %s, and twice that to read beside computing"
              .formatted(ByteSize.text(size.largestLayer() + BYTES_PER_DIGIT)));
      return null;
    }
    return new MemoryBudget(bytes.getAsLong(), wholeTokens);
  }

  /** The whole model's tokens × budget / bytes of the parameters, rounded up. */
  private static int tokensOf(MemoryBudget budget, Vocabulary.@Nullable Parameters size) {
    if (size == null || budget.bytes() >= size.bytes()) {
      return budget.wholeTokens();
    }
    long share = Math.multiplyExact(budget.wholeTokens(), budget.bytes());
    return Math.toIntExact((share + size.bytes() - 1) / size.bytes());
  }

  private void checkName(
      Section section, String name, @Nullable ModelFile model, @Nullable LinearServiceTime linear) {
    boolean own =
        section.has("path")
            || section.has("input_shape")
            || section.has("inputs")
            || section.has("alpha_ms");
    boolean ofTable = lanes.emulated() && section.has("tokens");
    if (builtIn.containsKey(name)) {
      if (section.has("path")) {
        section.error(
            "name",
            "workloads (" + name + ") is built in and cannot have a file of its own",
            "the model should have another name");
      }
    } else if (!own && !ofTable && model == null && linear == null) {
      section.error(
          "name",
          "workloads (" + name + ") is unknown",
          NearestName.advice(name, builtIn.keySet(), "workloads")
              + "; a model of your own needs name, path, input_shape or inputs, and tokens");
    } else if (!NAME.matcher(name).matches()) {
      section.error(
          "name",
          "workloads (" + name + ") is not a valid name for a workload",
          "the name should have letters, digits, dots, underscores and hyphens");
    } else if (!section.has("tokens")) {
      section.error(
          "name",
          "workloads (" + name + ") has no tokens",
          "a line should be added: tokens: 100, its share of resources.total_tokens");
    }
  }

  private @Nullable LinearServiceTime linear(Section section) {
    double alphaMs = section.number("alpha_ms", 0, MS);
    double betaMs = section.number("beta_ms", 0, MS);
    Double loadMs = section.numberOrNone("load_ms", MS);
    Double memoryMb = section.numberOrNone("memory_mb", Range.within(1e-3, 1e9));
    if (!section.has("alpha_ms") && !section.has("beta_ms")) {
      if (loadMs != null || memoryMb != null) {
        section.error(
            loadMs != null ? "load_ms" : "memory_mb",
            "workloads.load_ms and workloads.memory_mb go with alpha_ms and beta_ms alone",
            "the latency table should have the columns load_ms and memory_mb");
      }
      return null;
    }
    checkMemory(section, loadMs, memoryMb);
    if (section.has("alpha_ms") != section.has("beta_ms") || alphaMs + betaMs == 0) {
      section.error(
          section.has("alpha_ms") ? "alpha_ms" : "beta_ms",
          "workloads.alpha_ms (%s) + workloads.beta_ms (%s) × samples is not a service time: both keys must be given, and one must be above 0"
              .formatted(Numbers.text(alphaMs), Numbers.text(betaMs)),
          "you meant {alpha_ms: 5, beta_ms: 0.5}");
    }
    return new LinearServiceTime(alphaMs, betaMs, loadMs, memoryMb);
  }

  /** Where lanes have a memory, each model has its share, and a time to be loaded. */
  private void checkMemory(Section section, @Nullable Double loadMs, @Nullable Double memoryMb) {
    Double laneMb = lanes.memoryMb();
    if (laneMb == null) {
      return;
    }
    if (loadMs == null || memoryMb == null) {
      section.error(
          "alpha_ms",
          "the workload has no %s, and lanes.memory_mb is (%s)"
              .formatted(loadMs == null ? "load_ms" : "memory_mb", Numbers.text(laneMb)),
          "a line should be added, such as load_ms: 8.4 or memory_mb: 102");
    } else if (memoryMb > laneMb) {
      section.error(
          "memory_mb",
          "workloads.memory_mb (%s) is more than lanes.memory_mb (%s)"
              .formatted(Numbers.text(memoryMb), Numbers.text(laneMb)),
          "no lane could ever run it: lanes.memory_mb should be at least that");
    }
  }

  private @Nullable ModelFile model(Section section) {
    String path = section.textOrNull("path");
    List<Integer> shape = section.wholes("input_shape", List.of(), 1, SIZE_MAX, true);
    List<ModelInput> inputs =
        section.list("inputs", List.of(), true, value -> input(section, value));
    if (!shape.isEmpty() && !inputs.isEmpty()) {
      section.error(
          "inputs",
          "a model of your own has both input_shape and inputs",
          "input_shape should be left out: it stands for one input of float32");
      return null;
    }
    String what = shape.isEmpty() ? "inputs" : "input_shape";
    inputs = shape.isEmpty() ? inputs : List.of(ModelInput.of(shape));
    if (path == null && inputs.isEmpty()) {
      return null;
    }
    if (path == null || inputs.isEmpty()) {
      section.error(
          path == null ? what : "path",
          "a model of your own has no " + (path == null ? "path" : "input_shape"),
          "a line should be added: "
              + (path == null
                  ? "path: model.onnx"
                  : "input_shape: [3, 224, 224], or inputs: [{name: ids, shape: [16], dtype:"
                      + " int64}]"));
      return null;
    }
    double values =
        inputs.stream()
            .mapToDouble(
                input ->
                    input.shape().stream().mapToDouble(size -> size).reduce(1, (a, b) -> a * b))
            .sum();
    if (values > VALUES_PER_SAMPLE_MAX) {
      section.error(
          what,
          "workloads.%s%s has more than %s values per sample"
              .formatted(what, shape.isEmpty() ? "" : " (" + shape + ")", VALUES_PER_SAMPLE_MAX),
          "you meant [3, 224, 224]");
      return null;
    }
    String backend = path.endsWith(".pt") ? "pytorch" : path.endsWith(".onnx") ? "onnx" : null;
    if (backend == null) {
      section.error(
          "path",
          "workloads.path (" + path + ") is neither a .pt nor an .onnx file",
          "the model should be exported to one of them");
      return null;
    }
    return new ModelFile(path, backend, inputs);
  }

  /** An item of {@code inputs}; null if it is wrong. */
  private @Nullable ModelInput input(Section workload, Value value) {
    if (!(value instanceof Mapping mapping)) {
      problems.error(
          value.place(),
          "workloads.inputs (" + Section.written(value) + ") must be a list of mappings",
          "you meant {name: ids, shape: [16], dtype: int64, range: [0, 999]}");
      return null;
    }
    Section section = workload.item("inputs", mapping);
    String name = section.text("name", "");
    List<Integer> shape = section.wholes("shape", List.of(), 1, SIZE_MAX, true);
    List<String> dtypes = Arrays.stream(Dtype.values()).map(Dtype::text).toList();
    String dtypeText = section.oneOf("dtype", Dtype.FLOAT32.text(), dtypes, "kinds of values");
    Dtype dtype = Dtype.valueOf(dtypeText.toUpperCase(Locale.ROOT));
    List<Double> range = section.numbers("range", List.of(), RANGES.getOrDefault(dtype, FLOATS));
    section.end();
    if (!range.isEmpty() && (range.size() != 2 || range.get(0) > range.get(1))) {
      section.error(
          "range",
          "workloads.inputs.range must be two numbers, the least and the greatest value",
          "you meant [0, 1]");
      return null;
    }
    if (dtype.isWhole() && range.stream().anyMatch(bound -> bound != Math.rint(bound))) {
      section.error(
          "range",
          "workloads.inputs.range must be whole numbers for " + dtype.text(),
          "you meant float32");
      return null;
    }
    List<Double> whole = dtype == Dtype.UINT8 ? List.of(0.0, 255.0) : List.of(0.0, 1.0);
    return new ModelInput(name, shape, dtype, range.isEmpty() && dtype.isWhole() ? whole : range);
  }
}
