package dev.sluice.harness.replay;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What a recording lacks of its topics, named for a person. */
final class RecordingGaps {
  private static final int SHOWN_MAX = 5;
  private static final int SHOWN_BYTES = 80;

  private final List<String> gone = new ArrayList<>();
  private final List<String> unreadable = new ArrayList<>();
  private long unreadableCount;

  /** Number of records that lack a field, and the first of them, by the field's name. */
  private final Map<String, Lacking> lacking = new LinkedHashMap<>();

  private static final class Lacking {
    final String first;
    long count;

    Lacking(String first) {
      this.first = first;
    }
  }

  /** Notes that a partition begins after offset 0. */
  void gone(String topic, int partition, long firstOffset) {
    gone.add(
        topic
            + "/"
            + partition
            + ": offsets 0 to "
            + (firstOffset - 1)
            + " are gone by retention, and were not recorded");
  }

  /** Notes a record that is no request and cannot be one. */
  void unreadable(ConsumerRecord<byte[], byte[]> record) {
    if (unreadableCount++ < SHOWN_MAX) {
      unreadable.add(place(record) + " is unreadable: " + begin(record.value()));
    }
  }

  /** Notes a record that lacks a field. */
  void lacks(ConsumerRecord<byte[], byte[]> record, String field) {
    lacking.computeIfAbsent(field, name -> new Lacking(place(record))).count++;
  }

  private static String place(ConsumerRecord<byte[], byte[]> record) {
    return record.topic() + "/" + record.partition() + " at offset " + record.offset();
  }

  /** The first bytes of a value, as text without control characters. */
  private static String begin(byte[] value) {
    if (value == null) {
      return "(no value)";
    }
    int length = Math.min(value.length, SHOWN_BYTES);
    String text = new String(value, 0, length, StandardCharsets.UTF_8);
    return text.replaceAll("\\p{Cntrl}", "?") + (length < value.length ? "…" : "");
  }

  /** All that is missing, a line each. */
  List<String> lines() {
    List<String> lines = new ArrayList<>(gone);
    lines.addAll(unreadable);
    if (unreadableCount > SHOWN_MAX) {
      lines.add("… and " + (unreadableCount - SHOWN_MAX) + " more unreadable records");
    }
    lacking.forEach(
        (field, of) ->
            lines.add(
                of.count
                    + (of.count == 1 ? " record lacks " : " records lack ")
                    + field
                    + ", the first is "
                    + of.first));
    return lines;
  }
}
