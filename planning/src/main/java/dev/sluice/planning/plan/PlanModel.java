package dev.sluice.planning.plan;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Entry;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.planning.plan.PlanningFiles.Asked;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A model as models.yml describes it.
 *
 * @param memoryMb memory of each layer, at least 0, in 1024² bytes
 * @param parametersIn values that one sample brings into the first layer, at least 0
 * @param parametersOut values that one sample takes out of each layer, at least 0; as many as there
 *     are layers
 */
public record PlanModel(
    String name, List<Double> memoryMb, long parametersIn, List<Long> parametersOut) {
  private static final Set<String> KEYS =
      Set.of("layers", "mem_MB", "parameters_in", "parameters_out");
  private static final int LAYERS_MAX = 100_000;

  public PlanModel {
    memoryMb = List.copyOf(memoryMb);
    parametersOut = List.copyOf(parametersOut);
  }

  /** Number of layers, at least 1. */
  public int layers() {
    return memoryMb.size();
  }

  /**
   * Reads the asked model; mistakes in it are noted.
   *
   * @throws UserMistakeException if there is no such model, or it cannot be read on with
   */
  static PlanModel read(Mapping root, Asked asked, Problems problems) throws UserMistakeException {
    Entry entry = root.entries().get(asked.model());
    if (entry == null) {
      throw new UserMistakeException(
          root.place(),
          "the model (" + asked.model() + ") is unknown",
          NearestName.advice(asked.model(), root.entries().keySet(), "models"));
    }
    Value value = entry.value();
    if (!(value instanceof Mapping mapping)) {
      throw new UserMistakeException(
          value.place(),
          asked.model() + " (" + Section.written(value) + ") must be a mapping of keys to values",
          "its layers and mem_MB should stand below it, indented by two spaces");
    }
    Section in = Section.lenient(asked.model() + ".", mapping, problems);
    in.end(KEYS);
    int layers = in.requiredWhole("layers", 0, LAYERS_MAX, "48");
    if (layers == 0 && in.has("layers") && problems.isEmpty()) {
      problems.error(
          in.place("layers"),
          "the model (" + asked.model() + ") has no layers",
          "you meant another model: " + String.join(", ", root.entries().keySet()));
    }
    if (layers == 0) {
      Problems.throwIfAny(List.of(problems)); // without layers no list can be judged
    }
    var lists = new NumberList(in, problems);
    List<Double> memoryMb = lists.read("mem_MB", false);
    lists.checkLength("mem_MB", memoryMb.size(), layers);
    if (in.find("parameters_in") == null) {
      problems.error(
          in.place("parameters_in"),
          in.name("parameters_in") + " is missing",
          "a line should be added: parameters_in: 150528");
    }
    long parametersIn = in.whole("parameters_in", 0L, 0, NumberList.VALUES_MAX);
    List<Double> written = lists.read("parameters_out", true);
    boolean repeated = asked.compatible() && !written.isEmpty() && written.size() < layers;
    if (repeated) {
      problems.warn(
          in.place("parameters_out"),
          "%s has (%d) values for (%d) layers: they are repeated"
              .formatted(in.name("parameters_out"), written.size(), layers));
    } else {
      lists.checkLength("parameters_out", written.size(), layers);
    }
    List<Long> parametersOut = new ArrayList<>(layers);
    for (int i = 0; i < layers && !written.isEmpty(); i++) {
      parametersOut.add((long) (double) written.get(i % written.size()));
    }
    List<Double> padded = new ArrayList<>(memoryMb);
    while (padded.size() < layers) {
      padded.add(0.0); // a mistake was noted
    }
    return new PlanModel(asked.model(), padded.subList(0, layers), parametersIn, parametersOut);
  }
}
