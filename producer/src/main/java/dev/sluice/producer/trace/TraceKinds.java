package dev.sluice.producer.trace;

import dev.sluice.contract.experiment.Replay;
import dev.sluice.contract.file.TraceRows;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RequestKind;
import dev.sluice.producer.trace.Trace.TraceOptions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The kinds of a trace's requests: an object for each. */
final class TraceKinds {
  private static final int SAMPLES_MAX = 4096;
  private static final int SAMPLES = 4;
  private static final int SLO = 5;

  private final TraceRows rows;

  /** Columns by attribute; null: the trace does not say it. */
  private final @Nullable Source[] sources = new @Nullable Source[Replay.ATTRIBUTES.size()];

  private final Map<RequestKind, RequestKind> kinds = new HashMap<>();

  /**
   * A column that says an attribute.
   *
   * @param stripeOver names that the values are dealt to; null: they are names themselves
   * @param nameOfValue names that values were dealt to
   */
  private record Source(
      int column, String name, @Nullable List<String> stripeOver, Map<String, String> nameOfValue) {
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
  TraceKinds(TraceRows rows, TraceOptions options, boolean own) throws UserMistakeException {
    this.rows = rows;
    for (int i = 0; i < sources.length; i++) {
      String attribute = Replay.ATTRIBUTES.get(i);
      Replay.Column column = options.columns().get(attribute);
      if (column != null && !rows.has(column.from())) {
        throw rows.lacks(column.from());
      }
      if (column == null && own && (rows.has(attribute) || rows.isSparse())) {
        column = new Replay.Column(attribute, false);
      }
      if (column != null) {
        String name = column.from();
        List<String> stripeOver = column.stripe() ? options.names().apply(attribute) : null;
        sources[i] = new Source(rows.column(name), name, stripeOver, new HashMap<>());
      }
    }
  }

  /** Returns the present row's kind; null if it is left out, which is counted then. */
  @Nullable RequestKind read(Trace trace) throws UserMistakeException {
    int samples = 0;
    Source source = sources[SAMPLES];
    if (source != null && !rows.isEmpty(source.column())) {
      long written = rows.whole(source.column(), source.name());
      if (written < 1 || written > SAMPLES_MAX) {
        trace.leaveOut("with %s outside 1 to %d".formatted(source.name(), SAMPLES_MAX), 1);
        return null;
      }
      samples = (int) written;
    }
    long sloNs = 0;
    source = sources[SLO];
    if (source != null && !rows.isEmpty(source.column())) {
      sloNs = rows.msAsNs(source.column(), source.name());
      if (sloNs <= 0) {
        throw rows.mistake(
            "%s (%s) must be above 0".formatted(source.name(), rows.text(source.column())),
            "the field should be left empty, for the promise of the job's class");
      }
    }
    var kind = new RequestKind(name(0), name(1), name(2), name(3), samples, sloNs);
    return kinds.computeIfAbsent(kind, first -> first);
  }

  private @Nullable String name(int attribute) throws UserMistakeException {
    Source source = sources[attribute];
    return source == null || rows.isEmpty(source.column())
        ? null
        : source.nameOf(rows.text(source.column()));
  }
}
