package dev.sluice.analytics.check;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.workflow.Model;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.contract.workflow.WorkflowRequest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A log of executions on GPUs, as {@code baseline_execution_log.json} holds it. There may be
 * millions: the log is read as a stream, and each text is held once. Times in seconds are compared
 * to the millionth, and to the precision of a floating-point number of their size; NaN means
 * unknown, and is never wrong.
 *
 * @param summary summary of the log; a missing node: the log has none
 * @param gpus GPUs that the summary names; empty: the summary names none
 * @param files workflow files that the log came from; null: they were not given
 * @param rows number of rows, of which several may be of one gang
 * @param executions rows, each gang in one
 * @param unfinished requests that the summary calls not completed: some of their nodes may be
 *     missing
 * @param arrivals arrival of each request of the files, in seconds since time zero; offline all are
 *     0
 */
record Schedule(
    JsonNode summary,
    Set<Integer> gpus,
    @Nullable WorkflowFiles files,
    int rows,
    List<Execution> executions,
    Map<String, List<Execution>> byRequest,
    Set<String> unfinished,
    Map<String, Double> arrivals) {
  private static final JsonFactory FACTORY =
      JsonFactory.builder().enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER).build();
  private static final ObjectMapper JSON = new ObjectMapper(FACTORY);
  private static final double TOLERANCE = 1e-6;
  private static final double RELATIVE = 1e-12;
  private static final double NS_PER_SECOND = 1e9;
  private static final Comparator<Execution> BY_TIME =
      Comparator.comparingDouble(Execution::takenFrom)
          .thenComparingDouble(Execution::end)
          .thenComparingInt(Execution::row);

  /**
   * A node that ran; times in seconds, NaN where the log is silent.
   *
   * @param row place in the log
   * @param gpus all GPUs that it took
   * @param listsGpus true if the log names all of its GPUs; false: only the first
   * @param batchId common text of the rows that shared one inference
   */
  record Execution(
      int row,
      String requestId,
      String workflowId,
      String nodeId,
      String modelName,
      List<Integer> gpus,
      boolean listsGpus,
      double start,
      double end,
      double executionTime,
      double switchTime,
      double waitingTime,
      double batchId) {
    /** Time from which its GPUs are taken. */
    double takenFrom() {
      return Double.isNaN(switchTime) ? start : start - switchTime;
    }

    Execution on(List<Integer> allGpus) {
      return new Execution(
          row,
          requestId,
          workflowId,
          nodeId,
          modelName,
          allGpus,
          true,
          start,
          end,
          executionTime,
          switchTime,
          waitingTime,
          batchId);
    }

    boolean sharesBatchWith(Execution other) {
      return batchId == other.batchId; // rows without a batch share none
    }

    String where() {
      return "executions[" + row + "] " + requestId + "/" + nodeId;
    }
  }

  /**
   * Reads a log. Rows that lack a field are left out and reported as faults.
   *
   * @param system models and workflows; null: they were not given
   * @throws UserMistakeException if the file is no such log at all, or another cannot be read
   */
  static Schedule read(Path file, @Nullable Path system, @Nullable Path requests, Findings findings)
      throws UserMistakeException {
    Reader log = new Reader(findings);
    try (InputStream in = Files.newInputStream(file);
        JsonParser json = FACTORY.createParser(in)) {
      log.read(json, file);
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      throw new UserMistakeException(
          line > 0 ? file + ":" + line : file.toString(),
          "this is no JSON (" + UserMistakeException.reason(e) + ")",
          "the file was cut short, or is no execution log",
          e);
    } catch (IOException e) {
      throw new UserMistakeException(
          file.toString(),
          "the log cannot be read (" + UserMistakeException.reason(e) + ")",
          "its name is misspelled",
          e);
    }

    JsonNode summary = log.summary;
    Set<Integer> gpus = new HashSet<>();
    summary.path("gpus").forEach(gpu -> gpus.add(gpu.asInt()));
    WorkflowFiles files =
        system == null || requests == null
            ? null
            : WorkflowFiles.read(
                system, requests, gpus.isEmpty() ? Integer.MAX_VALUE : gpus.size(), true);
    List<Execution> executions = new Gangs(files, findings).merged(log.executions);
    Set<String> unfinished = new HashSet<>();
    summary.path("unfinished").forEach(r -> unfinished.add(r.path("request_id").asText()));
    return new Schedule(
        summary,
        gpus,
        files,
        log.executions.size(),
        executions,
        executions.stream().collect(Collectors.groupingBy(Execution::requestId)),
        unfinished,
        files == null ? Map.of() : arrivals(summary, files.requests()));
  }

  private static Map<String, Double> arrivals(JsonNode summary, List<WorkflowRequest> asked) {
    boolean online = summary.path("mode").asText().equals("online");
    long firstNs = asked.stream().mapToLong(WorkflowRequest::timestampEpochNs).min().orElse(0);
    return asked.stream()
        .collect(
            Collectors.toMap(
                WorkflowRequest::id,
                of -> online ? (of.timestampEpochNs() - firstNs) / NS_PER_SECOND : 0,
                (first, second) -> second));
  }

  /** True if the nodes really ran, so that their times are measured. */
  boolean reallyRan() {
    return summary.path("simulate").asBoolean(false);
  }

  /** Rows by the GPUs that they took. */
  Map<Integer, List<Execution>> byGpu() {
    Map<Integer, List<Execution>> byGpu = new TreeMap<>();
    for (Execution row : executions) {
      row.gpus().forEach(gpu -> byGpu.computeIfAbsent(gpu, g -> new ArrayList<>()).add(row));
    }
    return byGpu;
  }

  static List<Execution> sortedByTime(List<Execution> executions) {
    return executions.stream().sorted(BY_TIME).toList();
  }

  /** True if two times are not surely different. */
  static boolean same(double a, double b) {
    return !(Math.abs(a - b) > tolerance(a, b));
  }

  /** True if a is surely before b. */
  static boolean before(double a, double b) {
    return a < b - tolerance(a, b);
  }

  private static double tolerance(double a, double b) {
    return TOLERANCE + RELATIVE * Math.max(Math.abs(a), Math.abs(b));
  }

  private static final class Reader {
    private static final String GPUS = "gpu_ids";
    private static final List<String> TEXTS =
        List.of("request_id", "workflow_id", "node_id", "model_name");
    private static final List<String> NUMBERS =
        List.of(
            "start_time",
            "end_time",
            "execution_time",
            "gpu_id",
            "estimated_time",
            "switch_time",
            "waiting_time",
            "batch_id");
    private static final int NEEDED_NUMBERS = 4;

    private final Findings findings;
    private final Map<String, String> texts = new HashMap<>();
    private final List<Execution> executions = new ArrayList<>();
    private JsonNode summary = MissingNode.getInstance();
    private int rows;

    Reader(Findings findings) {
      this.findings = findings;
    }

    void read(JsonParser json, Path file) throws IOException, UserMistakeException {
      boolean found = false;
      if (json.nextToken() == JsonToken.START_OBJECT) {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
          String name = json.currentName();
          json.nextToken();
          if (name.equals("summary")) {
            summary = JSON.readTree(json);
          } else if (name.equals("executions") && json.currentToken() == JsonToken.START_ARRAY) {
            found = true;
            readRows(json);
          } else {
            json.skipChildren();
          }
        }
      }
      if (!found) {
        throw new UserMistakeException(
            file.toString(),
            "there is no list (executions)",
            "it was left out by --no-trace, or it is no execution log; ./sluice simulate --system …"
                + " writes one, and a run's folder can be checked, too");
      }
      findings.looked(Rule.FORMAT, rows);
    }

    private void readRows(JsonParser json) throws IOException {
      while (json.nextToken() != JsonToken.END_ARRAY) {
        int row = rows++;
        JsonNode fields = JSON.readTree(json);
        String wrong = fields.isObject() ? wrong(fields) : "the row is no object";
        if (wrong.isEmpty()) {
          executions.add(execution(row, fields));
        } else {
          findings.fault(Rule.FORMAT, "executions[" + row + "]", wrong);
        }
      }
    }

    /** What is wrong with a row; empty: nothing is. */
    private static String wrong(JsonNode row) {
      String wrong = "";
      for (Map.Entry<String, JsonNode> field : row.properties()) {
        String name = field.getKey();
        JsonNode value = field.getValue();
        if ((TEXTS.contains(name) && !value.isTextual())
            || (NUMBERS.contains(name) && !value.isNumber())
            || (name.equals(GPUS) && !value.isArray())) {
          wrong = name + " is (" + shown(value) + ")";
        }
        for (JsonNode gpu : name.equals(GPUS) ? value : MissingNode.getInstance()) {
          wrong = gpu.isInt() ? wrong : "gpu_ids holds (" + shown(gpu) + "), which is no GPU";
        }
      }
      if (!wrong.isEmpty()) {
        return wrong;
      }
      for (String name : TEXTS) {
        if (row.path(name).asText().isEmpty()) {
          return name + " is missing";
        }
      }
      for (String name : NUMBERS.subList(0, NEEDED_NUMBERS)) {
        if (!row.has(name)) {
          return name + " is missing";
        }
      }
      for (String name : NUMBERS) {
        if (Double.isInfinite(number(row, name))) {
          return name + " is not finite";
        }
      }
      double first = number(row, "gpu_id");
      int gpu = (int) first;
      if (gpu != first || gpu < 0) {
        return "gpu_id (" + first + ") is no GPU";
      }
      List<Integer> gpus = gpus(row);
      return row.has(GPUS) && (gpus.isEmpty() || gpus.get(0) != gpu)
          ? "gpu_ids " + gpus + " do not begin with gpu_id (" + gpu + ")"
          : "";
    }

    /** A value as an error shows it: only the beginning of a list or an object. */
    private static String shown(JsonNode value) {
      return value.isContainerNode() ? value.isArray() ? "[" : "{" : value.asText();
    }

    private static double number(JsonNode row, String name) {
      return row.path(name).asDouble(Double.NaN);
    }

    private static List<Integer> gpus(JsonNode row) {
      List<Integer> gpus = new ArrayList<>(1);
      row.path(GPUS).forEach(gpu -> gpus.add(gpu.intValue()));
      return gpus;
    }

    private Execution execution(int row, JsonNode fields) {
      return new Execution(
          row,
          fields.path("request_id").asText(),
          text(fields, "workflow_id"),
          text(fields, "node_id"),
          text(fields, "model_name"),
          fields.has(GPUS) ? List.copyOf(gpus(fields)) : List.of(fields.path("gpu_id").asInt()),
          fields.has(GPUS),
          number(fields, "start_time"),
          number(fields, "end_time"),
          number(fields, "execution_time"),
          number(fields, "switch_time"),
          number(fields, "waiting_time"),
          number(fields, "batch_id"));
    }

    private String text(JsonNode row, String name) {
      return texts.computeIfAbsent(row.path(name).asText(), text -> text);
    }
  }

  /**
   * Finds all GPUs of each gang, and checks that they are neighbors, taken together. A log names
   * the GPUs of a gang in one row, or in a row for each, or names the first alone.
   */
  private record Gangs(@Nullable WorkflowFiles files, Findings findings) {
    /** One row for each gang, in the order of the log. */
    List<Execution> merged(List<Execution> rows) {
      List<Execution> merged = new ArrayList<>(rows.size());
      Map<String, Map<String, List<Execution>>> split = new LinkedHashMap<>();
      for (Execution row : rows) {
        if (!row.listsGpus() && gpusRequired(row) > 1) {
          split
              .computeIfAbsent(row.requestId(), id -> new LinkedHashMap<>())
              .computeIfAbsent(row.nodeId(), id -> new ArrayList<>())
              .add(row);
        } else {
          merged.add(row);
          if (row.gpus().size() > 1) {
            checkNeighbors(row);
          }
        }
      }
      split.values().forEach(byNode -> byNode.values().forEach(gang -> merged.add(join(gang))));
      findings.looked(Rule.GANG, merged.stream().filter(row -> row.gpus().size() > 1).count());
      return merged;
    }

    private int gpusRequired(Execution row) {
      Model model = files == null ? null : files.models().get(row.modelName());
      return model == null ? 1 : model.gpusRequired();
    }

    private Execution join(List<Execution> gang) {
      Execution first = gang.get(0);
      if (gang.size() == 1) {
        int from = first.gpus().get(0);
        return first.on(IntStream.range(from, from + gpusRequired(first)).boxed().toList());
      }
      for (Execution row : gang) {
        if (!same(row.takenFrom(), first.takenFrom()) || !same(row.end(), first.end())) {
          findings.fault(
              Rule.GANG,
              first.where() + ", " + row.where(),
              "one GPU of the gang is taken in [%s, %s), another in [%s, %s)"
                  .formatted(first.takenFrom(), first.end(), row.takenFrom(), row.end()));
        }
      }
      Execution joined = first.on(gang.stream().map(row -> row.gpus().get(0)).sorted().toList());
      checkNeighbors(joined);
      return joined;
    }

    private void checkNeighbors(Execution row) {
      for (int i = 1; i < row.gpus().size(); i++) {
        if (row.gpus().get(i) != row.gpus().get(i - 1) + 1) {
          findings.fault(Rule.GANG, row.where(), "GPUs %s are no neighbors".formatted(row.gpus()));
          return;
        }
      }
    }
  }
}
