package dev.sluice.analytics.check;

import static dev.sluice.analytics.check.Decimal.NONE;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The record of a log that was read last: the fields that rows are held to, and no others. */
final class LogRecord {
  /** Fields with one value, of the line or of its event. */
  enum Field {
    SLUICE("sluice"),
    VERSION("version"),
    KIND("kind"),
    RUN("run_id"),
    REQUEST_DIGEST("request_digest"),
    CONFIG_DIGEST("config_digest"),
    ZERO_EPOCH_MS("time_zero_epoch_ms"),
    EXPERIMENT("experiment"),
    TOPIC("topic"),
    PARTITION("partition"),
    OFFSET("offset"),
    APPENDED_EPOCH_MS("appended_ms"),
    TYPE("type"),
    JOB("jobId"),
    CLASS("classType"),
    WORKLOAD("workload"),
    BACKEND("backend"),
    PRECISION("precision"),
    SAMPLES("samples"),
    SLO_NS("sloNs"),
    INTENDED_NS("intendedAtNs"),
    SENT_NS("sentAtNs"),
    STATUS("status"),
    REASON("reason"),
    DISPATCH("dispatchId"),
    ATTEMPT("attempt"),
    EXECUTOR("executorId"),
    INCARNATION("incarnation"),
    TOKENS("tokens"),
    DECIDED_NS("decidedAtNs"),
    NOT_BEFORE_NS("notBeforeNs"),
    PREDICTED_NS("predictedServiceNs"),
    QUANTILE_NS("predictedQuantileNs"),
    P95_NS("predictedP95Ns"),
    P99_NS("predictedP99Ns"),
    SOURCE("predictionSource"),
    MODEL_VERSION("modelVersion"),
    BUSY_LANES("busyLanes"),
    STARTED_NS("startedAtNs"),
    FINISHED_NS("finishedAtNs"),
    SERVICE_NS("serviceNs"),
    SWITCH_NS("switchNs"),
    EMULATED_NS("emulatedServiceNs"),
    CAUSE("cause"),
    RESULT("result"),
    CLOCK_OFFSET_NS("clockOffsetNsMax"),
    FIT_CPU_NS("fitCpuNs"),
    FROM_NS("fromNs"),
    TO_NS("toNs"),
    INTERRUPTED("interrupted"),
    NEVER_SENT("jobsNeverSent"),
    EVENTS_RUN("runId"),
    EVENTS_ZERO_EPOCH_MS("timeZeroEpochMs"),
    EVENTS_REQUEST_DIGEST("requestDigest"),
    EVENTS_CONFIG_DIGEST("configDigest"),
    SEED("seed"),
    LANE("lane"),
    JOBS_SENT("jobsSent"),
    ENDED_NS("endedAtNs"),
    FAILURE("failure"),
    RECORDS("records"),
    SHA256("sha256");

    private static final Map<String, Field> BY_NAME = new HashMap<>();

    static {
      for (Field field : values()) {
        BY_NAME.put(field.name, field);
      }
    }

    private final String name;

    Field(String name) {
      this.name = name;
    }
  }

  private final JsonParser json;
  private final Map<Field, String> texts = new EnumMap<>(Field.class);
  private final Map<Field, Long> numbers = new EnumMap<>(Field.class);
  private final List<String> jobs = new ArrayList<>();
  private long firstLane;
  private int lanes;

  /**
   * @param json parser of a file whose root values are the lines of a log
   */
  LogRecord(JsonParser json) {
    this.json = json;
  }

  /** Reads the next record; false at the end of the file. */
  boolean next() throws IOException {
    JsonToken token = json.nextToken();
    if (token == null) {
      return false;
    }
    texts.clear();
    numbers.clear();
    jobs.clear();
    lanes = 0;
    firstLane = NONE;
    if (token == JsonToken.START_OBJECT) {
      fields();
    } else {
      json.skipChildren();
    }
    return true;
  }

  /** Text of a field, or its flag as true or false; empty if the record has none. */
  String text(Field field) {
    return texts.getOrDefault(field, "");
  }

  /** Whole number of a field; {@code Decimal.NONE} if the record has none. */
  long number(Field field) {
    return numbers.getOrDefault(field, NONE);
  }

  /** Whole number of a field; 0 if the record has none. */
  long numberOr0(Field field) {
    return Math.max(0, number(field));
  }

  /** Ids of the jobs that it lists. */
  List<String> jobs() {
    return jobs;
  }

  /** Number of lanes that it lists. */
  int lanes() {
    return lanes;
  }

  /** The first lane that it lists by number; {@code Decimal.NONE} if there is none. */
  long firstLane() {
    return firstLane;
  }

  private void fields() throws IOException {
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      JsonToken value = json.nextToken();
      if (value == JsonToken.START_OBJECT && name.equals("event")) {
        fields();
      } else if (value == JsonToken.START_ARRAY && name.equals("jobs")) {
        readJobs();
      } else if (value == JsonToken.START_ARRAY && name.equals("lanes")) {
        readLanes();
      } else if (value.isStructStart()) {
        json.skipChildren();
      } else {
        Field field = Field.BY_NAME.get(name);
        if (field != null && value == JsonToken.VALUE_STRING) {
          texts.put(field, json.getText());
        } else if (field != null && value == JsonToken.VALUE_NUMBER_INT) {
          numbers.put(field, json.getLongValue());
        } else if (field != null && value.isBoolean()) {
          texts.put(field, json.getText());
        }
      }
    }
  }

  private void readJobs() throws IOException {
    while (isInside()) {
      if (json.currentToken() == JsonToken.START_OBJECT) {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
          boolean isId = json.currentName().equals("jobId");
          if (json.nextToken() == JsonToken.VALUE_STRING && isId) {
            jobs.add(json.getText());
          }
          json.skipChildren();
        }
      } else {
        json.skipChildren();
      }
    }
  }

  /** Goes to the next entry of an array; false at its end. */
  private boolean isInside() throws IOException {
    JsonToken token = json.nextToken();
    return token != null && token != JsonToken.END_ARRAY;
  }

  private void readLanes() throws IOException {
    while (isInside()) {
      if (lanes++ == 0 && json.currentToken() == JsonToken.VALUE_NUMBER_INT) {
        firstLane = json.getLongValue();
      }
      json.skipChildren();
    }
  }
}
