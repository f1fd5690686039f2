package dev.sluice.contract.workflow;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.Tree;
import dev.sluice.contract.file.Tree.Limits;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Entry;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Sequence;
import dev.sluice.contract.workflow.Workflow.Edge;
import dev.sluice.contract.workflow.Workflow.Node;
import dev.sluice.contract.workflow.WorkflowFiles.Microbatch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads a system's models and workflows. A mistake in one of them leaves the others readable. */
final class SystemReader {
  static final double SECONDS_MAX = 1e9;
  private static final double GB_MAX = 1e9;
  private static final double TOKENS_MAX = 1e12;
  private static final double RATE_MIN = 1e-9;
  private static final int GPUS_MAX = 1_000_000;

  private static final String INTERACTIVE = "interactive";
  private static final List<String> CLASSES = List.of(INTERACTIVE, "batch");
  private static final List<String> TRUTHS = List.of("true", "false");
  private static final double SLO_MS_MIN = 0.001;
  private static final double WINDOW_MS_MAX = 60_000;
  private static final int BATCH_MAX = 1024;
  final Path file;
  private final Place whole;
  private final Problems general;

  /** Models by id, as far as they could be read; also models with mistakes. */
  final Map<String, Model> models = new LinkedHashMap<>();

  private final Map<String, Problems> problemsByModel = new LinkedHashMap<>();

  /** Workflows by id, as far as they could be read; also workflows with mistakes. */
  final Map<String, Workflow> workflows = new LinkedHashMap<>();

  /** Rules by which nodes share batches, by default or as the file says. */
  Microbatch microbatch = new Microbatch(10, 32);

  /** Mistakes of the workflow itself, without mistakes of its models. */
  private final Map<String, Problems> ownProblemsByWorkflow = new LinkedHashMap<>();

  /**
   * Mistakes of a workflow and of its models, by the workflow's id; each makes it impossible to
   * run.
   */
  final Map<String, Problems> problemsByWorkflow = new LinkedHashMap<>();

  private SystemReader(Path file) {
    this.file = file;
    this.whole = new Place(file.toString(), 0);
    this.general = new Problems(file.toString());
  }

  /**
   * @throws UserMistakeException if it cannot be read at all
   */
  static SystemReader read(Path file) throws UserMistakeException {
    var reader = new SystemReader(file);
    reader.read();
    return reader;
  }

  Problems problems() {
    var all = new Problems(file.toString(), Problems.LISTED_MAX);
    all.addAll(general);
    problemsByModel.values().forEach(all::addAll);
    ownProblemsByWorkflow.values().forEach(all::addAll);
    return all;
  }

  private void read() throws UserMistakeException {
    try (Tree tree = Tree.open(file, WorkflowFiles.OTHER_PATH, Limits.BY_PROGRAM)) {
      Value value = tree.whole(general);
      if (value == null) {
        throw new UserMistakeException(whole, "the file is empty", "it should begin with models:");
      }
      if (!(value instanceof Mapping root)) {
        throw new UserMistakeException(
            value.place(),
            "a system's file is a mapping of keys to values, and this is not",
            "it should begin with models:");
      }
      read(root);
    }
  }

  private void read(Mapping root) throws UserMistakeException {
    var fields = Section.lenient("", root, general);
    Mapping inModels = fields.mapping("models");
    Mapping inWorkflows = fields.mapping("workflows");
    Mapping inMicrobatch = fields.mapping("microbatch");
    if (inMicrobatch != null) {
      readMicrobatch(Section.lenient("microbatch.", inMicrobatch, general));
    }
    fields.end();
    if (inModels == null || inWorkflows == null) {
      if (general.isEmpty()) {
        throw new UserMistakeException(
            whole,
            (inModels == null ? "models" : "workflows") + " are missing",
            "this is not the system's file, which names models and workflows");
      }
      Problems.throwIfAny(List.of(general));
      return;
    }
    inModels.entries().forEach(this::readModel);
    inWorkflows.entries().forEach(this::readWorkflow);
  }

  private void readMicrobatch(Section in) {
    Double windowMs = in.numberOrNull("window_ms", Range.within(0, WINDOW_MS_MAX));
    microbatch =
        new Microbatch(
            windowMs == null ? microbatch.windowMs() : windowMs,
            in.whole("max_batch", microbatch.maxBatch(), 1, BATCH_MAX));
    in.end();
  }

  private void readModel(String id, Entry entry) {
    var problems = new Problems(file.toString());
    String name = "models." + id;
    Section in = fieldsOf(name, entry.value(), "its memory_gb and gpus_required", problems);
    if (in != null) {
      in.text("name", id);
      var model =
          new Model(
              id,
              in.required("memory_gb", Range.within(0, GB_MAX), "14.0"),
              in.requiredWhole("gpus_required", 1, GPUS_MAX, "1"),
              in.required("load_time_seconds", Range.within(0, SECONDS_MAX), "30.0"),
              in.numberOrNull("tokens_per_second", Range.within(RATE_MIN, TOKENS_MAX)),
              in.numberOrNull("token_mean", Range.within(0, TOKENS_MAX)),
              in.numberOrNull("inference_time_mean", Range.within(0, SECONDS_MAX)),
              named(in, "workload"),
              named(in, "backend"),
              in.place("gpus_required").line());
      in.numberOrNull("token_std", Range.within(0, TOKENS_MAX));
      in.numberOrNull("inference_time_std", Range.within(0, SECONDS_MAX));
      models.put(id, model);
      in.end();
      checkTokens(in, model);
    }
    if (!problems.isEmpty()) {
      problemsByModel.put(id, problems);
    }
  }

  /** The time of the typical tokens has the bounds of a time that is stated. */
  private static void checkTokens(Section in, Model model) {
    Double tokens = model.tokenMean();
    Double perSecond = model.tokensPerSecond();
    if (tokens != null && perSecond != null && !(tokens / perSecond <= SECONDS_MAX)) {
      in.error(
          "token_mean",
          "%s (%s) at tokens_per_second (%s) take more than %s s"
              .formatted(
                  in.name("token_mean"),
                  Numbers.text(tokens),
                  Numbers.text(perSecond),
                  Numbers.text(SECONDS_MAX)),
          "one of the two has a digit too many");
    }
  }

  private static Model.@Nullable Named named(Section in, String key) {
    return in.find(key) == null ? null : new Model.Named(in.text(key, ""), in.place(key).line());
  }

  private static @Nullable Section fieldsOf(
      String name, Value value, String example, Problems problems) {
    if (value instanceof Mapping mapping) {
      return Section.lenient(name + ".", mapping, problems);
    }
    problems.error(
        value.place(),
        name + " (" + Section.written(value) + ") must be a mapping of keys to values",
        example + " should stand below it, indented by two spaces");
    return null;
  }

  private void readWorkflow(String id, Entry entry) {
    var problems = new Problems(file.toString());
    String name = "workflows." + id;
    List<Node> nodes = new ArrayList<>();
    List<Edge> edges = new ArrayList<>();
    boolean interactive = false;
    boolean joined = false;
    Double sloMs = null;
    Section in = fieldsOf(name, entry.value(), "its nodes and edges", problems);
    if (in != null) {
      in.text("name", id);
      interactive = in.oneOf("class", "batch", CLASSES, "values").equals(INTERACTIVE);
      joined = in.oneOf("microbatch", "false", TRUTHS, "values").equals("true");
      sloMs = in.numberOrNull("slo_ms", Range.within(SLO_MS_MIN, 1000 * SECONDS_MAX));
      readNodes(name, in, nodes, problems);
      readEdges(name, in, nodes, edges, problems);
      in.end();
    }
    var workflow =
        new Workflow(id, interactive, joined, sloMs, nodes, edges, entry.keyPlace().line());
    if (problems.isEmpty()) {
      cycleIn(workflow)
          .ifPresent(
              cycle ->
                  problems.error(
                      entry.keyPlace(),
                      "workflow %s goes round in a circle (%s)"
                          .formatted(id, String.join(" -> ", cycle)),
                      "one of these edges points the wrong way"));
    }
    workflows.put(id, workflow);
    var withModels = new Problems(file.toString());
    withModels.addAll(problems);
    nodes.stream()
        .map(Node::model)
        .distinct()
        .map(problemsByModel::get)
        .filter(ofModel -> ofModel != null)
        .forEach(withModels::addAll);
    if (!problems.isEmpty()) {
      ownProblemsByWorkflow.put(id, problems);
    }
    if (!withModels.isEmpty()) {
      problemsByWorkflow.put(id, withModels);
    }
  }

  private void readNodes(String name, Section in, List<Node> nodes, Problems problems) {
    Sequence items = in.sequence("nodes");
    if (items == null || items.items().isEmpty()) {
      if (problems.isEmpty()) {
        in.error("nodes", name + " has no nodes", "one line of them is - id: generate");
      }
      return;
    }
    Map<String, Integer> lineById = new LinkedHashMap<>();
    for (Value item : items.items()) {
      Section node = fieldsOf(name + ".nodes", item, "a node's id and model", problems);
      if (node != null) {
        String id = node.requiredText("id", "generate");
        String model = node.requiredText("model", "llm7b");
        Integer earlier = id.isEmpty() ? null : lineById.putIfAbsent(id, node.place("id").line());
        if (earlier != null) {
          node.error(
              "id",
              "%s has a second node (%s), the first is on line %d".formatted(name, id, earlier),
              "one of the two should be renamed");
        }
        if (!model.isEmpty() && !models.containsKey(model) && !problemsByModel.containsKey(model)) {
          node.error(
              "model",
              name + ": the model (" + model + ") of node (" + id + ") is unknown",
              NearestName.advice(model, models.keySet(), "models"));
        }
        node.texts("inputs");
        node.texts("outputs");
        node.texts("config_options");
        nodes.add(new Node(id, model, item.place().line()));
        node.end();
      }
    }
  }

  private static void readEdges(
      String name, Section in, List<Node> nodes, List<Edge> edges, Problems problems) {
    Sequence items = in.sequence("edges");
    if (items == null) {
      return;
    }
    List<String> ids = nodes.stream().map(Node::id).toList();
    for (Value item : items.items()) {
      Section edge = fieldsOf(name + ".edges", item, "an edge's from and to", problems);
      if (edge != null) {
        var read = new Edge(placeOf(name, edge, "from", ids), placeOf(name, edge, "to", ids));
        if (!edges.contains(read)) {
          edges.add(read);
        }
        edge.end();
      }
    }
  }

  /** The place of the node that an edge names; −1, and a mistake, if it is unknown. */
  private static int placeOf(String name, Section edge, String key, List<String> ids) {
    String id = edge.requiredText(key, "generate");
    int place = ids.indexOf(id);
    if (!id.isEmpty() && place < 0) {
      edge.error(
          key,
          name + ": the node (" + id + ") of this edge is unknown",
          NearestName.advice(id, ids, "nodes"));
    }
    return place;
  }

  /**
   * The nodes of one cycle, from the one that is first in the file, which is repeated at the end.
   */
  private static Optional<List<String>> cycleIn(Workflow workflow) {
    List<List<Integer>> inputs = workflow.inputs();
    var left = new BitSet();
    left.set(0, inputs.size());
    for (int before = -1; before != left.cardinality(); ) {
      before = left.cardinality();
      for (int node = left.nextSetBit(0); node >= 0; node = left.nextSetBit(node + 1)) {
        left.set(node, inputs.get(node).stream().anyMatch(left::get));
      }
    }
    if (left.isEmpty()) {
      return Optional.empty();
    }
    // Each node that is left has an input that is left, so that the way back comes round.
    List<Integer> way = new ArrayList<>();
    int node = left.nextSetBit(0);
    while (!way.contains(node)) {
      way.add(node);
      node = inputs.get(node).stream().filter(left::get).findFirst().orElseThrow();
    }
    List<Integer> cycle = way.subList(way.indexOf(node), way.size());
    Collections.reverse(cycle);
    Collections.rotate(cycle, -cycle.indexOf(Collections.min(cycle)));
    cycle.add(cycle.get(0));
    return Optional.of(cycle.stream().map(place -> workflow.nodes().get(place).id()).toList());
  }
}
