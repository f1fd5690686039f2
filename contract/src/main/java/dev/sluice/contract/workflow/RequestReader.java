package dev.sluice.contract.workflow;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.workflow.Tokens.Kind;
import dev.sluice.contract.workflow.Tree.Entry;
import dev.sluice.contract.workflow.Tree.Mapping;
import dev.sluice.contract.workflow.Tree.Value;
import dev.sluice.contract.workflow.Workflow.Node;
import dev.sluice.contract.workflow.WorkflowFiles.Skipped;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads requests, one after the other, so that a file of millions need not fit into memory. */
final class RequestReader {
  private static final Set<String> KEYS = Set.of("requests");
  private static final Set<String> REQUEST_KEYS =
      Set.of(
          "request_id",
          "timestamp",
          "workflow_id",
          "input_data",
          "node_configs",
          "node_execution_times");
  private static final double[] NONE_GIVEN = {};

  private final SystemReader system;
  private final Path file;
  private final int gpus;
  private final Faults faults;
  private final Faults infeasible;
  private final List<WorkflowRequest> requests = new ArrayList<>();
  private final List<Skipped> skipped = new ArrayList<>();
  private final Map<String, Integer> lineById = new HashMap<>();
  private final Map<String, Map<String, Integer>> placesByWorkflow = new HashMap<>();
  private final Map<String, Optional<Model>> tooLargeByWorkflow = new HashMap<>();
  private @Nullable Boolean zoned;
  private int count;

  RequestReader(SystemReader system, Path file, int gpus) {
    this.system = system;
    this.file = file;
    this.gpus = gpus;
    this.faults = new Faults(file);
    this.infeasible = new Faults(system.file());
  }

  /** What is wrong with the file. */
  Faults faults() {
    return faults;
  }

  /** What is wrong with models for what the file asks of them. */
  Faults infeasible() {
    return infeasible;
  }

  /** Those without a fault whose workflow can run. */
  List<WorkflowRequest> requests() {
    return requests;
  }

  /** The others. */
  List<Skipped> skipped() {
    return skipped;
  }

  /**
   * @throws UserMistakeException if the file cannot be read at all
   */
  void read() throws UserMistakeException {
    try (Tokens tokens = Tokens.of(file)) {
      Kind first = tokens.next();
      if (first == Kind.END_OF_FILE) {
        throw faults.fatal(0, "the file is empty", "it should begin with requests:");
      }
      if (first != Kind.MAPPING) {
        throw faults.fatal(
            tokens.line(),
            "a file of requests is a mapping of keys to values, and this is not",
            "it should begin with requests:");
      }
      read(tokens);
    } catch (IOException e) {
      throw new IllegalStateException("a file that was read can not be closed", e);
    }
  }

  private void read(Tokens tokens) throws UserMistakeException {
    var tree = new Tree(tokens);
    Map<String, Entry> others = new LinkedHashMap<>();
    boolean found = false;
    for (String key = tree.nextKey(faults); key != null; key = tree.nextKey(faults)) {
      int line = tokens.line();
      Kind kind = tokens.next();
      if (!key.equals("requests")) {
        others.put(key, new Entry(line, tree.value(kind, faults)));
        continue;
      }
      if (kind != Kind.LIST || found) {
        throw faults.fatal(
            line,
            found ? "the key requests stands here a second time" : "requests must be a list",
            "each request is to begin with a dash, below one requests:");
      }
      found = true;
      for (Kind item = tokens.next(); item != Kind.END_OF_LIST; item = tokens.next()) {
        readRequest(tree, item);
      }
    }
    new Fields("", new Mapping(1, others), faults).end(KEYS);
    if (!found && faults.isEmpty()) {
      throw faults.fatal(
          0,
          "requests are missing",
          "this is another file than that of the requests, or their list is to stand below"
              + " requests:");
    }
  }

  private void readRequest(Tree tree, Kind first) throws UserMistakeException {
    count++;
    var own = new Faults(file);
    Value value = tree.value(first, own);
    if (value instanceof Mapping mapping) {
      readRequest(mapping, own);
    } else {
      own.add(
          value.line(),
          "request number %d (%s) must be a mapping of keys to values"
              .formatted(count, Fields.written(value)),
          "its request_id and workflow_id are to stand below the dash");
      skip("", "", own);
    }
  }

  private void readRequest(Mapping mapping, Faults own) {
    Value written = new Fields("", mapping, own).find("request_id");
    String name =
        "request " + (written == null ? "number " + count : Fields.written(written)) + ": ";
    var in = new Fields(name, mapping, own);
    String id = in.text("request_id", "req_001");
    long timestampEpochNs = timestamp(in, own);
    String workflowId = in.text("workflow_id", "text_generation");
    in.mapping("input_data");
    in.end(REQUEST_KEYS);
    if (!id.isEmpty()) {
      Integer earlier = lineById.putIfAbsent(id, in.line("request_id"));
      if (earlier != null) {
        own.add(
            in.line("request_id"),
            "a request of this id (" + id + ") stands on line " + earlier,
            "one of the two is to be renamed");
      }
    }
    Workflow workflow = system.workflows().get(workflowId);
    if (workflow == null) {
      if (!workflowId.isEmpty()) {
        own.add(
            in.line("workflow_id"),
            name + "workflow_id (" + workflowId + ") is unknown",
            NearestName.advice(workflowId, system.workflows().keySet(), "workflows"));
      }
      skip(id, workflowId, own);
      return;
    }
    Faults ofWorkflow = system.faultsByWorkflow().get(workflowId);
    if (ofWorkflow != null) {
      faults.addAll(own);
      skipped.add(new Skipped(id, workflowId, ofWorkflow.firstInWords()));
      return;
    }
    double[] executionSeconds = executionSeconds(in, name, workflow, own);
    Optional<Model> tooLarge =
        tooLargeByWorkflow.computeIfAbsent(workflowId, unused -> tooLarge(workflow, id));
    if (!own.isEmpty()) {
      skip(id, workflowId, own);
    } else if (tooLarge.isPresent()) {
      Model model = tooLarge.get();
      skipped.add(
          new Skipped(
              id, workflowId, system.file() + ":" + model.line() + ": " + needsTooMany(model)));
    } else {
      requests.add(new WorkflowRequest(id, timestampEpochNs, workflow, executionSeconds));
    }
  }

  private void skip(String id, String workflowId, Faults own) {
    faults.addAll(own);
    skipped.add(new Skipped(id, workflowId, own.firstInWords()));
  }

  private long timestamp(Fields in, Faults own) {
    String text = in.text("timestamp", "\"2024-01-01T10:00:00\"");
    if (text.isEmpty()) {
      return 0;
    }
    Timestamp timestamp = Timestamp.parse(text);
    if (timestamp == null) {
      own.add(
          in.line("timestamp"),
          in.name("timestamp") + " (" + text + ") is no time",
          "it is to be written like 2024-01-01T10:00:00");
      return 0;
    }
    if (zoned == null) {
      zoned = timestamp.zoned();
    } else if (zoned != timestamp.zoned()) {
      own.add(
          in.line("timestamp"),
          "%s (%s) has %s zone, and that of the first request has %s"
              .formatted(
                  in.name("timestamp"),
                  text,
                  timestamp.zoned() ? "a" : "no",
                  timestamp.zoned() ? "none" : "one"),
          "all of them are to end in Z, or none");
    }
    return timestamp.epochNs();
  }

  private double[] executionSeconds(Fields in, String name, Workflow workflow, Faults own) {
    Map<String, Integer> places =
        placesByWorkflow.computeIfAbsent(workflow.id(), unused -> places(workflow));
    Mapping configs = in.mapping("node_configs");
    if (configs != null) {
      for (Map.Entry<String, Entry> config : configs.entries().entrySet()) {
        checkNode(config.getKey(), config.getValue(), name + "node_configs", places, own);
      }
    }
    Mapping times = in.mapping("node_execution_times");
    if (times == null || times.entries().isEmpty()) {
      return NONE_GIVEN;
    }
    double[] seconds = new double[places.size()];
    Arrays.fill(seconds, Double.NaN);
    var fields = new Fields(name + "node_execution_times.", times, own);
    for (Map.Entry<String, Entry> time : times.entries().entrySet()) {
      Integer place =
          checkNode(time.getKey(), time.getValue(), name + "node_execution_times", places, own);
      Value value = fields.find(time.getKey());
      if (place != null && value != null) {
        seconds[place] = fields.numberOf(time.getKey(), value, 0, SystemReader.SECONDS_MAX);
      }
    }
    return seconds;
  }

  /** Its nodes' places, by id. */
  private static Map<String, Integer> places(Workflow workflow) {
    Map<String, Integer> byId = new HashMap<>();
    for (Node node : workflow.nodes()) {
      byId.put(node.id(), byId.size());
    }
    return byId;
  }

  /** The node's place; null, and a fault, if it is unknown. */
  private static @Nullable Integer checkNode(
      String node, Entry entry, String where, Map<String, Integer> places, Faults own) {
    Integer place = places.get(node);
    if (place == null) {
      own.add(
          entry.line(),
          where + " names a node (" + node + ") that its workflow has not",
          NearestName.advice(node, places.keySet(), "nodes"));
    }
    return place;
  }

  /** The first model of the workflow that needs more GPUs than there are. */
  private Optional<Model> tooLarge(Workflow workflow, String requestId) {
    for (Node node : workflow.nodes()) {
      Model model = system.models().get(node.model());
      if (model != null && model.gpusRequired() > gpus) {
        infeasible.add(
            model.line(),
            "%s, and workflow %s, which request %s asks for, runs it"
                .formatted(needsTooMany(model), workflow.id(), requestId),
            "--gpus %d, or --skip-infeasible to leave such requests out"
                .formatted(model.gpusRequired()));
        return Optional.of(model);
      }
    }
    return Optional.empty();
  }

  private String needsTooMany(Model model) {
    return "model %s needs more GPUs (%d) than there are (%d)"
        .formatted(model.id(), model.gpusRequired(), gpus);
  }
}
