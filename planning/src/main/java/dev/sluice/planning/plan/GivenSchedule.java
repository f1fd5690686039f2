package dev.sluice.planning.plan;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Scalar;
import dev.sluice.contract.file.Value.Sequence;
import dev.sluice.planning.split.Plan.Stage;
import dev.sluice.planning.split.PlanProblem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A schedule as a plan is printed: a list of stages, each a host and its first and last layer. */
public final class GivenSchedule {
  private static final String EXAMPLE = "- host: [1, 5]";

  private GivenSchedule() {}

  /** Layers on a host, both ends included. */
  private record HostLayers(String host, int firstLayer, int lastLayer) {}

  /** Reads a schedule that covers all layers of a problem, each once, by its hosts. */
  public static List<Stage> read(Path file, PlanProblem problem) throws UserMistakeException {
    int layers = problem.layers();
    List<String> hosts = problem.types().stream().flatMap(type -> type.hosts().stream()).toList();
    var problems = new Problems(file.toString(), Problems.LISTED_MAX);
    Value value = PlanningFiles.value(file, "--evaluate", problems);
    if (!(value instanceof Sequence list) || list.items().isEmpty()) {
      throw new UserMistakeException(
          value.place(), "a schedule is a list of stages, and this is not", "one is " + EXAMPLE);
    }
    List<Stage> stages = new ArrayList<>();
    int covered = 0;
    for (Value item : list.items()) {
      HostLayers stage = stage(item, problems);
      if (stage == null) {
        continue;
      }
      if (!hosts.contains(stage.host())) {
        problems.error(
            item.place(),
            "host (" + stage.host() + ") is unknown, or its type was left out",
            NearestName.advice(stage.host(), hosts, "hosts"));
      }
      if (stage.firstLayer() != covered + 1 || stage.lastLayer() < stage.firstLayer()) {
        problems.error(
            item.place(),
            "layers [%d, %d] %s layer %d"
                .formatted(
                    stage.firstLayer(),
                    stage.lastLayer(),
                    stage.lastLayer() < stage.firstLayer()
                        ? "end before they begin, behind"
                        : stage.firstLayer() > covered + 1 ? "leave a gap behind" : "overlap",
                    covered),
            "the stage should begin at layer " + (covered + 1));
      }
      covered = Math.max(covered, stage.lastLayer());
      for (int type = 0; type < problem.types().size(); type++) {
        int host = problem.types().get(type).hosts().indexOf(stage.host());
        if (host >= 0) {
          stages.add(new Stage(type, host, stage.firstLayer(), stage.lastLayer()));
        }
      }
    }
    if (problems.isEmpty() && covered != layers) {
      problems.error(
          list.items().get(list.items().size() - 1).place(),
          "the schedule ends at layer (%d), and the model has (%d)".formatted(covered, layers),
          "it is the schedule of another model");
    }
    Problems.throwIfAny(List.of(problems));
    return stages;
  }

  private static @Nullable HostLayers stage(Value item, Problems problems) {
    if (item instanceof Mapping mapping && mapping.entries().size() == 1) {
      Map.Entry<String, Value.Entry> entry = mapping.entries().entrySet().iterator().next();
      if (entry.getValue().value() instanceof Sequence ends
          && ends.items().size() == 2
          && ends.items().stream().allMatch(GivenSchedule::isLayer)) {
        return new HostLayers(
            entry.getKey(), layer(ends.items().get(0)), layer(ends.items().get(1)));
      }
    }
    problems.error(
        item.place(),
        "a stage (" + Section.written(item) + ") must be a host with its first and last layer",
        "you meant a line like " + EXAMPLE);
    return null;
  }

  private static boolean isLayer(Value value) {
    return value instanceof Scalar scalar
        && !scalar.quoted()
        && scalar.text().matches("[0-9]{1,9}");
  }

  private static int layer(Value value) {
    return Integer.parseInt(((Scalar) value).text());
  }
}
