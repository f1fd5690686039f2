package dev.sluice.contract.codec;

import dev.sluice.contract.event.LanesWindow;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * JSON of a {@link LanesWindow}, written by hand: at thousands of batches a second the general way
 * costs analytics a tenth of all that it does. Numbers with a fraction have at most six decimals,
 * so that times keep each nanosecond. For one window.
 */
final class LanesJson {
  private static final int DECIMALS = 6;
  private static final long DECIMAL_UNITS = 1_000_000;

  /** Largest number whose decimals fit a long. */
  private static final double FRACTION_MAX = 9e12;

  private static final int LONG_DIGITS_MAX = 20;

  private static final byte[] TRUE = ascii("true");
  private static final byte[] FALSE = ascii("false");
  private static final byte[] NULL = ascii("null");
  private static final byte[] HEX = ascii("0123456789abcdef");

  private static final byte[] FROM = ascii("{\"type\":\"LanesWindow\",\"fromNs\":");
  private static final byte[] TO = ascii(",\"toNs\":");
  private static final byte[] REQUESTED = ascii(",\"requested\":");
  private static final byte[] WAITING = ascii(",\"waiting\":");
  private static final byte[] RUNNING = ascii(",\"running\":");
  private static final byte[] EXECUTORS = ascii(",\"executors\":[");
  private static final byte[] VERSION = ascii("],\"version\":");
  private static final byte[] ID = ascii("{\"id\":");
  private static final byte[] SHARD = ascii(",\"shard\":");
  private static final byte[] DEVICE_KIND = ascii(",\"deviceKind\":");
  private static final byte[] TOKENS = ascii(",\"tokens\":");
  private static final byte[] LANES = ascii(",\"lanes\":[");
  private static final byte[] INDEX = ascii("{\"index\":");
  private static final byte[] BUSY = ascii(",\"busy\":");
  private static final byte[] MODEL = ascii(",\"model\":");
  private static final byte[] BATCHES = ascii(",\"batches\":[");
  private static final byte[] MORE = ascii("],\"more\":");
  private static final byte[] ATTEMPT = ascii(",\"attempt\":");
  private static final byte[] STARTED_NS = ascii(",\"startedNs\":");
  private static final byte[] STARTED = ascii(",\"started\":");
  private static final byte[] FINISHED_NS = ascii(",\"finishedNs\":");
  private static final byte[] RESULT = ascii(",\"result\":");
  private static final byte[] WORKLOAD = ascii(",\"workload\":");
  private static final byte[] BACKEND = ascii(",\"backend\":");
  private static final byte[] PRECISION = ascii(",\"precision\":");
  private static final byte[] CLASS_TYPE = ascii(",\"classType\":");
  private static final byte[] JOBS = ascii(",\"jobs\":");
  private static final byte[] FIRST_JOB = ascii(",\"firstJob\":");
  private static final byte[] SAMPLES = ascii(",\"samples\":");
  private static final byte[] PREDICTED_MS = ascii(",\"predictedMs\":");
  private static final byte[] P95_MS = ascii(",\"p95Ms\":");
  private static final byte[] SERVICE_MS = ascii(",\"serviceMs\":");
  private static final byte[] SCORE_TERMS = ascii(",\"scoreTerms\":{");

  private byte[] bytes = new byte[1 << 16];
  private int length;

  private LanesJson() {}

  static byte[] write(LanesWindow window) {
    var json = new LanesJson();
    json.window(window);
    return Arrays.copyOf(json.bytes, json.length);
  }

  private void window(LanesWindow window) {
    number(FROM, window.fromNs());
    number(TO, window.toNs());
    number(REQUESTED, window.requested());
    number(WAITING, window.waiting());
    number(RUNNING, window.running());
    raw(EXECUTORS);
    for (int i = 0; i < window.executors().size(); i++) {
      comma(i);
      executor(window.executors().get(i));
    }
    number(VERSION, window.version());
    one('}');
  }

  private void executor(LanesWindow.Executor executor) {
    text(ID, executor.id());
    number(SHARD, executor.shard());
    text(DEVICE_KIND, executor.deviceKind());
    number(TOKENS, executor.tokens());
    raw(LANES);
    for (int i = 0; i < executor.lanes().size(); i++) {
      comma(i);
      lane(executor.lanes().get(i));
    }
    one(']');
    one('}');
  }

  private void lane(LanesWindow.Lane lane) {
    number(INDEX, lane.index());
    fraction(BUSY, lane.busy());
    text(MODEL, lane.model());
    raw(BATCHES);
    for (int i = 0; i < lane.batches().size(); i++) {
      comma(i);
      batch(lane.batches().get(i));
    }
    fraction(MORE, lane.more());
    one('}');
  }

  private void batch(LanesWindow.Batch batch) {
    text(ID, batch.id());
    number(ATTEMPT, batch.attempt());
    number(STARTED_NS, batch.startedNs());
    raw(STARTED);
    raw(batch.started() ? TRUE : FALSE);
    number(FINISHED_NS, batch.finishedNs());
    text(RESULT, batch.result());
    text(WORKLOAD, batch.workload());
    text(BACKEND, batch.backend());
    text(PRECISION, batch.precision());
    text(CLASS_TYPE, batch.classType());
    number(JOBS, batch.jobs());
    text(FIRST_JOB, batch.firstJob());
    number(SAMPLES, batch.samples());
    fraction(PREDICTED_MS, batch.predictedMs());
    fraction(P95_MS, batch.p95Ms());
    fraction(SERVICE_MS, batch.serviceMs());
    raw(SCORE_TERMS);
    int i = 0;
    for (Map.Entry<String, Double> term : batch.scoreTerms().entrySet()) {
      comma(i);
      i++;
      quoted(term.getKey());
      one(':');
      fraction(term.getValue());
    }
    one('}');
    one('}');
  }

  private void comma(int index) {
    if (index > 0) {
      one(',');
    }
  }

  private void number(byte[] name, @Nullable Long value) {
    raw(name);
    if (value == null) {
      raw(NULL);
    } else {
      whole(value);
    }
  }

  private void number(byte[] name, long value) {
    raw(name);
    whole(value);
  }

  private void text(byte[] name, @Nullable String value) {
    raw(name);
    if (value == null) {
      raw(NULL);
    } else {
      quoted(value);
    }
  }

  private void fraction(byte[] name, @Nullable Double value) {
    raw(name);
    fraction(value);
  }

  private void fraction(@Nullable Double value) {
    if (value == null) {
      raw(NULL);
    } else if (Double.isNaN(value) || Double.isInfinite(value)) {
      quoted(value.toString());
    } else if (Math.abs(value) > FRACTION_MAX) {
      raw(ascii(value.toString()));
    } else {
      long units = Math.round(value * DECIMAL_UNITS);
      if (units < 0) {
        one('-');
      }
      units = Math.abs(units);
      whole(units / DECIMAL_UNITS);
      one('.');
      decimals((int) (units % DECIMAL_UNITS));
    }
  }

  /** The decimals without the zeros at their end, one at the least. */
  private void decimals(int units) {
    room(DECIMALS);
    int left = units;
    for (int at = length + DECIMALS - 1; at >= length; at--) {
      bytes[at] = (byte) ('0' + left % 10);
      left /= 10;
    }
    int end = length + DECIMALS;
    while (end > length + 1 && bytes[end - 1] == '0') {
      end--;
    }
    length = end;
  }

  private void whole(long value) {
    if (value < 0) {
      raw(ascii(Long.toString(value)));
      return;
    }
    room(LONG_DIGITS_MAX);
    int end = length + digits(value);
    long left = value;
    int at = end;
    for (; left > Integer.MAX_VALUE; left /= 10) {
      bytes[--at] = (byte) ('0' + left % 10);
    }
    for (int small = (int) left; at > length; small /= 10) {
      bytes[--at] = (byte) ('0' + small % 10);
    }
    length = end;
  }

  private static int digits(long value) {
    int digits = 1;
    for (long over = 10; digits < LONG_DIGITS_MAX - 1 && value >= over; over *= 10) {
      digits++;
    }
    return digits;
  }

  private void quoted(String text) {
    one('"');
    int count = text.length();
    room(count);
    for (int i = 0; i < count; i++) {
      char c = text.charAt(i);
      if (c >= ' ' && c < 0x80 && c != '"' && c != '\\') {
        bytes[length++] = (byte) c;
      } else if (c < 0x80) {
        escaped(c);
        room(count);
      } else {
        int codePoint = text.codePointAt(i);
        i += Character.charCount(codePoint) - 1;
        raw(Character.toString(codePoint).getBytes(StandardCharsets.UTF_8));
        room(count);
      }
    }
    one('"');
  }

  private void escaped(char c) {
    one('\\');
    if (c >= ' ') {
      one(c);
      return;
    }
    raw(ascii("u00"));
    one((char) HEX[c >> 4]);
    one((char) HEX[c & 15]);
  }

  private void raw(byte[] ascii) {
    room(ascii.length);
    System.arraycopy(ascii, 0, bytes, length, ascii.length);
    length += ascii.length;
  }

  private void one(char ascii) {
    room(1);
    bytes[length++] = (byte) ascii;
  }

  private void room(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
