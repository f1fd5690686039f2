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
import java.util.Arrays;
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
        if (json.currentToken() == JsonToken.START_OBJECT) {
          Row fields = new Row();
          while (json.nextToken() == JsonToken.FIELD_NAME) {
            fields.take(json.currentName(), json.nextToken());
          }
          fields.addTo(executions, row);
        } else {
          json.skipChildren();
          findings.fault(Rule.FORMAT, "executions[" + row + "]", "the row is no object");
        }
      }
    }

    /** A row whose fields are still being read. */
    private final class Row {
      private static final int TEXTS = 4;
      private static final List<String> TEXT_NAMES =
          List.of("request_id", "workflow_id", "node_id", "model_name");
      private static final List<String> NUMBER_NAMES =
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

      private final String[] text = new String[TEXTS];
      private final double[] number = new double[NUMBER_NAMES.size()];
      private final List<Integer> gpus = new ArrayList<>(1);
      private boolean listsGpus;
      private String wrong = "";

      Row() {
        Arrays.fill(text, "");
        Arrays.fill(number, Double.NaN);
      }

      void take(String name, JsonToken value) throws IOException {
        int place = TEXT_NAMES.indexOf(name);
        if (place >= 0 && value == JsonToken.VALUE_STRING) {
          String read = json.getText();
          text[place] = place == 0 ? read : texts.computeIfAbsent(read, t -> t);
          return;
        }
        place = NUMBER_NAMES.indexOf(name);
        if (place >= 0 && value.isNumeric()) {
          number[place] = json.getDoubleValue();
        } else if (name.equals("gpu_ids") && value == JsonToken.START_ARRAY) {
          listsGpus = true;
          while (json.nextToken() != JsonToken.END_ARRAY) {
            if (json.currentToken() == JsonToken.VALUE_NUMBER_INT) {
              gpus.add(json.getIntValue());
            } else {
              wrong = "gpu_ids holds (" + json.getText() + "), which is no GPU";
              json.skipChildren();
            }
          }
        } else {
          if (place >= 0 || TEXT_NAMES.contains(name) || name.equals("gpu_ids")) {
            wrong = name + " is (" + json.getText() + ")";
          }
          json.skipChildren();
        }
      }

      void addTo(List<Execution> rows, int row) {
        for (int i = 0; i < TEXTS && wrong.isEmpty(); i++) {
          if (text[i].isEmpty()) {
            wrong = TEXT_NAMES.get(i) + " is missing";
          }
        }
        for (int i = 0; i < NEEDED_NUMBERS && wrong.isEmpty(); i++) {
          if (Double.isNaN(number[i])) {
            wrong = NUMBER_NAMES.get(i) + " is missing";
          }
        }
        for (int i = 0; i < number.length && wrong.isEmpty(); i++) {
          if (Double.isInfinite(number[i])) {
            wrong = NUMBER_NAMES.get(i) + " is not finite";
          }
        }
        int gpu = (int) number[3];
        if (wrong.isEmpty() && (gpu != number[3] || gpu < 0)) {
          wrong = "gpu_id (" + number[3] + ") is no GPU";
        }
        if (wrong.isEmpty() && listsGpus && (gpus.isEmpty() || gpus.get(0) != gpu)) {
          wrong = "gpu_ids " + gpus + " do not begin with gpu_id (" + gpu + ")";
        }
        if (!wrong.isEmpty()) {
          findings.fault(Rule.FORMAT, "executions[" + row + "]", wrong);
          return;
        }
        rows.add(
            new Execution(
                row,
                text[0],
                text[1],
                text[2],
                text[3],
                listsGpus ? List.copyOf(gpus) : List.of(gpu),
                listsGpus,
                number[0],
                number[1],
                number[2],
                number[4],
                number[5],
                number[6],
                number[7]));
      }
    }
  }
}
