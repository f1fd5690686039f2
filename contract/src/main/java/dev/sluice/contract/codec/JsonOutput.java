package dev.sluice.contract.codec;

import dev.sluice.contract.value.DispatchId;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * JSON that is written by hand, until something unusual comes, such as a letter that JSON escapes.
 * Bytes are those that Jackson writes. For one record, or for one chunk of many.
 */
public final class JsonOutput {
  private static final byte[] NULL = ascii("null");
  private static final byte[] POINT_ZERO = ascii(".0");
  private static final byte[] NOTHING = {};
  private static final int LONG_DIGITS_MAX = 20;

  /** Whole numbers below it are written as such with {@code .0}, as {@link Double} has them. */
  private static final double PLAIN_BELOW = 1e7;

  private static final byte[] TENS = digits(10);
  private static final byte[] ONES = digits(1);

  private byte[] bytes;
  private int length;
  private boolean unusual;

  /**
   * @param bytesExpected bytes of the record, as far as they are known; more may come
   */
  public JsonOutput(int bytesExpected) {
    bytes = new byte[bytesExpected];
  }

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] digits(int unit) {
    byte[] digits = new byte[100];
    for (int i = 0; i < digits.length; i++) {
      digits[i] = (byte) ('0' + i / unit % 10);
    }
    return digits;
  }

  /** Returns the number of bytes that were written. */
  public int length() {
    return length;
  }

  /** Returns bytes that were written, from one place to another. */
  public byte[] bytes(int from, int to) {
    return Arrays.copyOfRange(bytes, from, to);
  }

  /** Returns what was written; null: something was unusual. */
  byte @Nullable [] bytes() {
    return unusual ? null : Arrays.copyOf(bytes, length);
  }

  /** Writes bytes that are JSON already, or a part of it. */
  public void raw(byte[] json) {
    room(json.length);
    System.arraycopy(json, 0, bytes, length, json.length);
    length += json.length;
  }

  public void one(char ascii) {
    room(1);
    bytes[length++] = (byte) ascii;
  }

  /**
   * Writes a text that comes again seldom, such as a job's id.
   *
   * @param before what stands before the text
   */
  void text(byte[] before, String text) {
    raw(before);
    int letters = text.length();
    room(letters + 2);
    byte[] to = bytes;
    int at = length;
    boolean plain = true;
    to[at++] = '"';
    for (int i = 0; i < letters; i++) {
      char c = text.charAt(i);
      plain &= Names.isPlain(c);
      to[at++] = (byte) c;
    }
    to[at++] = '"';
    length = at;
    unusual |= !plain;
  }

  /** Writes a text that comes again and again. */
  void name(byte[] before, @Nullable String name) {
    raw(before);
    if (name == null) {
      raw(NULL);
      return;
    }
    byte[] known = Names.bytes(name);
    if (known == null) {
      unusual = true;
      return;
    }
    one('"');
    raw(known);
    one('"');
  }

  void dispatch(byte[] before, @Nullable DispatchId id) {
    raw(before);
    if (id == null) {
      raw(NULL);
      return;
    }
    one('"');
    number(NOTHING, id.factOffset());
    one('-');
    number(NOTHING, id.index());
    one('"');
  }

  /** Writes a comma, unless what follows is the first of its list. */
  void comma(int index) {
    if (index > 0) {
      one(',');
    }
  }

  void number(byte[] before, @Nullable Number number) {
    if (number == null) {
      raw(before);
      raw(NULL);
    } else {
      number(before, number.longValue());
    }
  }

  /**
   * Writes a number.
   *
   * @param before what stands before the number
   */
  public void number(byte[] before, long number) {
    raw(before);
    if (number < 0) {
      raw(ascii(Long.toString(number)));
      return;
    }
    int end = length + digits(number);
    room(LONG_DIGITS_MAX);
    byte[] to = bytes;
    int at = end;
    long left = number;
    while (left > Integer.MAX_VALUE) {
      long rest = left / 100;
      int pair = (int) (left - 100 * rest);
      to[--at] = ONES[pair];
      to[--at] = TENS[pair];
      left = rest;
    }
    int small = (int) left;
    while (small >= 100) {
      int rest = small / 100;
      int pair = small - 100 * rest;
      to[--at] = ONES[pair];
      to[--at] = TENS[pair];
      small = rest;
    }
    to[--at] = ONES[small];
    if (small >= 10) {
      to[--at] = TENS[small];
    }
    length = end;
  }

  private static int digits(long number) {
    int digits = 1;
    for (long over = 10; digits < LONG_DIGITS_MAX - 1 && number >= over; over *= 10) {
      digits++;
    }
    return digits;
  }

  /** Writes a finite number with a fraction as {@link Double#toString(double)} has it. */
  void fraction(byte[] before, @Nullable Double fraction) {
    if (fraction == null) {
      unusual = true;
      return;
    }
    double number = fraction;
    if (number >= 0 && number < PLAIN_BELOW && number == (int) number && 1 / number > 0) {
      number(before, (int) number);
      raw(POINT_ZERO);
      return;
    }
    unusual |= !Double.isFinite(number);
    raw(before);
    raw(ascii(Double.toString(number)));
  }

  private void room(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
    }
  }
}
