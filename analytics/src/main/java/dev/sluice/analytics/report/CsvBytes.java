package dev.sluice.analytics.report;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A CSV file of which each number goes straight into bytes. Texts are quoted as the library of CSV
 * files quotes them, which sees each text once. Not safe for threads.
 */
final class CsvBytes implements Closeable {
  private static final int BUFFER = 1 << 16;

  /** Room for a number with its comma, or for the end of a line. */
  private static final int CELL_MAX = 32;

  private static final int MILLION = 1_000_000;
  private static final int BILLION = 1_000_000_000;

  /** Digits of 0 to 999, three for each: one division gives three digits of a number. */
  private static final byte[] THREE_DIGITS = new byte[3 * 1000];

  static {
    for (int i = 0; i < 1000; i++) {
      THREE_DIGITS[3 * i] = (byte) ('0' + i / 100);
      THREE_DIGITS[3 * i + 1] = (byte) ('0' + i / 10 % 10);
      THREE_DIGITS[3 * i + 2] = (byte) ('0' + i % 10);
    }
  }

  /** Characters beside letters and digits that are never quoted. */
  private static final String PLAIN = "_-.;=";

  private final OutputStream out;
  private final byte[] buffer = new byte[BUFFER];
  private final Map<String, byte[]> quoted = new HashMap<>();
  private int size;
  private boolean inLine;

  private CsvBytes(OutputStream out) {
    this.out = out;
  }

  /** Writes a file, beginning with the names of its columns. */
  static CsvBytes to(Path file, List<String> columns) throws IOException {
    var csv = new CsvBytes(Files.newOutputStream(file));
    for (String column : columns) {
      csv.text(column);
    }
    csv.endLine();
    return csv;
  }

  /** The bytes of a cell with this text. */
  static byte[] quoted(String text) {
    var line = new StringWriter();
    try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(line)) {
      csv.writeRecord("x", text);
    } catch (IOException e) {
      throw new IllegalStateException("a text in memory cannot be written", e);
    }
    String cells = line.toString();
    return cells.substring(2, cells.length() - 1).getBytes(UTF_8); // without "x," and the line feed
  }

  /** Adds a cell; null is empty. Each different text is kept: there must be few of them. */
  CsvBytes text(@Nullable String text) throws IOException {
    return text == null ? empty() : bytes(known(text));
  }

  private byte[] known(String text) {
    byte[] cell = quoted.get(text);
    if (cell == null) {
      cell = quoted(text);
      quoted.put(text, cell);
    }
    return cell;
  }

  /** Adds a cell that is one of very many texts. */
  CsvBytes rareText(String text) throws IOException {
    return bytes(isPlain(text) ? text.getBytes(US_ASCII) : quoted(text));
  }

  /** True if the text has only characters that are never quoted. */
  static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean letter = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z');
      if (!letter && ('0' > c || c > '9') && PLAIN.indexOf(c) < 0) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  /** Adds a cell, or several with the commas between them. */
  CsvBytes bytes(byte[] cell) throws IOException {
    begin(cell.length);
    raw(cell);
    return this;
  }

  CsvBytes empty() throws IOException {
    begin(0);
    return this;
  }

  CsvBytes number(long number) throws IOException {
    begin(CELL_MAX);
    digits(number);
    return this;
  }

  /** Adds a number behind what begins its cell. */
  CsvBytes named(byte[] name, long number) throws IOException {
    begin(name.length + CELL_MAX);
    raw(name);
    digits(number);
    return this;
  }

  /** Adds to the present cell. */
  CsvBytes more(char between, byte[] name, long number) throws IOException {
    room(name.length + CELL_MAX);
    buffer[size++] = (byte) between;
    raw(name);
    digits(number);
    return this;
  }

  /** Adds seconds with six decimals, half up. */
  CsvBytes seconds(long ns) throws IOException {
    return millionths(Math.floorDiv(ns + 500, 1000L));
  }

  /** Adds milliseconds with six decimals: exact. */
  CsvBytes ms(long ns) throws IOException {
    return millionths(ns);
  }

  private CsvBytes millionths(long millionths) throws IOException {
    begin(CELL_MAX);
    if (millionths < 0) {
      buffer[size++] = '-';
    }
    long absolute = Math.abs(millionths);
    long whole = absolute / MILLION;
    digits(whole);
    buffer[size++] = '.';
    int fraction = (int) (absolute - whole * MILLION);
    int thousands = fraction / 1000;
    threeDigits(thousands);
    threeDigits(fraction - thousands * 1000);
    return this;
  }

  /** Adds thousandths as a number with as many decimals as it needs. */
  CsvBytes thousandths(long thousandths) throws IOException {
    begin(CELL_MAX);
    long whole = thousandths / 1000;
    digits(whole);
    int fraction = (int) (thousandths - whole * 1000);
    if (fraction != 0) {
      buffer[size++] = '.';
      for (int unit = 100; fraction != 0; unit /= 10) {
        buffer[size++] = (byte) ('0' + fraction / unit);
        fraction %= unit;
      }
    }
    return this;
  }

  void endLine() throws IOException {
    room(1);
    buffer[size++] = '\n';
    inLine = false;
  }

  private void begin(int bytes) throws IOException {
    room(bytes + 1);
    if (inLine) {
      buffer[size++] = ',';
    }
    inLine = true;
  }

  private void room(int bytes) throws IOException {
    if (size + bytes > BUFFER) {
      out.write(buffer, 0, size);
      size = 0;
    }
  }

  private void raw(byte[] bytes) throws IOException {
    if (size + bytes.length > BUFFER) {
      out.write(buffer, 0, size);
      out.write(bytes);
      size = 0;
      return;
    }
    System.arraycopy(bytes, 0, buffer, size, bytes.length);
    size += bytes.length;
  }

  private void digits(long number) {
    if (0 <= number && number < BILLION) {
      digits((int) number);
    } else {
      byte[] text = Long.toString(number).getBytes(US_ASCII);
      System.arraycopy(text, 0, buffer, size, text.length);
      size += text.length;
    }
  }

  /** Adds a number of at most nine digits. */
  private void digits(int number) {
    if (number < 1000) {
      firstDigits(number);
      return;
    }
    int thousands = number / 1000;
    if (thousands < 1000) {
      firstDigits(thousands);
    } else {
      int millions = thousands / 1000;
      firstDigits(millions);
      threeDigits(thousands - millions * 1000);
    }
    threeDigits(number - thousands * 1000);
  }

  /** Adds a number below 1,000 without zeros in front. */
  private void firstDigits(int number) {
    int from = 3 * number;
    if (number >= 100) {
      buffer[size++] = THREE_DIGITS[from];
    }
    if (number >= 10) {
      buffer[size++] = THREE_DIGITS[from + 1];
    }
    buffer[size++] = THREE_DIGITS[from + 2];
  }

  private void threeDigits(int number) {
    int from = 3 * number;
    buffer[size] = THREE_DIGITS[from];
    buffer[size + 1] = THREE_DIGITS[from + 1];
    buffer[size + 2] = THREE_DIGITS[from + 2];
    size += 3;
  }

  @Override
  public void close() throws IOException {
    try (out) {
      out.write(buffer, 0, size);
      size = 0;
    }
  }

  /** Cells side by side, with commas between them. */
  static byte[] joined(List<String> texts) {
    return texts.stream()
        .map(text -> new String(quoted(text), UTF_8))
        .collect(Collectors.joining(","))
        .getBytes(UTF_8);
  }
}
