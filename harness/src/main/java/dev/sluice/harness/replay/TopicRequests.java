package dev.sluice.harness.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.RecordedRequest;
import dev.sluice.contract.log.RecordingWriter;
import dev.sluice.contract.log.RequestKind;
import dev.sluice.contract.log.UnreadableEventException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Requests of a topic's records, which are Sluice's facts or the JSON values of another program, in
 * memory until all have been read and can be sorted. Not safe for threads.
 */
abstract class TopicRequests {
  private final List<Entry> entries = new ArrayList<>();

  /** Kinds of requests; equal ones are one object. */
  private final Map<RequestKind, RequestKind> kinds = new HashMap<>();

  private final boolean once;

  /**
   * A request.
   *
   * @param order its place among requests of one time
   */
  private record Entry(long atNs, long order, RequestKind kind) {}

  /**
   * @param once true if requests of equal time and order are one request, sent again
   */
  private TopicRequests(boolean once) {
    this.once = once;
  }

  /** Takes a record; what is no request is noted as missing, if it should be one. */
  abstract void take(ConsumerRecord<byte[], byte[]> record) throws UserMistakeException;

  /**
   * The time that a recording counts from, in the time of the requests.
   *
   * @param cut true if earlier requests were left out on purpose
   * @param fromEpochMs time at which reading began; null: it began with a record
   */
  abstract long zeroNs(boolean cut, @Nullable Long fromEpochMs);

  void add(long atNs, long order, RequestKind kind) {
    RequestKind known = kinds.putIfAbsent(kind, kind);
    entries.add(new Entry(atNs, order, known == null ? kind : known));
  }

  int size() {
    return entries.size();
  }

  /** The earliest time; there must be a request. */
  long firstNs() {
    return entries.stream().mapToLong(Entry::atNs).min().orElseThrow();
  }

  /** The latest time; there must be a request. */
  long lastNs() {
    return entries.stream().mapToLong(Entry::atNs).max().orElseThrow();
  }

  /** Sorts the requests by time and order, and leaves out those that were sent again. */
  void sort() {
    entries.sort(Comparator.comparingLong(Entry::atNs).thenComparingLong(Entry::order));
    if (once) {
      var last = new Entry[1];
      entries.removeIf(
          entry -> {
            Entry before = last[0];
            last[0] = entry;
            return before != null && before.atNs == entry.atNs && before.order == entry.order;
          });
    }
  }

  /** Writes the sorted requests, with times that count from the given one. */
  void write(RecordingWriter<RecordedRequest> to, long zeroNs) throws IOException {
    for (Entry entry : entries) {
      to.write(new RecordedRequest(entry.atNs - zeroNs, entry.kind));
    }
  }

  /** Requests of Sluice's facts, whose times count from their run's time zero. */
  static final class OfFacts extends TopicRequests {
    /** Beginnings of facts that are not decoded, for nothing is made of them here. */
    private static final List<byte[]> LEFT_OUT =
        List.of(
            ascii("{\"type\":\"BatchCompleted\""),
            ascii("{\"type\":\"Ticked\""),
            ascii("{\"type\":\"ExecutorReported\""));

    private final Recorder.Gaps missing;
    private @Nullable Long timeZeroEpochMs;

    OfFacts(Recorder.Gaps missing) {
      super(/* once= */ true);
      this.missing = missing;
    }

    private static byte[] ascii(String text) {
      return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static boolean startsWith(byte[] bytes, byte[] start) {
      return bytes.length >= start.length
          && Arrays.equals(bytes, 0, start.length, start, 0, start.length);
    }

    @Override
    void take(ConsumerRecord<byte[], byte[]> record) throws UserMistakeException {
      byte[] value = record.value();
      if (value == null) {
        missing.unreadable(record);
        return;
      }
      if (LEFT_OUT.stream().anyMatch(start -> startsWith(value, start))) {
        return;
      }
      try {
        take(EventCodec.FACTS.read(value));
      } catch (UnreadableEventException e) {
        missing.unreadable(record);
      }
    }

    private void take(Fact fact) throws UserMistakeException {
      if (fact instanceof JobRequested job) {
        add(
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
    long zeroNs(boolean cut, @Nullable Long fromEpochMs) {
      if (!cut) {
        return 0;
      }
      Long zero = timeZeroEpochMs;
      long firstNs = firstNs();
      return zero == null || fromEpochMs == null
          ? firstNs
          : Math.min(firstNs, Math.max(0, fromEpochMs - zero) * 1_000_000);
    }
  }

  /** Requests of another program's JSON values. */
  static final class OfFields extends TopicRequests {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int OFFSET_BITS = 44;

    private final Fields fields;
    private final Recorder.Gaps missing;

    OfFields(Fields fields, Recorder.Gaps missing) {
      super(/* once= */ false);
      this.fields = fields;
      this.missing = missing;
    }

    @Override
    void take(ConsumerRecord<byte[], byte[]> record) {
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
      add(
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
    long zeroNs(boolean cut, @Nullable Long fromEpochMs) {
      long firstNs = firstNs();
      return fromEpochMs == null ? firstNs : Math.min(firstNs, fromEpochMs * 1_000_000);
    }
  }
}
