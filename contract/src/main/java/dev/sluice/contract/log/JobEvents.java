package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobEnded.Status;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.value.DispatchId;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the two events that there are for every job, in the one form in which Jackson
 * writes them. What differs from it in any way, such as an escaped letter, another order of fields
 * or a fault, is left to Jackson, which took a third of a busy loop's processor time for these two.
 */
final class JobEvents {
  private static final byte[] REQUESTED = ascii("{\"type\":\"JobRequested\",\"jobId\":");
  private static final byte[] GENERATOR = ascii(",\"generator\":");
  private static final byte[] INDEX = ascii(",\"index\":");
  private static final byte[] CLASS_TYPE = ascii(",\"classType\":");
  private static final byte[] WORKLOAD = ascii(",\"workload\":");
  private static final byte[] BACKEND = ascii(",\"backend\":");
  private static final byte[] PRECISION = ascii(",\"precision\":");
  private static final byte[] SAMPLES = ascii(",\"samples\":");
  private static final byte[] SLO = ascii(",\"sloNs\":");
  private static final byte[] INTENDED_AT = ascii(",\"intendedAtNs\":");
  private static final byte[] SENT_AT = ascii(",\"sentAtNs\":");
  private static final byte[] DONE = ascii("{\"type\":\"JobEnded\",\"jobId\":");
  private static final byte[] BY_DISPATCH =
      ascii(",\"status\":\"DONE\",\"reason\":null,\"dispatchId\":\"");
  private static final byte[] DASH = ascii("-");
  private static final byte[] ATTEMPT = ascii("\",\"attempt\":");
  private static final byte[] ENDED_AT = ascii(",\"endedAtNs\":");
  private static final byte[] VERSION_1 = ascii(",\"version\":1}");

  /** Most digits of a number that surely is a long. */
  private static final int LONG_DIGITS = 18;

  /** Most bytes of an event's keys and numbers. */
  private static final int NAMES_BYTES_MAX = 400;

  /** Bytes that are read, or room for those that are written. */
  private final byte[] bytes;

  private int at;
  private boolean differs;

  private JobEvents(byte[] bytes) {
    this.bytes = bytes;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }

  /** The request in the bytes; null: Jackson must read them. */
  static @Nullable JobRequested requested(byte[] bytes) {
    var json = new JobEvents(bytes);
    String jobId = json.text(REQUESTED);
    int generator = json.small(GENERATOR);
    long index = json.number(INDEX);
    String classType = json.text(CLASS_TYPE);
    String workload = json.text(WORKLOAD);
    String backend = json.text(BACKEND);
    String precision = json.text(PRECISION);
    int samples = json.small(SAMPLES);
    long sloNs = json.number(SLO);
    long intendedAtNs = json.number(INTENDED_AT);
    long sentAtNs = json.number(SENT_AT);
    return !json.ends() || samples < 1 || sloNs < 1
        ? null
        : new JobRequested(
            jobId,
            generator,
            index,
            classType,
            workload,
            backend,
            precision,
            samples,
            sloNs,
            intendedAtNs,
            sentAtNs);
  }

  /** The end of a done job in the bytes; null: Jackson must read them. */
  static @Nullable JobEnded done(byte[] bytes) {
    var json = new JobEvents(bytes);
    String jobId = json.text(DONE);
    long offset = json.number(BY_DISPATCH);
    int index = json.small(DASH);
    int attempt = json.small(ATTEMPT);
    long endedAtNs = json.number(ENDED_AT);
    return json.ends()
        ? JobEnded.done(jobId, new DispatchId(offset, index), attempt, endedAtNs)
        : null;
  }

  /** The bytes of a request; null: Jackson must write them, or it is another event. */
  static byte @Nullable [] written(Fact fact) {
    if (!(fact instanceof JobRequested job)) {
      return null;
    }
    int texts =
        job.jobId().length()
            + job.classType().length()
            + job.workload().length()
            + job.backend().length()
            + job.precision().length();
    var json = new JobEvents(new byte[NAMES_BYTES_MAX + texts]);
    json.put(REQUESTED, job.jobId());
    json.put(GENERATOR, job.generator());
    json.put(INDEX, job.index());
    json.put(CLASS_TYPE, job.classType());
    json.put(WORKLOAD, job.workload());
    json.put(BACKEND, job.backend());
    json.put(PRECISION, job.precision());
    json.put(SAMPLES, job.samples());
    json.put(SLO, job.sloNs());
    json.put(INTENDED_AT, job.intendedAtNs());
    json.put(SENT_AT, job.sentAtNs());
    return json.written();
  }

  /** The bytes of a done job's end; null: Jackson must write them, or it is another event. */
  static byte @Nullable [] written(Outcome outcome) {
    if (!(outcome instanceof JobEnded end)
        || end.status() != Status.DONE
        || end.reason() != null
        || end.dispatchId() == null) {
      return null;
    }
    var json = new JobEvents(new byte[NAMES_BYTES_MAX + end.jobId().length()]);
    json.put(DONE, end.jobId());
    json.put(BY_DISPATCH, end.dispatchId().factOffset());
    json.put(DASH, end.dispatchId().index());
    json.put(ATTEMPT, end.attempt());
    json.put(ENDED_AT, end.endedAtNs());
    return json.written();
  }

  private byte @Nullable [] written() {
    put(VERSION_1);
    return differs ? null : Arrays.copyOf(bytes, at);
  }

  private void put(byte[] key) {
    System.arraycopy(key, 0, bytes, at, key.length);
    at += key.length;
  }

  private void put(byte[] key, String text) {
    put(key);
    bytes[at++] = '"';
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      differs |= c < ' ' || c > '~' || c == '"' || c == '\\';
      bytes[at++] = (byte) c;
    }
    bytes[at++] = '"';
  }

  private void put(byte[] key, long number) {
    put(key);
    differs |= number < 0;
    int digits = 1;
    for (long left = number; left > 9; left /= 10) {
      digits++;
    }
    long left = number;
    for (int i = at + digits - 1; i >= at; i--) {
      bytes[i] = (byte) ('0' + left % 10);
      left /= 10;
    }
    at += digits;
  }

  private void expect(byte[] key) {
    int end = at + key.length;
    for (int i = 0; i < key.length && !differs; i++) {
      differs = at + i >= bytes.length || bytes[at + i] != key[i];
    }
    at = end;
  }

  /** A text behind a key, of printable ASCII without quotes and backslashes. */
  private String text(byte[] key) {
    expect(key);
    differs |= at >= bytes.length || bytes[at] != '"';
    int from = at + 1;
    int to = from;
    while (!differs && to < bytes.length && bytes[to] != '"') {
      differs = bytes[to] < ' ' || bytes[to] == '\\';
      to++;
    }
    differs |= to >= bytes.length;
    at = to + 1;
    return differs ? "" : new String(bytes, from, to - from, US_ASCII);
  }

  /** True if the bytes end here, as those of version 1, and nothing before differed. */
  private boolean ends() {
    expect(VERSION_1);
    return !differs && at == bytes.length;
  }

  private int small(byte[] key) {
    long number = number(key);
    differs |= number > Integer.MAX_VALUE;
    return (int) number;
  }

  /** A whole number behind a key, at least 0. */
  private long number(byte[] key) {
    expect(key);
    int from = at;
    long number = 0;
    while (!differs && at < bytes.length && bytes[at] >= '0' && bytes[at] <= '9') {
      number = 10 * number + bytes[at++] - '0';
      differs = at - from > LONG_DIGITS;
    }
    differs |= at == from || (at - from > 1 && bytes[from] == '0');
    return number;
  }
}
