package dev.sluice.analytics.report;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.CsvWriter.CsvWriterRecord;
import de.siegmar.fastcsv.writer.LineDelimiter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A CSV file of numbers in the forms of a run's tables. Not safe for threads. */
final class TableWriter {
  private static final long MILLION = 1_000_000;
  private static final int BUFFER = 1 << 16;

  private final CsvWriter csv;
  private final StringBuilder number = new StringBuilder();

  /** Line that has been begun; null: none has. */
  private @Nullable CsvWriterRecord line;

  private TableWriter(CsvWriter csv) {
    this.csv = csv;
  }

  /**
   * Writes a file, beginning with the names of its columns.
   *
   * @param lines writes all lines
   */
  static void write(Path file, List<String> columns, Consumer<TableWriter> lines)
      throws IOException {
    try (CsvWriter csv =
        CsvWriter.builder().bufferSize(BUFFER).lineDelimiter(LineDelimiter.LF).build(file)) {
      csv.writeRecord(columns);
      lines.accept(new TableWriter(csv));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Adds a cell; null is empty. */
  TableWriter text(@Nullable String text) {
    CsvWriterRecord begun = line == null ? csv.writeRecord() : line;
    line = begun.writeField(text);
    return this;
  }

  TableWriter texts(List<String> texts) {
    texts.forEach(this::text);
    return this;
  }

  TableWriter empty() {
    return text(null);
  }

  TableWriter number(long whole) {
    return text(Long.toString(whole));
  }

  /** Adds a number; empty if it is below 0. */
  TableWriter count(long whole) {
    return whole < 0 ? empty() : number(whole);
  }

  /** Adds seconds with six decimals, half up; empty if there are none. */
  TableWriter seconds(long ns, long none) {
    return ns == none ? empty() : seconds(ns);
  }

  /** Adds seconds with six decimals, half up. */
  TableWriter seconds(long ns) {
    return millionths(Math.floorDiv(ns + 500, 1000L));
  }

  /** Adds milliseconds with six decimals: exact; empty if there are none. */
  TableWriter ms(long ns, long none) {
    return ns == none ? empty() : ms(ns);
  }

  /** Adds milliseconds with six decimals: exact. */
  TableWriter ms(long ns) {
    return millionths(ns);
  }

  private TableWriter millionths(long millionths) {
    long absolute = Math.abs(millionths);
    number.setLength(0);
    number.append(millionths < 0 ? "-" : "").append(absolute / MILLION).append('.');
    int point = number.length();
    number.append(MILLION + absolute % MILLION).deleteCharAt(point); // keeps zeros in front
    return text(number.toString());
  }

  void endLine() {
    if (line == null) {
      throw new IllegalStateException("a line without a cell");
    }
    line.endRecord();
    line = null;
  }
}
