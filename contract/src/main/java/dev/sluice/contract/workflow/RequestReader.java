package dev.sluice.contract.workflow;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.Tree;
import dev.sluice.contract.file.Tree.Kind;
import dev.sluice.contract.file.Tree.Limits;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Entry;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.workflow.Workflow.Node;
import dev.sluice.contract.workflow.WorkflowFiles.Skipped;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads requests, one after the other, so that the values of a file of millions need not fit into
 * memory.
 */
final class RequestReader {
  private static final Set<String> KEYS =
      Set.of(
          "request_id",
          "timestamp",
          "workflow_id",
          "input_data",
          "node_configs",
          "node_execution_times");
  private static final Range SECONDS = Range.within(0, SystemReader.SECONDS_MAX);
  private static final double[] NONE_GIVEN = {};

  private final SystemReader system;
  private final String file;
  private final Place whole;
  private final int gpus;

  final Problems problems;

  /** Mistakes in the system's file: models that a request needs and that no GPUs can hold. */
  final Problems infeasible;

  /** Requests without a mistake whose workflow can run. */
  final List<WorkflowRequest> requests = new ArrayList<>();

  final List<Skipped> skipped = new ArrayList<>();

  private final Map<String, Integer> lineById = new HashMap<>();
  private final Map<String, Map<String, Integer>> placesByWorkflow = new HashMap<>();
  private final Map<String, Optional<Model>> tooLargeByWorkflow = new HashMap<>();
  private @Nullable Boolean zoned;
  private int count;

  RequestReader(SystemReader system, Path file, int gpus) {
    this.system = system;
    this.file = file.toString();
    this.whole = new Place(this.file, 0);
    this.gpus = gpus;
    this.problems = new Problems(this.file, Problems.LISTED_MAX);
    this.infeasible = new Problems(system.file.toString(), Problems.LISTED_MAX);
  }

  /**
   * @throws UserMistakeException if the file cannot be read at all
   */
  void read() throws UserMistakeException {
    try (Tree tree = Tree.open(Path.of(file), WorkflowFiles.OTHER_PATH, Limits.BY_PROGRAM)) {
      Kind first = tree.next();
      if (first == Kind.END_OF_FILE) {
        throw new UserMistakeException(
            whole, "the file is empty", "it should begin with requests:");
      }
      if (first != Kind.MAPPING) {
        throw new UserMistakeException(
            tree.place(),
            "a file of requests is a mapping of keys to values, and this is not",
            "it should begin with requests:");
      }
      read(tree);
    }
  }

  private void read(Tree tree) throws UserMistakeException {
    Map<String, Entry> others = new LinkedHashMap<>();
    boolean found = false;
    for (String key = tree.nextKey(problems); key != null; key = tree.nextKey(problems)) {
      Place place = tree.place();
      Kind kind = tree.next();
      if (!key.equals("requests")) {
        others.put(key, new Entry(place, tree.value(kind, problems)));
        continue;
      }
      if (kind != Kind.LIST || found) {
        throw new UserMistakeException(
            place,
            found ? "the key requests is here a second time" : "requests must be a list",
            "each request should begin with a dash, below one requests:");
      }
      found = true;
      for (Kind item = tree.next(); item != Kind.END_OF_LIST; item = tree.next()) {
        readRequest(tree, item);
      }
    }
    Section.lenient("", new Mapping(whole, others), problems).end(Set.of("requests"));
    if (!found && problems.isEmpty()) {
      throw new UserMistakeException(
          whole,
          "requests are missing",
          "this is not the file of requests, or their list should be below requests:");
    }
  }

  private void readRequest(Tree tree, Kind first) throws UserMistakeException {
    count++;
    var own = new Problems(file);
    Value value = tree.value(first, own);
    if (value instanceof Mapping mapping) {
      readRequest(mapping, own);
    } else {
      own.error(
          value.place(),
          "request number %d (%s) must be a mapping of keys to values"
              .formatted(count, Section.written(value)),
          "its request_id and workflow_id should stand below the dash");
      skip("", "", own);
    }
  }

  private void readRequest(Mapping mapping, Problems own) {
    Value written = Section.lenient("", mapping, own).find("request_id");
    String called = written == null ? "" : Section.written(written);
    String name = "request " + (called.isBlank() ? "number " + count : called) + ": ";
    var in = Section.lenient(name, mapping, own);
    String id = in.requiredText("request_id", "req_001");
    long timestampEpochNs = timestamp(in);
    String workflowId = in.requiredText("workflow_id", "text_generation");
    in.mapping("input_data");
    in.end(KEYS);
    if (!id.isEmpty()) {
      Integer earlier = lineById.putIfAbsent(id, in.place("request_id").line());
      if (earlier != null) {
        in.error(
            "request_id",
            "a request of this id (" + id + ") stands on line " + earlier,
            "one of the two should be renamed");
      }
    }
    Workflow workflow = system.workflows.get(workflowId);
    if (workflow == null) {
      if (!workflowId.isEmpty()) {
        in.error(
            "workflow_id",
            name + "workflow_id (" + workflowId + ") is unknown",
            NearestName.advice(workflowId, system.workflows.keySet(), "workflows"));
      }
      skip(id, workflowId, own);
      return;
    }
    Problems ofWorkflow = system.problemsByWorkflow.get(workflowId);
    if (ofWorkflow != null) {
      problems.addAll(own);
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
      skipped.add(new Skipped(id, workflowId, placeOf(model) + ": " + needsTooMany(model)));
    } else {
      int line = in.place("timestamp").line();
      requests.add(new WorkflowRequest(id, timestampEpochNs, workflow, executionSeconds, line));
    }
  }

  private void skip(String id, String workflowId, Problems own) {
    problems.addAll(own);
    skipped.add(new Skipped(id, workflowId, own.firstInWords()));
  }

  private long timestamp(Section in) {
    String text = in.requiredText("timestamp", "\"2024-01-01T10:00:00\"");
    if (text.isEmpty()) {
      return 0;
    }
    Timestamp timestamp = Timestamp.parse(text);
    if (timestamp == null) {
      in.error(
          "timestamp",
          in.name("timestamp") + " (" + text + ") is not a time",
          "you meant a time such as 2024-01-01T10:00:00");
      return 0;
    }
    if (zoned == null) {
      zoned = timestamp.zoned();
    } else if (zoned != timestamp.zoned()) {
      in.error(
          "timestamp",
          "%s (%s) has %s zone, and that of the first request has %s"
              .formatted(
                  in.name("timestamp"),
                  text,
                  timestamp.zoned() ? "a" : "no",
                  timestamp.zoned() ? "none" : "one"),
          "all of them should end in Z, or none");
    }
    return timestamp.epochNs();
  }

  private double[] executionSeconds(Section in, String name, Workflow workflow, Problems own) {
    Map<String, Integer> places =
        placesByWorkflow.computeIfAbsent(workflow.id(), unused -> places(workflow));
    Mapping configs = in.mapping("node_configs");
    if (configs != null) {
      configs
          .entries()
          .forEach((node, entry) -> checkNode(node, entry, name + "node_configs", places, own));
    }
    Mapping times = in.mapping("node_execution_times");
    if (times == null || times.entries().isEmpty()) {
      return NONE_GIVEN;
    }
    double[] seconds = new double[places.size()];
    Arrays.fill(seconds, Double.NaN);
    var fields = Section.lenient(name + "node_execution_times.", times, own);
    for (Map.Entry<String, Entry> time : times.entries().entrySet()) {
      Integer place =
          checkNode(time.getKey(), time.getValue(), name + "node_execution_times", places, own);
      if (place != null) {
        seconds[place] = fields.number(time.getKey(), Double.NaN, SECONDS, "you meant seconds");
      }
    }
    return seconds;
  }

  private static Map<String, Integer> places(Workflow workflow) {
    Map<String, Integer> byId = new HashMap<>();
    for (Node node : workflow.nodes()) {
      byId.put(node.id(), byId.size());
    }
    return byId;
  }

  /** The node's index; null, and a mistake, if it is unknown. */
  private static @Nullable Integer checkNode(
      String node, Entry entry, String where, Map<String, Integer> places, Problems own) {
    Integer place = places.get(node);
    if (place == null) {
      own.error(
          entry.keyPlace(),
          where + " names a node (" + node + ") that its workflow has not",
          NearestName.advice(node, places.keySet(), "nodes"));
    }
    return place;
  }

  /** The first model of the workflow that needs more GPUs than there are. */
  private Optional<Model> tooLarge(Workflow workflow, String requestId) {
    for (Node node : workflow.nodes()) {
      Model model = system.models.get(node.model());
      if (model != null && model.gpusRequired() > gpus) {
        infeasible.error(
            placeOf(model),
            "%s, and workflow %s, which request %s asks for, runs it"
                .formatted(needsTooMany(model), workflow.id(), requestId),
            "--gpus %d, or --skip-infeasible to leave such requests out"
                .formatted(model.gpusRequired()));
        return Optional.of(model);
      }
    }
    return Optional.empty();
  }

  private Place placeOf(Model model) {
    return new Place(system.file.toString(), model.line());
  }

  private String needsTooMany(Model model) {
    return "model %s needs more GPUs (%d) than there are (%d)"
        .formatted(model.id(), model.gpusRequired(), gpus);
  }

  /**
   * A moment as ISO 8601 writes it: {@code 2024-01-01T10:00:00.5}, with or without a zone.
   *
   * @param epochNs nanoseconds since 1970; a moment without a zone is taken as UTC
   */
  private record Timestamp(long epochNs, boolean zoned) {
    private static final int DATE_LENGTH = 10;
    private static final long NS_PER_SECOND = 1_000_000_000;

    /** Reads a text; null if it is no moment between 1678 and 2261. */
    static @Nullable Timestamp parse(String text) {
      try {
        if (text.length() <= DATE_LENGTH) {
          return of(LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC), false);
        }
        String iso =
            text.charAt(DATE_LENGTH) == ' '
                ? text.substring(0, DATE_LENGTH) + 'T' + text.substring(DATE_LENGTH + 1)
                : text;
        return isZoned(iso)
            ? of(OffsetDateTime.parse(iso).toInstant(), true)
            : of(LocalDateTime.parse(iso).toInstant(ZoneOffset.UTC), false);
      } catch (DateTimeException | ArithmeticException e) {
        return null;
      }
    }

    private static boolean isZoned(String iso) {
      return iso.endsWith("Z")
          || iso.indexOf('+', DATE_LENGTH) >= 0
          || iso.indexOf('-', DATE_LENGTH) >= 0;
    }

    private static Timestamp of(Instant moment, boolean zoned) {
      long ns = Math.multiplyExact(moment.getEpochSecond(), NS_PER_SECOND);
      return new Timestamp(Math.addExact(ns, moment.getNano()), zoned);
    }
  }
}
