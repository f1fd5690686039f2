package dev.sluice.harness.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RequestKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Requests of a topic's records: Sluice's facts, or the JSON values of another program. */
interface TopicRequests {
  /** Takes a record; what is no request is noted as missing, if it should be one. */
  void take(ConsumerRecord<byte[], byte[]> record) throws UserMistakeException;

  /** True if a request that the topic holds twice is one request. */
  boolean once();

  /**
   * The time that a recording counts from, in the time of the requests.
   *
   * @param cut true if earlier requests were left out on purpose
   * @param fromEpochMs time at which reading began; null: it began with a record
   */
  long zeroNs(boolean cut, @Nullable Long fromEpochMs);

  /** Requests of Sluice's facts, whose times count from their run's time zero. */
  final class OfFacts implements TopicRequests {
    private static final byte[] TYPED = ascii("{\"type\":\"");

    /** Beginnings of facts that are not decoded, for nothing is made of them here. */
    private static final List<byte[]> LEFT_OUT =
        List.of(
            ascii("{\"type\":\"BatchCompleted\""),
            ascii("{\"type\":\"Ticked\""),
            ascii("{\"type\":\"ExecutorReported\""));

    private final RequestBuffer requests;
    private final RecordingGaps missing;
    private @Nullable Long timeZeroEpochMs;

    OfFacts(RequestBuffer requests, RecordingGaps missing) {
      this.requests = requests;
      this.missing = missing;
    }

    private static byte[] ascii(String text) {
      return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static boolean startsWith(byte[] bytes, byte[] start) {
      if (bytes.length < start.length) {
        return false;
      }
      for (int i = 0; i < start.length; i++) {
        if (bytes[i] != start[i]) {
          return false;
        }
      }
      return true;
    }

    @Override
    public void take(ConsumerRecord<byte[], byte[]> record) throws UserMistakeException {
      byte[] value = record.value();
      if (value == null) {
        missing.unreadable(record);
        return;
      }
      if (startsWith(value, TYPED)
          && LEFT_OUT.stream().anyMatch(start -> startsWith(value, start))) {
        return; // a report, a completion or a tick, of which nothing is made here
      }
      try {
        take(EventCodec.FACTS.read(value));
      } catch (UnreadableEventException e) {
        missing.unreadable(record);
      }
    }

    private void take(Fact fact) throws UserMistakeException {
      if (fact instanceof JobRequested job) {
        requests.add(
            job.intendedAtNs(),
            job.index(),
            new RequestKind(
                job.classType(),
                job.workload(),
                job.backend(),
                job.precision(),
                job.samples(),
                job.sloNs()));
      } else if (fact instanceof RunStarted started) {
        timeZeroEpochMs = started.timeZeroEpochMs();
      } else if (fact instanceof WorkflowRequested) {
        throw new UserMistakeException(
            "--topic",
            "this run executed workflows, whose requests are graphs",
            "you want --whole, which records everything");
      }
    }

    @Override
    public boolean once() {
      return true;
    }

    @Override
    public long zeroNs(boolean cut, @Nullable Long fromEpochMs) {
      if (!cut) {
        return 0;
      }
      Long zero = timeZeroEpochMs;
      long firstNs = requests.firstNs();
      return zero == null || fromEpochMs == null
          ? firstNs
          : Math.min(firstNs, Math.max(0, fromEpochMs - zero) * 1_000_000);
    }
  }

  /** Requests of another program's JSON values. */
  final class OfFields implements TopicRequests {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int OFFSET_BITS = 44;

    private final Fields fields;
    private final RequestBuffer requests;
    private final RecordingGaps missing;

    OfFields(Fields fields, RequestBuffer requests, RecordingGaps missing) {
      this.fields = fields;
      this.requests = requests;
      this.missing = missing;
    }

    @Override
    public void take(ConsumerRecord<byte[], byte[]> record) {
      JsonNode value = read(record.value());
      if (value == null) {
        missing.unreadable(record);
        return;
      }
      long atNs = record.timestamp() * 1_000_000;
      if (fields.has(Fields.TIME)) {
        Long told = fields.timeNs(value);
        if (told == null) {
          missing.lacks(record, shown(Fields.TIME) + " (and is left out)");
          return;
        }
        atNs = told;
      }
      String classType = text(record, value, Fields.CLASS);
      String workload = text(record, value, Fields.WORKLOAD);
      String backend = text(record, value, Fields.BACKEND);
      String precision = text(record, value, Fields.PRECISION);
      int samples = fields.has(Fields.SAMPLES) ? fields.samples(value) : 0;
      long sloNs = fields.has(Fields.SLO_MS) ? fields.sloNs(value) : 0;
      if (samples == 0 && fields.has(Fields.SAMPLES)) {
        missing.lacks(record, shown(Fields.SAMPLES) + " as a whole number of at least 1");
      }
      if (sloNs == 0 && fields.has(Fields.SLO_MS)) {
        missing.lacks(record, shown(Fields.SLO_MS) + " as a number above 0");
      }
      requests.add(
          atNs,
          ((long) record.partition() << OFFSET_BITS) | record.offset(),
          new RequestKind(classType, workload, backend, precision, samples, sloNs));
    }

    private @Nullable String text(
        ConsumerRecord<byte[], byte[]> record, JsonNode value, String meaning) {
      String text = fields.text(value, meaning);
      if (text == null && fields.has(meaning)) {
        missing.lacks(record, shown(meaning));
      }
      return text;
    }

    private String shown(String meaning) {
      return "field " + fields.name(meaning) + " (" + meaning + ")";
    }

    private static @Nullable JsonNode read(byte @Nullable [] bytes) {
      try {
        JsonNode value = bytes == null ? null : JSON.readTree(bytes);
        return value == null || !value.isObject() ? null : value;
      } catch (IOException e) {
        return null;
      }
    }

    @Override
    public boolean once() {
      return false;
    }

    @Override
    public long zeroNs(boolean cut, @Nullable Long fromEpochMs) {
      long firstNs = requests.firstNs();
      return fromEpochMs == null ? firstNs : Math.min(firstNs, fromEpochMs * 1_000_000);
    }
  }
}
