package dev.sluice.harness.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.RecordedRequest;
import dev.sluice.contract.log.RecordingWriter;
import dev.sluice.contract.log.RequestKind;
import dev.sluice.contract.log.UnreadableEventException;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Requests of a topic's records, which are Sluice's facts or the JSON values of another program, in
 * memory until all have been read and are sorted. Not safe for threads.
 */
final class TopicRequests {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int OFFSET_BITS = 44;

  /** Frequent facts that are no requests, and need not be decoded. */
  private static final List<Class<? extends Fact>> NO_REQUESTS =
      List.of(BatchCompleted.class, Ticked.class, ExecutorReported.class);

  private final @Nullable Fields fields;
  private final Recorder.Gaps missing;
  private final SortedMap<Place, RequestKind> requests =
      new TreeMap<>(Comparator.comparingLong(Place::atNs).thenComparingLong(Place::order));

  /** Equal kinds are one object. */
  private final Map<RequestKind, RequestKind> kinds = new HashMap<>();

  private @Nullable Long timeZeroEpochMs;

  /**
   * Place of a request: one that was sent again has the place of the first.
   *
   * @param atNs time since the run's time zero, or since 1970 in another program's topic
   * @param order place among requests of one time
   */
  private record Place(long atNs, long order) {}

  TopicRequests(@Nullable Fields fields, Recorder.Gaps missing) {
    this.fields = fields;
    this.missing = missing;
  }

  /** Whether the topic holds Sluice's facts. */
  boolean areFacts() {
    return fields == null;
  }

  int size() {
    return requests.size();
  }

  /** The earliest time; there must be a request. */
  long firstNs() {
    return requests.firstKey().atNs;
  }

  /** The latest time; there must be a request. */
  long lastNs() {
    return requests.lastKey().atNs;
  }

  void write(RecordingWriter<RecordedRequest> to, long zeroNs) throws IOException {
    for (Map.Entry<Place, RequestKind> request : requests.entrySet()) {
      to.write(new RecordedRequest(request.getKey().atNs - zeroNs, request.getValue()));
    }
  }

  /**
   * The time that a recording counts from, in the time of the requests.
   *
   * @param cut true if earlier requests were left out on purpose
   * @param fromEpochMs time at which reading began; null: it began with a record
   */
  long zeroNs(boolean cut, @Nullable Long fromEpochMs) {
    if (fields != null) {
      return fromEpochMs == null ? firstNs() : Math.min(firstNs(), fromEpochMs * 1_000_000);
    }
    if (!cut) {
      return 0;
    }
    return timeZeroEpochMs == null || fromEpochMs == null
        ? firstNs()
        : Math.min(firstNs(), Math.max(0, fromEpochMs - timeZeroEpochMs) * 1_000_000);
  }

  void take(ConsumerRecord<byte[], byte[]> record) throws UserMistakeException {
    try {
      byte[] bytes = record.value() == null ? new byte[0] : record.value();
      if (fields == null) {
        if (NO_REQUESTS.stream().noneMatch(type -> EventCodec.isNamed(type, bytes))) {
          take(EventCodec.FACTS.read(bytes));
        }
        return;
      }
      JsonNode value = JSON.readTree(bytes);
      if (value.isObject()) {
        take(record, value, fields);
      } else {
        missing.unreadable(record);
      }
    } catch (UnreadableEventException | IOException e) {
      missing.unreadable(record);
    }
  }

  private void take(Fact fact) throws UserMistakeException {
    if (fact instanceof JobRequested job) {
      requests.putIfAbsent(new Place(job.intendedAtNs(), job.index()), known(RequestKind.of(job)));
    } else if (fact instanceof RunStarted started) {
      timeZeroEpochMs = started.timeZeroEpochMs();
    } else if (fact instanceof WorkflowRequested) {
      throw new UserMistakeException(
          "--topic",
          "this run executed workflows, whose requests are graphs",
          "you want --whole, which records everything");
    }
  }

  private void take(ConsumerRecord<byte[], byte[]> record, JsonNode value, Fields named) {
    long atNs = record.timestamp() * 1_000_000;
    if (named.has(Fields.TIME)) {
      Long told = named.timeNs(value);
      if (told == null) {
        missing.lacks(record, named.shown(Fields.TIME) + " (and is left out)");
        return;
      }
      atNs = told;
    }
    String classType = text(record, value, named, Fields.CLASS);
    String workload = text(record, value, named, Fields.WORKLOAD);
    String backend = text(record, value, named, Fields.BACKEND);
    String precision = text(record, value, named, Fields.PRECISION);
    int samples = named.samples(value);
    long sloNs = named.sloNs(value);
    if (samples == 0 && named.has(Fields.SAMPLES)) {
      missing.lacks(record, named.shown(Fields.SAMPLES) + " as a whole number of at least 1");
    }
    if (sloNs == 0 && named.has(Fields.SLO_MS)) {
      missing.lacks(record, named.shown(Fields.SLO_MS) + " as a number above 0");
    }
    requests.put(
        new Place(atNs, ((long) record.partition() << OFFSET_BITS) | record.offset()),
        known(new RequestKind(classType, workload, backend, precision, samples, sloNs)));
  }

  private RequestKind known(RequestKind kind) {
    return kinds.computeIfAbsent(kind, same -> same);
  }

  private @Nullable String text(
      ConsumerRecord<byte[], byte[]> record, JsonNode value, Fields named, String meaning) {
    String text = named.text(value, meaning);
    if (text == null && named.has(meaning)) {
      missing.lacks(record, named.shown(meaning));
    }
    return text;
  }
}
