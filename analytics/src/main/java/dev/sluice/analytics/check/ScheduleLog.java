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
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A log of executions on GPUs, as {@code baseline_execution_log.json} holds it. There may be
 * millions: the log is read as a stream, and each text is held once.
 *
 * @param summary summary of the log; a missing node: the log has none
 */
record ScheduleLog(JsonNode summary, List<Execution> executions) {
  private static final JsonFactory FACTORY =
      JsonFactory.builder().enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER).build();
  private static final ObjectMapper JSON = new ObjectMapper(FACTORY);

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
      double estimatedTime,
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
          estimatedTime,
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
   * @throws UserMistakeException if the file is no such log at all
   */
  static ScheduleLog read(Path file, Findings findings) throws UserMistakeException {
    try (InputStream in = Files.newInputStream(file);
        JsonParser json = FACTORY.createParser(in)) {
      return new Reader(json, findings).read(file);
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

    private final JsonParser json;
    private final Findings findings;
    private final Map<String, String> texts = new HashMap<>();
    private final List<Execution> executions = new ArrayList<>();
    private int rows;

    Reader(JsonParser json, Findings findings) {
      this.json = json;
      this.findings = findings;
    }

    ScheduleLog read(Path file) throws IOException, UserMistakeException {
      JsonNode summary = MissingNode.getInstance();
      boolean found = false;
      if (json.nextToken() == JsonToken.START_OBJECT) {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
          String name = json.currentName();
          json.nextToken();
          if (name.equals("summary")) {
            summary = JSON.readTree(json);
          } else if (name.equals("executions") && json.currentToken() == JsonToken.START_ARRAY) {
            found = true;
            readRows();
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
      return new ScheduleLog(summary, executions);
    }

    private void readRows() throws IOException {
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
          number(fields, "estimated_time"),
          number(fields, "switch_time"),
          number(fields, "waiting_time"),
          number(fields, "batch_id"));
    }

    private String text(JsonNode row, String name) {
      return texts.computeIfAbsent(row.path(name).asText(), text -> text);
    }
  }
}
