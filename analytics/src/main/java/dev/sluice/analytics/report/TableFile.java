package dev.sluice.analytics.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A table as a CSV file, cell by cell. Numbers are written as digits at once: as texts, which a
 * library then looks through, the cells took more than half of the time of a run's folder.
 */
final class TableFile implements Closeable {
  private static final int ROOM = 1 << 16;
  private static final int NUMBER_BYTES_MAX = 24;
  private static final long MILLION = 1_000_000;

  /** Texts that stand in quotes. */
  private static final Pattern QUOTED = Pattern.compile("[,\"\r\n]");

  private final OutputStream out;
  private byte[] bytes = new byte[ROOM];
  private int size;
  private boolean inLine;

  TableFile(Path file) throws IOException {
    out = Files.newOutputStream(file);
  }

  /** Begins a cell, with room for the comma before it and for the end of a line behind it. */
  private void begin(int room) {
    makeRoom(room + 2);
    if (inLine) {
      bytes[size++] = ',';
    }
    inLine = true;
  }

  private void makeRoom(int room) {
    if (bytes.length - size < room) {
      bytes = Arrays.copyOf(bytes, 2 * bytes.length + room);
    }
  }

  /** Writes a text; null: the cell is empty. */
  void text(@Nullable String text) {
    boolean isFirst = !inLine;
    begin(text == null ? 0 : text.length());
    for (int i = 0; text != null && i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c > '~' || c == ',' || c == '"' || (isFirst && c == '#')) {
        size -= i;
        special(text, isFirst);
        return;
      }
      bytes[size++] = (byte) c;
    }
  }

  /** A text with other letters than ASCII's, or one that stands in quotes. */
  private void special(String text, boolean isFirst) {
    boolean inQuotes = QUOTED.matcher(text).find() || (isFirst && text.startsWith("#"));
    byte[] all = (inQuotes ? '"' + text.replace("\"", "\"\"") + '"' : text).getBytes(UTF_8);
    makeRoom(all.length + 1);
    System.arraycopy(all, 0, bytes, size, all.length);
    size += all.length;
  }

  void number(long number) {
    begin(NUMBER_BYTES_MAX);
    signed(number, 1, 0);
  }

  /** Writes millionths as a number with six decimals. */
  void millionths(long millionths) {
    begin(NUMBER_BYTES_MAX);
    signed(millionths, MILLION, 6);
  }

  private void signed(long number, long divisor, int decimals) {
    if (number < 0) {
      bytes[size++] = '-';
    }
    long whole = -Math.abs(number / divisor);
    int digits = 1;
    for (long left = whole; left < -9; left /= 10) {
      digits++;
    }
    digits(whole, digits);
    if (decimals > 0) {
      bytes[size++] = '.';
      digits(-Math.abs(number % divisor), decimals);
    }
  }

  /** Writes the digits of a number that is not above 0: each long has one that is not. */
  private void digits(long negative, int count) {
    long left = negative;
    for (int i = size + count - 1; i >= size; i--) {
      bytes[i] = (byte) ('0' - left % 10);
      left /= 10;
    }
    size += count;
  }

  void endLine() throws IOException {
    bytes[size++] = '\n';
    inLine = false;
    if (size >= ROOM / 2) {
      out.write(bytes, 0, size);
      size = 0;
    }
  }

  @Override
  public void close() throws IOException {
    try (out) {
      out.write(bytes, 0, size);
      size = 0;
    }
  }
}
