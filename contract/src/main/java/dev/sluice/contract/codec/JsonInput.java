package dev.sluice.contract.codec;

import com.fasterxml.jackson.core.io.NumberInput;
import dev.sluice.contract.value.DispatchId;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * JSON that is read by hand, in the order in which it is written, until something unusual comes;
 * from then on all answers are empty. What stands before a value is read with it. For one record.
 */
final class JsonInput {
  private static final byte[] NULL = JsonOutput.ascii("null");

  /** Number of digits of which every number fits a long. */
  private static final int DIGITS_MAX = 18;

  /** Number of digits of which every number is a double. */
  private static final int EXACT_DIGITS_MAX = 15;

  private static final int EXPONENT_MAX = 400;

  /** Powers of ten, which are doubles. */
  private static final double[] POWERS = powers();

  private final byte[] bytes;
  private int at;
  private boolean unusual;

  JsonInput(byte[] bytes) {
    this.bytes = bytes;
  }

  private static double[] powers() {
    double[] powers = new double[EXACT_DIGITS_MAX + 1];
    powers[0] = 1;
    for (int i = 1; i < powers.length; i++) {
      powers[i] = 10 * powers[i - 1];
    }
    return powers;
  }

  /** Goes past the bytes; returns whether they stand here. */
  boolean takes(byte[] ascii) {
    int end = at + ascii.length;
    if (unusual || end > bytes.length || !Arrays.equals(bytes, at, end, ascii, 0, ascii.length)) {
      unusual = true;
      return false;
    }
    at = end;
    return true;
  }

  /** Goes past the bytes, at which the record must end; returns whether all was usual. */
  boolean endsWith(byte[] ascii) {
    return takes(ascii) && at == bytes.length;
  }

  /** Goes past the letter if it stands here; it need not. */
  boolean skips(char ascii) {
    boolean here = isAt(ascii);
    at += here ? 1 : 0;
    return here;
  }

  /** Tells whether the letter stands here. */
  boolean isAt(char ascii) {
    return !unusual && at < bytes.length && bytes[at] == ascii;
  }

  private boolean takes(char ascii) {
    unusual |= !skips(ascii);
    return !unusual;
  }

  /** Reads a text that comes again seldom, such as a job's id. */
  @Nullable String text(byte[] before) {
    if (!takes(before) || !takes('"')) {
      return null;
    }
    int from = at;
    int to = from;
    while (to < bytes.length && Names.isPlain(bytes[to])) {
      to++;
    }
    at = to;
    return takes('"') ? new String(bytes, from, to - from, StandardCharsets.ISO_8859_1) : null;
  }

  /** Reads a text that comes again and again. */
  @Nullable String name(byte[] before) {
    if (!takes(before) || !takes('"')) {
      return null;
    }
    int from = at;
    int to = from;
    int hash = 0;
    while (to < bytes.length && Names.isPlain(bytes[to])) {
      hash = 31 * hash + bytes[to++];
    }
    at = to;
    return takes('"') ? Names.text(bytes, from, to, hash) : null;
  }

  @Nullable String nameOrNull(byte[] before) {
    return isNull(before) ? null : name(before);
  }

  /** Goes past the bytes and a null behind them, if it stands there. */
  private boolean isNull(byte[] before) {
    int value = at + before.length;
    return value < bytes.length && bytes[value] == 'n' && takes(before) && takes(NULL);
  }

  @Nullable DispatchId dispatch(byte[] before) {
    if (!takes(before) || !takes('"')) {
      return null;
    }
    long factOffset = digits();
    boolean dash = takes('-');
    long index = digits();
    if (!dash || !takes('"') || index > Integer.MAX_VALUE) {
      unusual = true;
      return null;
    }
    return new DispatchId(factOffset, (int) index);
  }

  @Nullable DispatchId dispatchOrNull(byte[] before) {
    return isNull(before) ? null : dispatch(before);
  }

  /** Reads a number from zero on; -1 if it is none, or has too many digits. */
  long number(byte[] before) {
    return takes(before) ? digits() : -1;
  }

  @Nullable Long numberOrNull(byte[] before) {
    return isNull(before) ? null : Long.valueOf(number(before));
  }

  int small(byte[] before) {
    long number = number(before);
    unusual |= number > Integer.MAX_VALUE;
    return unusual ? -1 : (int) number;
  }

  @Nullable Integer smallOrNull(byte[] before) {
    return isNull(before) ? null : Integer.valueOf(small(before));
  }

  /** Reads a whole number of plain digits. */
  private long digits() {
    int from = at;
    int to = from;
    long number = 0;
    while (to < bytes.length && isDigit(bytes[to]) && to - from < DIGITS_MAX) {
      number = 10 * number + bytes[to++] - '0';
    }
    at = to;
    if (unusual || to == from || (bytes[from] == '0' && to > from + 1)) {
      unusual = true;
      return -1;
    }
    return number;
  }

  private static boolean isDigit(byte letter) {
    return letter >= '0' && letter <= '9';
  }

  /** Reads a number with a fraction, as {@link Double#toString(double)} has it; 0: it is none. */
  double fraction(byte[] before) {
    if (!takes(before)) {
      return 0;
    }
    int from = at;
    boolean negative = skips('-');
    long digits = digits();
    int point = at;
    if (!takes('.')) {
      return 0;
    }
    while (at < bytes.length && isDigit(bytes[at])) {
      digits = 10 * digits + bytes[at++] - '0';
    }
    int decimals = at - point - 1;
    if (decimals == 0) {
      unusual = true;
      return 0;
    }
    boolean plain = at == bytes.length || (bytes[at] != 'E' && bytes[at] != 'e');
    if (plain && at - from <= EXACT_DIGITS_MAX) { // two exact numbers, hence one rounding
      double number = digits / POWERS[decimals];
      return negative ? -number : number;
    }
    if (!plain) {
      at++;
      boolean unused = skips('-');
      long exponent = digits();
      unusual |= exponent > EXPONENT_MAX;
    }
    return unusual
        ? 0
        : NumberInput.parseDouble(
            new String(bytes, from, at - from, StandardCharsets.ISO_8859_1),
            /* useFastParser= */ true);
  }
}
