package dev.sluice.contract.codec;

import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobEnded.Status;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.value.DispatchId;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * JSON of the two records that there are for every job, written and read by hand: by the general
 * way they are most of what a job costs. Bytes are those of the general way. What is unusual, such
 * as a text with a letter that JSON escapes, another order of fields or a fault, is left to it.
 */
final class HotJson {
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
  private static final byte[] REQUESTED_END = ascii(",\"version\":1}");

  private static final byte[] ENDED = ascii("{\"type\":\"JobEnded\",\"jobId\":");
  private static final byte[] STATUS = ascii(",\"status\":");
  private static final byte[] REASON = ascii(",\"reason\":");
  private static final byte[] DISPATCH = ascii(",\"dispatchId\":");
  private static final byte[] ATTEMPT = ascii(",\"attempt\":");
  private static final byte[] ENDED_AT = ascii(",\"endedAtNs\":");
  private static final byte[] ENDED_END = ascii(",\"version\":1}");
  private static final byte[] NULL = ascii("null");

  /** Bytes of a record beside its texts, at the most. */
  private static final int REST_MAX = 400;

  /** Number of digits of which every number fits a long. */
  private static final int DIGITS_MAX = 18;

  private HotJson() {}

  /** Returns the fact as bytes; null: the general way must write it. */
  static byte @Nullable [] write(Fact fact) {
    if (!(fact instanceof JobRequested job)) {
      return null;
    }
    var json =
        new Output(
            job.jobId().length()
                + job.classType().length()
                + job.workload().length()
                + job.backend().length()
                + job.precision().length());
    json.text(REQUESTED, job.jobId());
    json.number(GENERATOR, job.generator());
    json.number(INDEX, job.index());
    json.text(CLASS_TYPE, job.classType());
    json.text(WORKLOAD, job.workload());
    json.text(BACKEND, job.backend());
    json.text(PRECISION, job.precision());
    json.number(SAMPLES, job.samples());
    json.number(SLO, job.sloNs());
    json.number(INTENDED_AT, job.intendedAtNs());
    json.number(SENT_AT, job.sentAtNs());
    json.raw(REQUESTED_END);
    return json.bytes();
  }

  /** Returns the outcome as bytes; null: the general way must write it. */
  static byte @Nullable [] write(Outcome outcome) {
    if (!(outcome instanceof JobEnded end)) {
      return null;
    }
    String reason = end.reason();
    DispatchId dispatch = end.dispatchId();
    var json = new Output(end.jobId().length() + (reason == null ? 0 : reason.length()));
    json.text(ENDED, end.jobId());
    json.text(STATUS, end.status().name());
    json.text(REASON, reason);
    json.text(DISPATCH, dispatch == null ? null : dispatch.toString());
    json.number(ATTEMPT, end.attempt());
    json.number(ENDED_AT, end.endedAtNs());
    json.raw(ENDED_END);
    return json.bytes();
  }

  /** Returns the fact in the bytes; null: the general way must read it. */
  static @Nullable Fact readFact(byte[] bytes) {
    var json = new Input(bytes);
    String jobId = json.text(REQUESTED);
    if (jobId == null) {
      return null;
    }
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
    if (!json.endsWith(REQUESTED_END)
        || classType == null
        || workload == null
        || backend == null
        || precision == null
        || samples < 1
        || sloNs < 1) {
      return null;
    }
    return new JobRequested(
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

  /** Returns the outcome in the bytes; null: the general way must read it. */
  static @Nullable Outcome readOutcome(byte[] bytes) {
    var json = new Input(bytes);
    String jobId = json.text(ENDED);
    if (jobId == null) {
      return null;
    }
    Status status = status(json.text(STATUS));
    String reason = json.textOrNull(REASON);
    DispatchId dispatch = json.dispatchOrNull(DISPATCH);
    int attempt = json.small(ATTEMPT);
    long endedAtNs = json.number(ENDED_AT);
    return status == null || !json.endsWith(ENDED_END)
        ? null
        : new JobEnded(jobId, status, reason, dispatch, attempt, endedAtNs);
  }

  private static @Nullable Status status(@Nullable String name) {
    if (name != null) {
      for (Status status : Status.values()) {
        if (status.name().equals(name)) {
          return status;
        }
      }
    }
    return null;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static boolean isPlain(int c) {
    return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
  }

  /** Bytes that are written, until something unusual comes. */
  private static final class Output {
    private final byte[] bytes;
    private int length;
    private boolean unusual;

    /**
     * @param letters number of letters of all texts of unknown length
     */
    Output(int letters) {
      bytes = new byte[letters + REST_MAX];
    }

    void text(byte[] name, @Nullable String text) {
      raw(name);
      if (text == null) {
        raw(NULL);
        return;
      }
      bytes[length++] = '"';
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        unusual |= !isPlain(c);
        bytes[length++] = (byte) c;
      }
      bytes[length++] = '"';
    }

    void number(byte[] name, long number) {
      raw(name);
      if (number < 0) {
        raw(ascii(Long.toString(number)));
        return;
      }
      int digits = 1;
      for (long left = number; left >= 10; left /= 10) {
        digits++;
      }
      long left = number;
      for (int i = length + digits - 1; i >= length; i--) {
        bytes[i] = (byte) ('0' + left % 10);
        left /= 10;
      }
      length += digits;
    }

    void raw(byte[] ascii) {
      System.arraycopy(ascii, 0, bytes, length, ascii.length);
      length += ascii.length;
    }

    byte @Nullable [] bytes() {
      return unusual ? null : Arrays.copyOf(bytes, length);
    }
  }

  /** Bytes that are read, until something unusual comes; from then on all answers are empty. */
  private static final class Input {
    private final byte[] bytes;
    private int at;
    private boolean unusual;

    Input(byte[] bytes) {
      this.bytes = bytes;
    }

    private boolean takes(byte[] ascii) {
      int end = at + ascii.length;
      if (unusual || end > bytes.length || !Arrays.equals(bytes, at, end, ascii, 0, ascii.length)) {
        unusual = true;
        return false;
      }
      at = end;
      return true;
    }

    boolean endsWith(byte[] ascii) {
      return takes(ascii) && at == bytes.length;
    }

    @Nullable String text(byte[] name) {
      if (!takes(name) || at == bytes.length || bytes[at] != '"') {
        unusual = true;
        return null;
      }
      int from = ++at;
      while (at < bytes.length && isPlain(bytes[at])) {
        at++;
      }
      if (at == bytes.length || bytes[at] != '"') {
        unusual = true;
        return null;
      }
      return new String(bytes, from, at++ - from, StandardCharsets.ISO_8859_1);
    }

    @Nullable String textOrNull(byte[] name) {
      int value = at + name.length;
      if (value < bytes.length && bytes[value] == 'n') {
        boolean unused = takes(name) && takes(NULL);
        return null;
      }
      return text(name);
    }

    @Nullable DispatchId dispatchOrNull(byte[] name) {
      String text = textOrNull(name);
      if (text == null) {
        return null;
      }
      try {
        return DispatchId.parse(text);
      } catch (IllegalArgumentException e) {
        unusual = true; // the general way says what is wrong
        return null;
      }
    }

    /** Returns a number from zero on; -1 if it is none, or has too many digits. */
    long number(byte[] name) {
      if (!takes(name)) {
        return -1;
      }
      int from = at;
      long number = 0;
      while (at < bytes.length && bytes[at] >= '0' && bytes[at] <= '9' && at - from < DIGITS_MAX) {
        number = 10 * number + bytes[at++] - '0';
      }
      if (at == from || (bytes[from] == '0' && at > from + 1)) {
        unusual = true;
        return -1;
      }
      return number;
    }

    int small(byte[] name) {
      long number = number(name);
      unusual |= number > Integer.MAX_VALUE;
      return unusual ? -1 : (int) number;
    }
  }
}
