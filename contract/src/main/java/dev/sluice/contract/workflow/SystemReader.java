package dev.sluice.contract.workflow;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.workflow.Tokens.Kind;
import dev.sluice.contract.workflow.Tree.Entry;
import dev.sluice.contract.workflow.Tree.Items;
import dev.sluice.contract.workflow.Tree.Mapping;
import dev.sluice.contract.workflow.Tree.Value;
import dev.sluice.contract.workflow.Workflow.Edge;
import dev.sluice.contract.workflow.Workflow.Node;
import dev.sluice.contract.workflow.WorkflowFiles.Microbatch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a system's models and workflows. What is wrong with one of them leaves the others be. */
final class SystemReader {
  static final double SECONDS_MAX = 1e9;
  private static final double GB_MAX = 1e9;
  private static final double TOKENS_MAX = 1e12;
  private static final double RATE_MIN = 1e-9;
  private static final int GPUS_MAX = 1_000_000;

  private static final Set<String> KEYS = Set.of("models", "workflows", "microbatch");
  private static final Set<String> MICROBATCH_KEYS = Set.of("window_ms", "max_batch");
  private static final Set<String> MODEL_KEYS =
      Set.of(
          "name",
          "memory_gb",
          "gpus_required",
          "load_time_seconds",
          "tokens_per_second",
          "token_mean",
          "token_std",
          "inference_time_mean",
          "inference_time_std",
          "workload",
          "backend");
  private static final Set<String> WORKFLOW_KEYS =
      Set.of("name", "class", "slo_ms", "microbatch", "nodes", "edges");
  private static final String INTERACTIVE = "interactive";
  private static final List<String> CLASSES = List.of(INTERACTIVE, "batch");
  private static final List<String> TRUTHS = List.of("true", "false");
  private static final double SLO_MS_MIN = 0.001;
  private static final double WINDOW_MS_MAX = 60_000;
  private static final int BATCH_MAX = 1024;
  private static final Set<String> NODE_KEYS =
      Set.of("id", "model", "inputs", "outputs", "config_options");
  private static final Set<String> EDGE_KEYS = Set.of("from", "to");

  private final Path file;
  private final Faults general;
  private final Map<String, Model> models = new LinkedHashMap<>();
  private final Map<String, Faults> faultsByModel = new LinkedHashMap<>();
  private final Map<String, Workflow> workflows = new LinkedHashMap<>();

  private Microbatch microbatch = new Microbatch(10, 32);

  /** Without those of its models. */
  private final Map<String, Faults> ownFaultsByWorkflow = new LinkedHashMap<>();

  private final Map<String, Faults> faultsByWorkflow = new LinkedHashMap<>();

  private SystemReader(Path file) {
    this.file = file;
    this.general = new Faults(file);
  }

  /**
   * @throws UserMistakeException if it cannot be read at all
   */
  static SystemReader read(Path file) throws UserMistakeException {
    var reader = new SystemReader(file);
    reader.read();
    return reader;
  }

  Path file() {
    return file;
  }

  /** By id, those with faults as well, as far as they could be read. */
  Map<String, Model> models() {
    return models;
  }

  /** As the file says, or as usual. */
  Microbatch microbatch() {
    return microbatch;
  }

  /** By id, those with faults as well, as far as they could be read. */
  Map<String, Workflow> workflows() {
    return workflows;
  }

  /** What makes a workflow impossible to run, by its id; the faults of its models among it. */
  Map<String, Faults> faultsByWorkflow() {
    return faultsByWorkflow;
  }

  /** All that is wrong with the file, each fault once. */
  Faults faults() {
    var all = new Faults(file);
    all.addAll(general);
    faultsByModel.values().forEach(all::addAll);
    ownFaultsByWorkflow.values().forEach(all::addAll);
    return all;
  }

  private void read() throws UserMistakeException {
    try (Tokens tokens = Tokens.of(file)) {
      Kind first = tokens.next();
      if (first == Kind.END_OF_FILE) {
        throw general.fatal(0, "the file is empty", "it should begin with models:");
      }
      if (!(new Tree(tokens).value(first, general) instanceof Mapping root)) {
        throw general.fatal(
            1,
            "a system's file is a mapping of keys to values, and this is not",
            "it should begin with models:");
      }
      read(root);
    } catch (IOException e) {
      throw new IllegalStateException("a file that was read can not be closed", e);
    }
  }

  private void read(Mapping root) throws UserMistakeException {
    var fields = new Fields("", root, general);
    Mapping inModels = fields.mapping("models");
    Mapping inWorkflows = fields.mapping("workflows");
    Mapping inMicrobatch = fields.mapping("microbatch");
    if (inMicrobatch != null) {
      readMicrobatch(new Fields("microbatch.", inMicrobatch, general));
    }
    fields.end(KEYS);
    if (inModels == null || inWorkflows == null) {
      if (general.isEmpty()) {
        throw general.fatal(
            0,
            (inModels == null ? "models" : "workflows") + " are missing",
            "this is another file than the system's, which names models and workflows");
      }
      Faults.throwIfAny(List.of(general));
      return;
    }
    inModels.entries().forEach(this::readModel);
    inWorkflows.entries().forEach(this::readWorkflow);
  }

  private void readMicrobatch(Fields in) {
    Double windowMs = in.numberOrNull("window_ms", 0, WINDOW_MS_MAX);
    microbatch =
        new Microbatch(
            windowMs == null ? microbatch.windowMs() : windowMs,
            in.find("max_batch") == null
                ? microbatch.maxBatch()
                : in.whole("max_batch", 1, BATCH_MAX, "32"));
    in.end(MICROBATCH_KEYS);
  }

  private void readModel(String id, Entry entry) {
    var faults = new Faults(file);
    String name = "models." + id;
    Fields in = fieldsOf(name, entry.value(), "its memory_gb and gpus_required", faults);
    if (in != null) {
      models.put(
          id,
          new Model(
              id,
              in.textOr("name", id),
              in.number("memory_gb", 0, GB_MAX, "14.0"),
              in.whole("gpus_required", 1, GPUS_MAX, "1"),
              in.number("load_time_seconds", 0, SECONDS_MAX, "30.0"),
              in.numberOrNull("tokens_per_second", RATE_MIN, TOKENS_MAX),
              in.numberOrNull("token_mean", 0, TOKENS_MAX),
              in.numberOrNull("token_std", 0, TOKENS_MAX),
              in.numberOrNull("inference_time_mean", 0, SECONDS_MAX),
              in.numberOrNull("inference_time_std", 0, SECONDS_MAX),
              named(in, "workload"),
              named(in, "backend"),
              in.line("gpus_required")));
      in.end(MODEL_KEYS);
    }
    if (!faults.isEmpty()) {
      faultsByModel.put(id, faults);
    }
  }

  private static Model.@Nullable Named named(Fields in, String key) {
    return in.find(key) == null ? null : new Model.Named(in.textOr(key, ""), in.line(key));
  }

  private static @Nullable Fields fieldsOf(
      String name, Value value, String example, Faults faults) {
    if (value instanceof Mapping mapping) {
      return new Fields(name + ".", mapping, faults);
    }
    faults.add(
        value.line(),
        name + " (" + Fields.written(value) + ") must be a mapping of keys to values",
        example + " are to stand below it, indented by two spaces");
    return null;
  }

  private void readWorkflow(String id, Entry entry) {
    var faults = new Faults(file);
    String name = "workflows." + id;
    List<Node> nodes = new ArrayList<>();
    List<Edge> edges = new ArrayList<>();
    String title = id;
    boolean interactive = false;
    boolean joined = false;
    Double sloMs = null;
    Fields in = fieldsOf(name, entry.value(), "its nodes and edges", faults);
    if (in != null) {
      title = in.textOr("name", id);
      interactive = oneOf(name, in, "class", CLASSES, "batch", faults).equals(INTERACTIVE);
      joined = oneOf(name, in, "microbatch", TRUTHS, "false", faults).equals("true");
      sloMs = in.numberOrNull("slo_ms", SLO_MS_MIN, 1000 * SECONDS_MAX);
      readNodes(name, in, nodes, faults);
      readEdges(name, in, nodes, edges, faults);
      in.end(WORKFLOW_KEYS);
    }
    var workflow = new Workflow(id, title, interactive, joined, sloMs, nodes, edges, entry.line());
    if (faults.isEmpty()) {
      findCycle(workflow, faults);
    }
    workflows.put(id, workflow);
    var whole = new Faults(file);
    whole.addAll(faults);
    nodes.stream()
        .map(Node::model)
        .distinct()
        .map(faultsByModel::get)
        .filter(ofModel -> ofModel != null)
        .forEach(whole::addAll);
    if (!faults.isEmpty()) {
      ownFaultsByWorkflow.put(id, faults);
    }
    if (!whole.isEmpty()) {
      faultsByWorkflow.put(id, whole);
    }
  }

  private static String oneOf(
      String name, Fields in, String key, List<String> known, String fallback, Faults faults) {
    String given = in.textOr(key, fallback);
    if (!given.isEmpty() && !known.contains(given)) {
      faults.add(
          in.line(key),
          name + "." + key + " (" + given + ") is unknown",
          NearestName.advice(given, known, "values"));
    }
    return given;
  }

  private void readNodes(String name, Fields in, List<Node> nodes, Faults faults) {
    Items items = in.items("nodes");
    if (items == null || items.values().isEmpty()) {
      if (faults.isEmpty()) {
        faults.add(in.line("nodes"), name + " has no nodes", "one line of them is - id: generate");
      }
      return;
    }
    Map<String, Integer> lineById = new LinkedHashMap<>();
    for (Value item : items.values()) {
      Fields node = fieldsOf(name + ".nodes", item, "a node's id and model", faults);
      if (node != null) {
        String id = node.text("id", "generate");
        String model = node.text("model", "llm7b");
        Integer earlier = id.isEmpty() ? null : lineById.putIfAbsent(id, node.line("id"));
        if (earlier != null) {
          faults.add(
              node.line("id"),
              "%s has a second node (%s), the first is on line %d".formatted(name, id, earlier),
              "one of the two is to be renamed");
        }
        if (!model.isEmpty() && !models.containsKey(model) && !faultsByModel.containsKey(model)) {
          faults.add(
              node.line("model"),
              name + ": the model (" + model + ") of node (" + id + ") is unknown",
              NearestName.advice(model, models.keySet(), "models"));
        }
        nodes.add(
            new Node(
                id,
                model,
                node.texts("inputs"),
                node.texts("outputs"),
                node.texts("config_options"),
                item.line()));
        node.end(NODE_KEYS);
      }
    }
  }

  private static void readEdges(
      String name, Fields in, List<Node> nodes, List<Edge> edges, Faults faults) {
    Items items = in.items("edges");
    if (items == null) {
      return;
    }
    List<String> ids = nodes.stream().map(Node::id).toList();
    for (Value item : items.values()) {
      Fields edge = fieldsOf(name + ".edges", item, "an edge's from and to", faults);
      if (edge != null) {
        String from = knownNode(name, edge, "from", ids, faults);
        String to = knownNode(name, edge, "to", ids, faults);
        var read = new Edge(from, to);
        if (!edges.contains(read)) {
          edges.add(read);
        }
        edge.end(EDGE_KEYS);
      }
    }
  }

  private static String knownNode(
      String name, Fields edge, String key, List<String> ids, Faults faults) {
    String id = edge.text(key, "generate");
    if (!id.isEmpty() && !ids.contains(id)) {
      faults.add(
          edge.line(key),
          name + ": the node (" + id + ") of this edge is unknown",
          NearestName.advice(id, ids, "nodes"));
    }
    return id;
  }

  private static void findCycle(Workflow workflow, Faults faults) {
    Optional<List<String>> cycle = Cycle.in(workflow);
    cycle.ifPresent(
        nodes ->
            faults.add(
                workflow.line(),
                "workflow %s goes round in a circle (%s)"
                    .formatted(workflow.id(), String.join(" -> ", nodes)),
                "one of these edges points the wrong way"));
  }
}
