package dev.sluice.layers.runtime;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Schema;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.Tree;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Scalar;
import dev.sluice.contract.file.Value.Sequence;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A schedule of a model's layers, as a YAML file holds it: {@code model}, {@code first} (entries
 * that run once, before step 1) and {@code steps} (entries of each step), each entry an operation
 * and a layer: {@code - fetch: block_0}.
 *
 * @param place place of the file
 * @param model name of the model
 * @param modelPlace place of the model's name
 */
public record ScheduleFile(
    Place place, String model, Place modelPlace, List<Entry> first, List<Entry> steps) {
  /** Operations that an entry may name. */
  public static final List<String> OPERATIONS = List.of("fetch", "compute", "release", "prefetch");

  private static final String EXAMPLE = "- fetch: block_0";
  private static final Tree.Limits LIMITS = new Tree.Limits(10, 1_000_000);

  public ScheduleFile {
    first = List.copyOf(first);
    steps = List.copyOf(steps);
  }

  /** An operation on a layer. */
  public record Entry(String operation, String layer, Place place) {}

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
    var section = Section.strict(mapping, problems, new TreeMap<>(), new Schema());
    String model = section.requiredText("model", "model: vit");
    List<String> layers = layersByModel.get(model);
    if (layers == null && !model.isEmpty()) {
      problems.error(
          section.place("model"),
          "model (" + model + ") is unknown",
          NearestName.advice(model, layersByModel.keySet(), "models"));
    }
    List<Entry> first = entries(section, "first", layers, problems);
    List<Entry> steps = entries(section, "steps", layers, problems);
    if (!section.has("steps")) {
      problems.error(mapping.place(), "steps is missing", "it holds entries like " + EXAMPLE);
    }
    section.end();
    problems.throwIfAny();
    return new ScheduleFile(mapping.place(), model, section.place("model"), first, steps);
  }

  private static List<Entry> entries(
      Section section, String key, @Nullable List<String> layers, Problems problems) {
    List<Entry> entries = new ArrayList<>();
    Sequence list = section.sequence(key);
    if (list != null) {
      for (Value item : list.items()) {
        Entry entry = entry(item, layers, problems);
        if (entry != null) {
          entries.add(entry);
        }
      }
    }
    return entries;
  }

  private static @Nullable Entry entry(
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
    return new Entry(operation, name.text(), only.getValue().keyPlace());
  }

  /**
   * Writes a schedule as {@link #read} reads it.
   *
   * @param first lines such as {@code fetch: block_0}
   */
  public static String text(String model, List<String> first, List<String> steps) {
    var text = new StringBuilder("model: ").append(model).append('\n');
    list(text, "first", first);
    list(text, "steps", steps);
    return text.toString();
  }

  private static void list(StringBuilder text, String key, List<String> entries) {
    text.append(key).append(entries.isEmpty() ? ": []\n" : ":\n");
    entries.forEach(entry -> text.append("  - ").append(entry).append('\n'));
  }
}
