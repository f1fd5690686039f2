package dev.sluice.executor.lane;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.sluice.contract.file.CsvRows;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.latency.LatencyKey;
import dev.sluice.executor.latency.ProfileRow;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Service times by model, samples and lanes busy at the same time, from a CSV file.
 *
 * <p>Columns: {@code workload, backend, precision, samples, mean_ms} and, if known, {@code
 * busy_lanes} (at least 1, the lane itself included) and {@code spread} (standard deviation of the
 * natural logarithm of the service time; 0 without the column), {@code load_ms} (time to load the
 * model onto a lane) and {@code memory_mb} (device memory that the model takes with a batch of
 * these samples, in 10^6 bytes). Lines beginning with # say where the numbers come from; {@code #
 * device_kind: NAME} names the device. A table with all lines of {@link #PROVENANCE} is a published
 * one: someone else measured it, at these samples counts alone.
 *
 * <p>Between two samples counts, and between two counts of busy lanes, values are interpolated
 * linearly. Beyond the table's samples counts a time is proportional to the samples, and the spread
 * is that of the nearest count. Beyond the table's counts of busy lanes the nearest count holds.
 *
 * @param source comment lines without their #, except the device kind's
 * @param entries rows by model, busy lanes and samples
 */
public record LatencyTable(
    Path file,
    List<String> source,
    String deviceKind,
    boolean hasContention,
    Map<ModelKey, NavigableMap<Integer, NavigableMap<Integer, Entry>>> entries) {
  private static final List<String> REQUIRED =
      List.of("workload", "backend", "precision", "samples", "mean_ms");
  private static final List<String> OPTIONAL =
      List.of("busy_lanes", "spread", "load_ms", "memory_mb");

  private static final Range MEAN_MS = Range.within(1e-3, 1e9);

  private static final Range SPREAD = Range.within(0, 2);
  private static final Range LOAD_MS = Range.within(0, 1e9);
  private static final Range MEMORY_MB = Range.within(1e-3, 1e9);
  private static final String DEVICE_KIND = "device_kind:";

  /** Beginning of a comment line that each run with the table shows. */
  public static final String WARNING = "Warning:";

  /** Beginnings of the comment lines that tell where a published table has its numbers from. */
  public static final List<String> PROVENANCE =
      List.of("Source:", "Licence:", "Method:", "Time:", "Date:");

  /** Beginning of a comment line that says what a published table holds and its source does not. */
  public static final String ASSUMED = "Assumed:";

  /** The values of a row; null: the table does not say. */
  record Entry(double meanMs, double spread, @Nullable Double loadMs, @Nullable Double memoryMb) {}

  public LatencyTable {
    source = List.copyOf(source);
  }

  /** Reads and checks a whole table; a mistake names the line to blame. */
  public static LatencyTable read(Path file) throws UserMistakeException {
    CsvRows rows = CsvRows.read(file, "latency table");
    if (rows.isEmpty()) {
      throw new UserMistakeException(
          file.toString(), "a latency table needs a line of column names", columnsAdvice());
    }
    return new Parser(file, rows).parse(rows);
  }

  private static String columnsAdvice() {
    return "add them. Columns: "
        + String.join(", ", REQUIRED)
        + "; optional: "
        + String.join(", ", OPTIONAL);
  }

  /** Turns CSV rows into a table. Without a busy_lanes column all rows are for one busy lane. */
  private static final class Parser {
    private final Path file;
    private final List<String> columns;
    private final Map<ModelKey, NavigableMap<Integer, NavigableMap<Integer, Entry>>> entries =
        new HashMap<>();
    private final Map<ModelKey, Entry> firstByModel = new HashMap<>();

    Parser(Path file, CsvRows rows) throws UserMistakeException {
      this.file = file;
      this.columns = rows.columns();
      for (String column : columns) {
        if (!REQUIRED.contains(column) && !OPTIONAL.contains(column)) {
          throw rows.header().mistake("column (" + column + ") is unknown", columnsAdvice());
        }
      }
      if (rows.repeatsColumn()) {
        throw rows.header().mistake("a column occurs twice (" + columns + ")", "remove one");
      }
      for (String column : REQUIRED) {
        if (!columns.contains(column)) {
          throw rows.header().mistake("column (" + column + ") is missing", columnsAdvice());
        }
      }
    }

    LatencyTable parse(CsvRows rows) throws UserMistakeException {
      if (rows.rows().isEmpty()) {
        throw new UserMistakeException(
            file.toString(), "the latency table holds no row", "it was cut off");
      }
      for (CsvRows.Row row : rows.rows()) {
        add(row);
      }
      List<String> source = rows.comments();
      String deviceKind =
          source.stream()
              .filter(line -> line.startsWith(DEVICE_KIND))
              .map(line -> line.substring(DEVICE_KIND.length()).strip())
              .filter(kind -> !kind.isEmpty())
              .findFirst()
              .orElse("emulated");
      List<String> origin = source.stream().filter(line -> !line.startsWith(DEVICE_KIND)).toList();
      return new LatencyTable(file, origin, deviceKind, columns.contains("busy_lanes"), entries);
    }

    private void add(CsvRows.Row row) throws UserMistakeException {
      row.checkWidth("a comma is missing or too many");
      var key = new ModelKey(row.name("workload"), row.name("backend"), row.name("precision"));
      int samples = row.count("samples", "you meant 1");
      int busyLanes = columns.contains("busy_lanes") ? row.count("busy_lanes", "you meant 1") : 1;
      double meanMs = row.number("mean_ms", MEAN_MS, "you gave it in seconds, or with a unit");
      double spread =
          columns.contains("spread")
              ? row.number("spread", SPREAD, "you gave it in percent or in ms")
              : 0;
      var entry =
          new Entry(
              meanMs,
              spread,
              numberOrNull(row, "load_ms", LOAD_MS),
              numberOrNull(row, "memory_mb", MEMORY_MB));
      checkLoad(row, key, entry);
      var bySamples =
          entries
              .computeIfAbsent(key, k -> new TreeMap<>())
              .computeIfAbsent(busyLanes, k -> new TreeMap<>());
      if (bySamples.put(samples, entry) != null) {
        throw row.mistake(
            "a second row for "
                + key
                + " with samples ("
                + samples
                + ") and busy_lanes ("
                + busyLanes
                + ")",
            "remove one");
      }
    }

    private @Nullable Double numberOrNull(CsvRows.Row row, String column, Range range)
        throws UserMistakeException {
      return columns.contains(column) && !row.text(column).isEmpty()
          ? row.number(column, range, "you gave it with a unit; an unknown one is left empty")
          : null;
    }

    /** Checks that rows of a model agree on the time to load it, and on whether memory is known. */
    private void checkLoad(CsvRows.Row row, ModelKey key, Entry entry) throws UserMistakeException {
      Entry first = firstByModel.computeIfAbsent(key, k -> entry);
      if (!Objects.equals(first.loadMs(), entry.loadMs())) {
        throw row.mistake(
            "load_ms (%s) of %s is (%s) in a row above"
                .formatted(row.text("load_ms"), key, text(first.loadMs())),
            "one time is meant for all rows of a model, or none");
      }
      if ((first.memoryMb() == null) != (entry.memoryMb() == null)) {
        throw row.mistake(
            "memory_mb (%s) of %s is (%s) in a row above"
                .formatted(row.text("memory_mb"), key, text(first.memoryMb())),
            "all rows of a model should have it, or none");
      }
    }

    private static String text(@Nullable Double number) {
      return number == null ? "" : Numbers.text(number);
    }
  }

  /**
   * Writes the measurements of a profile as a table: for each key the mean of its times, and the
   * standard deviation of their logarithms, which is 0 where there is only one time.
   *
   * @param rows at least one, all with equal threads
   */
  public static void write(Path file, String deviceKind, List<String> source, List<ProfileRow> rows)
      throws IOException {
    Map<LatencyKey, List<Double>> msByKey = new TreeMap<>();
    rows.forEach(
        row ->
            msByKey
                .computeIfAbsent(row.key(), key -> new ArrayList<>())
                .add(row.serviceNs() / 1e6));
    try (CsvWriter out =
        CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(file, StandardCharsets.UTF_8)) {
      out.writeComment(" " + DEVICE_KIND + " " + deviceKind);
      source.forEach(line -> out.writeComment(" " + line));
      out.writeRecord(
          "workload", "backend", "precision", "samples", "busy_lanes", "mean_ms", "spread");
      msByKey.forEach(
          (key, ms) ->
              out.writeRecord(
                  key.workload(),
                  key.backend(),
                  key.precision(),
                  Integer.toString(key.samples()),
                  Integer.toString(key.busyLanes()),
                  thousandths(Math.max(1e-3, mean(ms))),
                  thousandths(Math.min(2, spread(ms)))));
    }
  }

  private static String thousandths(double number) {
    return String.format(Locale.ROOT, "%.3f", number);
  }

  private static double mean(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).sum() / values.size();
  }

  private static double spread(List<Double> ms) {
    List<Double> logarithms = ms.stream().map(Math::log).toList();
    double mean = mean(logarithms);
    double squares = logarithms.stream().mapToDouble(ln -> (ln - mean) * (ln - mean)).sum();
    return ms.size() == 1 ? 0 : Math.sqrt(squares / (ms.size() - 1));
  }

  /**
   * Returns whether the comment lines tell the whole {@link #PROVENANCE}: the times are
   * measurements of others, and only those that stand in the table are known.
   */
  public boolean isPublished() {
    return PROVENANCE.stream().allMatch(key -> source.stream().anyMatch(l -> l.startsWith(key)));
  }

  public boolean holds(ModelKey model) {
    return entries.containsKey(model);
  }

  public List<ModelKey> models() {
    return entries.keySet().stream().sorted(Comparator.comparing(ModelKey::toString)).toList();
  }

  public NavigableSet<Integer> samples(ModelKey model) {
    return byBusyLanes(model).firstEntry().getValue().navigableKeySet();
  }

  /** Null: the table does not say. */
  public @Nullable Double loadMs(ModelKey model) {
    return byBusyLanes(model).firstEntry().getValue().firstEntry().getValue().loadMs();
  }

  /**
   * Returns the device memory that the model takes if its batches have at most a number of samples,
   * in 10^6 bytes: the most of the rows up to the first that has as many. Null if the table does
   * not say.
   */
  public @Nullable Double memoryMb(ModelKey model, int samplesMax) {
    var bySamples = byBusyLanes(model).firstEntry().getValue();
    Integer last = bySamples.ceilingKey(samplesMax);
    return bySamples.headMap(last == null ? bySamples.lastKey() : last, true).values().stream()
        .map(Entry::memoryMb)
        .filter(Objects::nonNull)
        .max(Comparator.naturalOrder())
        .orElse(null);
  }

  /** Returns whether the table has a time of the model alone, from which other times follow. */
  public boolean holdsAlone(ModelKey model) {
    return holds(model) && byBusyLanes(model).containsKey(1);
  }

  /** Returns the mean service time of a batch beside others, its own lane included. */
  public double meanMs(ModelKey model, int samples, int busyLanes) {
    var byBusyLanes = byBusyLanes(model);
    var below = byBusyLanes.floorEntry(busyLanes);
    var above = byBusyLanes.ceilingEntry(busyLanes);
    if (below == null || above == null) {
      var nearest = below == null ? byBusyLanes.firstEntry() : byBusyLanes.lastEntry();
      return meanMs(nearest.getValue(), samples);
    }
    double low = meanMs(below.getValue(), samples);
    double high = meanMs(above.getValue(), samples);
    return between(below.getKey(), low, above.getKey(), high, busyLanes);
  }

  private static double meanMs(NavigableMap<Integer, Entry> bySamples, int samples) {
    if (samples < bySamples.firstKey() || samples > bySamples.lastKey()) {
      var nearest = samples < bySamples.firstKey() ? bySamples.firstEntry() : bySamples.lastEntry();
      return nearest.getValue().meanMs() * samples / nearest.getKey();
    }
    return interpolated(bySamples, samples, Entry::meanMs);
  }

  /**
   * Returns the standard deviation of the natural logarithm of the service time, for the smallest
   * number of busy lanes in the table: a batch's noise must not depend on its neighbours, hence not
   * on the policy.
   *
   * @throws IllegalArgumentException if the table does not hold the model
   */
  public double spread(ModelKey model, int samples) {
    var bySamples = byBusyLanes(model).firstEntry().getValue();
    int nearest = Math.max(bySamples.firstKey(), Math.min(bySamples.lastKey(), samples));
    return interpolated(bySamples, nearest, Entry::spread);
  }

  private NavigableMap<Integer, NavigableMap<Integer, Entry>> byBusyLanes(ModelKey model) {
    var byBusyLanes = entries.get(model);
    if (byBusyLanes == null) {
      throw new IllegalArgumentException(file + " holds no row for " + model);
    }
    return byBusyLanes;
  }

  private static double interpolated(
      NavigableMap<Integer, Entry> bySamples, int samples, ToDoubleFunction<Entry> value) {
    var below = bySamples.headMap(samples, true).lastEntry();
    var above = bySamples.tailMap(samples, true).firstEntry();
    return between(
        below.getKey(),
        value.applyAsDouble(below.getValue()),
        above.getKey(),
        value.applyAsDouble(above.getValue()),
        samples);
  }

  private static double between(int x0, double y0, int x1, double y1, int x) {
    return x0 == x1 ? y0 : y0 + (y1 - y0) * (x - x0) / (x1 - x0);
  }
}
