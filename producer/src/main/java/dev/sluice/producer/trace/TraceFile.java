package dev.sluice.producer.trace;

import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.producer.arrivals.RandomStream;
import dev.sluice.producer.trace.TraceFormat.RowReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reads a trace of any known format, whole or in part, compressed by gzip or not. */
public final class TraceFile {
  private TraceFile() {}

  /**
   * Reads a trace.
   *
   * @throws UserMistakeException with the first mistake, its file and its line
   */
  public static Trace read(Path file, TraceOptions options) throws UserMistakeException {
    try (TraceRows rows = TraceRows.open(file, "trace")) {
      TraceFormat format = TraceFormats.of(rows.header(), rows.columns());
      return read(rows, format, options);
    } catch (TraceJobs.TooManyException e) {
      throw new UserMistakeException(
          file.toString(),
          "more than (%d) requests would be kept".formatted(TraceJobs.KEPT_MAX),
          "from and to should cut the trace, or duration_seconds should be shorter");
    } catch (IOException e) {
      throw new UserMistakeException(
          file.toString(),
          "the trace cannot be closed (%s)".formatted(UserMistakeException.reason(e)),
          "its disk or its share is gone",
          e);
    }
  }

  private static Trace read(TraceRows rows, TraceFormat format, TraceOptions options)
      throws UserMistakeException {
    var kinds = new TraceKinds(rows, options.columns(), format instanceof OwnTrace);
    RowReader reader = format.open(rows, options.seed());
    var jobs = new TraceJobs(options.window(), format.isDated(), format.isRising());
    while (rows.next()) {
      int kind = kinds.read(jobs);
      if (kind != TraceKinds.LEFT_OUT) {
        reader.read(kind, jobs);
        if (jobs.wentBack()) {
          throw rows.mistake(
              "the time of this row is before that of the row above it",
              "the file should be sorted by time_s");
        }
      }
    }
    if (format instanceof OwnTrace && jobs.size() == 0 && jobs.read() > 0) {
      OwnTrace.refuseDates(rows, jobs.firstNs());
    }
    List<String> notes = new ArrayList<>();
    if (jobs.finish()) {
      notes.add("its rows were sorted by time");
    }
    if (options.spread()) {
      long parted = jobs.partTies(RandomStream.of(options.seed(), "trace-ties"));
      notes.add(String.format(Locale.ROOT, "%,d requests of equal times were parted", parted));
    }
    return new Trace(
        format.title(), kinds.all(), jobs.kinds(), jobs.atNs(), jobs.leftOut(), jobs.read(), notes);
  }
}
