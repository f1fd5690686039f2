package dev.sluice.layers.runtime;

import dev.sluice.contract.file.ByteSize;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.Tree;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.UserMistakeException.Problem;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Scalar;
import dev.sluice.contract.file.Value.Sequence;
import dev.sluice.executor.network.Network;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.layers.schedule.LayerSchedule;
import dev.sluice.layers.schedule.LayerSchedule.Kind;
import dev.sluice.layers.schedule.LayerSchedule.Operation;
import dev.sluice.layers.schedule.Layers;
import dev.sluice.layers.schedule.ScheduleCheck;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A schedule of a model's layers, as a YAML file holds it: {@code model}, {@code first} (entries
 * that run once, before step 1) and {@code steps} (entries of each step), each entry an operation
 * and a layer: {@code - fetch: block_0}.
 *
 * @param model name of the model
 * @param modelPlace place of the model's name
 * @param schedule operations, each with its line of the file
 */
public record ScheduleFile(Path file, String model, Place modelPlace, LayerSchedule schedule) {
  private static final List<String> OPERATIONS = Stream.of(Kind.values()).map(Kind::text).toList();
  private static final String EXAMPLE = "- fetch: block_0";
  private static final Tree.Limits LIMITS = new Tree.Limits(10, 1_000_000);

  /** Reads a schedule of whichever built-in model it names. */
  static ScheduleFile read(Path file) throws UserMistakeException {
    Map<String, List<String>> layers = new TreeMap<>();
    Stream.concat(Workloads.splittable().stream(), Workloads.trainable().stream())
        .forEach(
            model ->
                layers.put(
                    model,
                    Workloads.network(model).blocks().stream().map(Network.Block::name).toList()));
    return read(file, layers);
  }

  /**
   * Reads a schedule of a known model.
   *
   * @param layersByModel names of the layers of each model that a schedule may be for
   * @throws UserMistakeException with all mistakes of the file
   */
  public static ScheduleFile read(Path file, Map<String, List<String>> layersByModel)
      throws UserMistakeException {
    var problems = new Problems(file.toString(), Problems.LISTED_MAX);
    Value value;
    try (Tree tree = Tree.open(file, "another file was meant", LIMITS)) {
      value = tree.whole(problems);
    }
    problems.throwIfAny();
    if (!(value instanceof Mapping mapping)) {
      throw new UserMistakeException(
          value == null ? new Place(file.toString(), 0) : value.place(),
          "the file holds no schedule: a mapping of model, first and steps",
          "one begins with model: vit");
    }
    var section = Section.strict(mapping, problems, new TreeMap<>());
    String model = section.requiredText("model", "model: vit");
    List<String> layers = layersByModel.get(model);
    if (layers == null && !model.isEmpty()) {
      problems.error(
          section.place("model"),
          "model (" + model + ") is unknown",
          NearestName.advice(model, layersByModel.keySet(), "models"));
    }
    List<Operation> first = operations(section, "first", layers, problems);
    List<Operation> steps = operations(section, "steps", layers, problems);
    if (!section.has("steps")) {
      problems.error(mapping.place(), "steps is missing", "it holds entries like " + EXAMPLE);
    }
    section.end();
    problems.throwIfAny();
    return new ScheduleFile(file, model, section.place("model"), new LayerSchedule(first, steps));
  }

  private static List<Operation> operations(
      Section section, String key, @Nullable List<String> layers, Problems problems) {
    List<Operation> operations = new ArrayList<>();
    Sequence list = section.sequence(key);
    if (list != null) {
      for (Value item : list.items()) {
        Operation operation = operation(item, layers, problems);
        if (operation != null) {
          operations.add(operation);
        }
      }
    }
    return operations;
  }

  private static @Nullable Operation operation(
      Value item, @Nullable List<String> layers, Problems problems) {
    if (!(item instanceof Mapping mapping) || mapping.entries().size() != 1) {
      problems.error(
          item.place(),
          "an entry (" + Section.written(item) + ") must be one operation and a layer",
          "you meant a line like " + EXAMPLE);
      return null;
    }
    Map.Entry<String, Value.Entry> only = mapping.entries().entrySet().iterator().next();
    String operation = only.getKey();
    if (!OPERATIONS.contains(operation)) {
      problems.error(
          only.getValue().keyPlace(),
          "operation (" + operation + ") is unknown",
          NearestName.advice(operation, OPERATIONS, "operations"));
      return null;
    }
    Value layer = only.getValue().value();
    if (!(layer instanceof Scalar name) || name.missing() || name.text().isBlank()) {
      problems.error(
          only.getValue().keyPlace(),
          operation + " (" + Section.written(layer) + ") must name a layer",
          "you meant a line like " + EXAMPLE);
      return null;
    }
    if (layers != null && !layers.contains(name.text())) {
      problems.error(
          name.place(),
          "layer (" + name.text() + ") is unknown",
          NearestName.advice(name.text(), layers, "layers"));
      return null;
    }
    return new Operation(
        Kind.valueOf(operation.toUpperCase(Locale.ROOT)),
        layers == null ? 0 : layers.indexOf(name.text()),
        only.getValue().keyPlace().line());
  }

  /** True if a layer is computed twice in a step, as in training. */
  private boolean isOfTraining() {
    Set<Integer> computed = new HashSet<>();
    return schedule.step().stream()
        .anyMatch(
            operation -> operation.kind() == Kind.COMPUTE && !computed.add(operation.layer()));
  }

  /**
   * Returns the schedule.
   *
   * @throws UserMistakeException if it is of another model, with all faults if it breaks a rule
   */
  LayerSchedule checked(String runsModel, Layers layers, long budgetBytes)
      throws UserMistakeException {
    if (!runsModel.equals(model)) {
      throw new UserMistakeException(
          modelPlace,
          "the schedule is one of (%s), and the run is one of (%s)".formatted(model, runsModel),
          "you meant ./sluice layers plan " + runsModel);
    }
    List<Problem> problems =
        ScheduleCheck.faults(schedule, layers, budgetBytes).stream()
            .map(
                fault ->
                    new Problem(
                        new Place(file.toString(), fault.line()).toString(),
                        fault.what(),
                        fault.maybe()))
            .toList();
    if (!problems.isEmpty()) {
      throw new UserMistakeException(problems);
    }
    return schedule;
  }

  /**
   * {@code layers check}: a schedule's file against the rules and a budget; runs nothing. Says what
   * was checked, and returns the exit status.
   *
   * @param budget bytes that layers may take; null: as many as the model has
   * @param optimizer optimizer whose state counts, if the schedule is one of training
   * @throws UserMistakeException with each fault
   */
  public static int check(Path file, @Nullable Long budget, String optimizer, PrintStream out)
      throws UserMistakeException {
    ScheduleFile schedule = read(file);
    boolean training = schedule.isOfTraining();
    Layers layers =
        training
            ? RunPlan.ofTraining(schedule.model(), optimizer)
            : RunPlan.ofInference(Workloads.network(schedule.model()));
    long budgetBytes = budget == null ? layers.totalBytes() : budget;
    RunPlan.checkBudget(layers, budgetBytes);
    LayerSchedule checked = schedule.checked(schedule.model(), layers, budgetBytes);
    out.println(
        "%s is a legal schedule of %s (%s) within %s: %d operations first, %d in each step."
            .formatted(
                file,
                schedule.model(),
                training ? "training with " + optimizer : "inference",
                ByteSize.text(budgetBytes),
                checked.first().size(),
                checked.step().size()));
    return ExitStatus.DONE;
  }

  /** Writes a schedule of named layers as {@link #read} reads it. */
  public static String text(String model, List<String> layers, LayerSchedule schedule) {
    var text = new StringBuilder("model: ").append(model).append('\n');
    list(text, "first", layers, schedule.first());
    list(text, "steps", layers, schedule.step());
    return text.toString();
  }

  private static void list(
      StringBuilder text, String key, List<String> layers, List<Operation> operations) {
    text.append(key).append(operations.isEmpty() ? ": []\n" : ":\n");
    for (Operation operation : operations) {
      text.append("  - ").append(operation.kind().text()).append(": ");
      text.append(layers.get(operation.layer())).append('\n');
    }
  }
}
