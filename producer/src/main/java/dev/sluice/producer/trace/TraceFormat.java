package dev.sluice.producer.trace;

import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import java.util.Collection;
import java.util.List;

/** One form in which traces are published. */
interface TraceFormat {
  /** Returns the name for a person, for example {@code Mooncake}. */
  String title();

  /** Returns the columns by which the format is known, among them all that are read. */
  List<String> columns();

  /** Returns the columns with which the format is published. */
  default List<String> published() {
    return columns();
  }

  /** Returns the columns as a message shows them. */
  default String shown() {
    return String.join(",", published());
  }

  /** Tells whether a file with these columns has this format; asked in the registry's order. */
  default boolean matches(Collection<String> header) {
    return header.containsAll(columns());
  }

  /**
   * Tells whether times count from an origin outside the file, so that the earliest row becomes
   * time zero. If not, they count from the trace's own time zero.
   */
  boolean isDated();

  /** Tells whether a row must not be before the row above it. If not, the rows are sorted. */
  default boolean isRising() {
    return false;
  }

  /**
   * Begins reading.
   *
   * @param rows rows of the file, before the first
   * @param seed the run's seed, for formats that leave times to chance
   */
  RowReader open(TraceRows rows, long seed) throws UserMistakeException;

  /** Reads the present row. */
  @FunctionalInterface
  interface RowReader {
    /** Adds the row's jobs, each with a kind, or leaves them out. */
    void read(int kind, TraceJobs jobs) throws UserMistakeException;
  }
}
