package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A place in a line of a recording. Lines are read as they are written, key by key in one order:
 * that is several times as fast as reading them as any JSON. Not safe for threads.
 */
final class LineCursor {
  private static final JsonFactory JSON = new JsonFactory();
  private static final int NAMES = 1 << 10;

  /** Texts that were read before, by hash of their bytes, so that equal ones are one object. */
  private final @Nullable String[] names = new String[NAMES];

  private final byte[] @Nullable [] bytesOfNames = new byte[NAMES][];
  private byte[] buffer = new byte[0];
  private int at;
  private int to;

  void begin(byte[] buffer, int from, int to) {
    this.buffer = buffer;
    this.at = from;
    this.to = to;
  }

  /** Goes past the bytes if they stand here. */
  boolean skips(byte[] literal) {
    int end = at + literal.length;
    if (end > to || !Arrays.equals(buffer, at, end, literal, 0, literal.length)) {
      return false;
    }
    at = end;
    return true;
  }

  /** Goes past the bytes if they stand at the line's end, which then ends before them. */
  boolean dropsEnd(byte[] literal) {
    int begin = to - literal.length;
    if (begin < at || !Arrays.equals(buffer, begin, to, literal, 0, literal.length)) {
      return false;
    }
    to = begin;
    return true;
  }

  boolean isAtEnd() {
    return at == to;
  }

  /** The bytes up to the line's end. */
  byte[] rest() {
    return Arrays.copyOfRange(buffer, at, to);
  }

  /** A whole number as Java writes it; {@link Long#MIN_VALUE} if none stands here. */
  long number() {
    int from = at;
    boolean negative = at < to && buffer[at] == '-';
    at += negative ? 1 : 0;
    int digits = at;
    long value = 0;
    while (at < to && buffer[at] >= '0' && buffer[at] <= '9') {
      value = 10 * value + (buffer[at] - '0');
      at++;
    }
    int length = at - digits;
    boolean padded = length > 1 && buffer[digits] == '0';
    if (length == 0 || length > 18 || padded) {
      at = from;
      return Long.MIN_VALUE;
    }
    return negative ? -value : value;
  }

  /** A string in its quotes; null if none stands here. */
  @Nullable String text() {
    if (at >= to || buffer[at] != '"') {
      return null;
    }
    int hash = 1;
    boolean escaped = false;
    int end = at + 1;
    while (end < to && buffer[end] != '"') {
      if (buffer[end] == '\\') {
        escaped = true;
        end++;
      }
      hash = 31 * hash + (end < to ? buffer[end] : 0);
      end++;
    }
    if (end >= to) {
      return null;
    }
    int from = at;
    if (escaped) {
      String text = unescaped(from, end + 1);
      at = text == null ? from : end + 1;
      return text;
    }
    at = end + 1;
    int slot = (hash ^ (hash >>> 15)) & (NAMES - 1);
    byte[] known = bytesOfNames[slot];
    if (known == null || !Arrays.equals(known, 0, known.length, buffer, from + 1, end)) {
      bytesOfNames[slot] = Arrays.copyOfRange(buffer, from + 1, end);
      names[slot] = new String(buffer, from + 1, end - from - 1, UTF_8);
    }
    return names[slot];
  }

  /** Half of a letter, which no file in UTF-8 can hold. */
  private static boolean isHalf(int letter) {
    return letter >= Character.MIN_SURROGATE && letter <= Character.MAX_SURROGATE;
  }

  private @Nullable String unescaped(int from, int end) {
    try (JsonParser parser = JSON.createParser(buffer, from, end - from)) {
      String text = parser.nextToken() == JsonToken.VALUE_STRING ? parser.getText() : null;
      return text == null || text.codePoints().anyMatch(LineCursor::isHalf) ? null : text;
    } catch (IOException e) {
      return null;
    }
  }
}
