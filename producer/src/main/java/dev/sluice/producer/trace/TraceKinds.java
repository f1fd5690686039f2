package dev.sluice.producer.trace;

import dev.sluice.contract.experiment.Replay;
import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RequestKind;
import dev.sluice.producer.trace.Trace.TraceOptions;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The kinds of a trace's requests, numbered as they first occur. */
final class TraceKinds {
  /** Number of a row that is left out. */
  static final int LEFT_OUT = -1;

  private static final int SAMPLES_MAX = 4096;
  private static final int SAMPLES = 4;
  private static final int SLO = 5;

  private final TraceRows rows;

  /** Columns by attribute; null: the trace does not say it. */
  private final @Nullable Source[] sources = new @Nullable Source[Replay.ATTRIBUTES.size()];

  private final boolean none;
  private final Map<RequestKind, Integer> numberOfKind = new LinkedHashMap<>();

  /** A column that says an attribute, and the names that its values stand for. */
  private static final class Source {
    final int column;
    final String name;
    final @Nullable List<String> stripeOver;
    final Map<String, String> nameOfValue = new HashMap<>();

    Source(int column, String name, @Nullable List<String> stripeOver) {
      this.column = column;
      this.name = name;
      this.stripeOver = stripeOver;
    }

    String nameOf(String value) {
      return stripeOver == null
          ? value
          : nameOfValue.computeIfAbsent(
              value, unused -> stripeOver.get(nameOfValue.size() % stripeOver.size()));
    }
  }

  /**
   * @param own true if columns with the attributes' names say them
   */
  TraceKinds(TraceRows rows, Map<String, TraceOptions.Column> chosen, boolean own)
      throws UserMistakeException {
    this.rows = rows;
    boolean any = false;
    for (int i = 0; i < sources.length; i++) {
      String attribute = Replay.ATTRIBUTES.get(i);
      TraceOptions.Column column = chosen.get(attribute);
      if (column != null) {
        if (!rows.has(column.from())) {
          throw rows.lacks(column.from());
        }
        sources[i] = new Source(rows.column(column.from()), column.from(), column.stripeOver());
      } else if (own && (rows.has(attribute) || rows.isSparse())) {
        sources[i] = new Source(rows.column(attribute), attribute, null);
      }
      any |= sources[i] != null;
    }
    none = !any;
    if (none) {
      numberOfKind.put(RequestKind.UNKNOWN, 0);
    }
  }

  /** Returns the number of the present row's kind, or {@link #LEFT_OUT}, which is counted then. */
  int read(TraceJobs jobs) throws UserMistakeException {
    if (none) {
      return 0;
    }
    int samples = 0;
    Source source = sources[SAMPLES];
    if (source != null && !rows.isEmpty(source.column)) {
      long written = rows.whole(source.column, source.name);
      if (written < 1 || written > SAMPLES_MAX) {
        jobs.leaveOut("with %s outside 1 to %d".formatted(source.name, SAMPLES_MAX), 1);
        return LEFT_OUT;
      }
      samples = (int) written;
    }
    long sloNs = 0;
    source = sources[SLO];
    if (source != null && !rows.isEmpty(source.column)) {
      sloNs = rows.msAsNs(source.column, source.name);
      if (sloNs <= 0) {
        throw rows.mistake(
            "%s (%s) must be above 0".formatted(source.name, rows.text(source.column)),
            "the field should be left empty, for the promise of the job's class");
      }
    }
    var kind = new RequestKind(name(0), name(1), name(2), name(3), samples, sloNs);
    return numberOfKind.computeIfAbsent(kind, unused -> numberOfKind.size());
  }

  private @Nullable String name(int attribute) throws UserMistakeException {
    Source source = sources[attribute];
    return source == null || rows.isEmpty(source.column)
        ? null
        : source.nameOf(rows.text(source.column));
  }

  List<RequestKind> all() {
    return List.copyOf(numberOfKind.keySet());
  }
}
