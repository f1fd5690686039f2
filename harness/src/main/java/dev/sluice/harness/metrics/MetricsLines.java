package dev.sluice.harness.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.analytics.live.MetricsCsv;
import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.BatchesEnded;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.event.WindowRecord;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import org.jspecify.annotations.Nullable;

/** Records of a topic {@code metrics} as lines: each as it stands, or as rows of metrics.csv. */
final class MetricsLines implements Closeable {
  private final OutputStream json;
  private final @Nullable MetricsCsv csv;

  /**
   * Writes the names of the columns at once, if there are any.
   *
   * @param asCsv true if seconds are written as rows, and all else is left out
   */
  MetricsLines(OutputStream out, boolean asCsv) throws IOException {
    json = new BufferedOutputStream(out);
    csv = asCsv ? MetricsCsv.to(new OutputStreamWriter(json, UTF_8)) : null;
    flush();
  }

  /**
   * Writes a record, unless it is of batches that ended. A record of a later version is written as
   * far as it is known, as JSON whole.
   *
   * @return true if it was the run's last one
   * @throws java.io.UncheckedIOException if a row cannot be written
   */
  boolean write(byte @Nullable [] value) throws IOException {
    if (value == null) {
      return false;
    }
    WindowRecord record = read(value);
    if (csv == null && record instanceof BatchesEnded) {
      return false; // many, and of use to a page alone
    } else if (csv == null) {
      json.write(value);
      json.write('\n');
    } else if (record instanceof MetricsWindow window) {
      csv.write(window);
    }
    return record instanceof RunSummarized;
  }

  /** True if the bytes are a run's last record. */
  static boolean isLast(byte @Nullable [] value) {
    return value != null && read(value) instanceof RunSummarized;
  }

  /** The record; null if it is of a type that this build does not know. */
  private static @Nullable WindowRecord read(byte[] value) {
    try {
      return EventCodec.METRICS.read(value);
    } catch (UnreadableEventException e) {
      return null;
    }
  }

  /** Hands over all that was written, for whom reads it to have it now. */
  void flush() throws IOException {
    if (csv != null) {
      csv.flush();
    }
    json.flush();
  }

  @Override
  public void close() throws IOException {
    if (csv != null) {
      csv.close();
    }
    json.close();
  }
}
