package dev.sluice.executor.latency;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.sluice.contract.file.CsvRows;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.UserMistakeException.Problem;
import dev.sluice.contract.value.ModelKey;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Profiles as CSV files: a row for each single measurement, appended as it is made, so that
 * measured rows are kept however the profile ends. Lines beginning with # say where the profile
 * comes from.
 */
public final class ProfileFile {
  private static final int NS_DECIMALS_OF_MS = 6;
  private static final int NS_DECIMALS_OF_S = 9;

  /** The columns in their order, with a row's fields; {@code at_s} to the microsecond. */
  private static final Map<String, Function<ProfileRow, String>> FIELDS = new LinkedHashMap<>();

  static {
    FIELDS.put("device_kind", ProfileRow::deviceKind);
    FIELDS.put("workload", row -> row.key().workload());
    FIELDS.put("backend", row -> row.key().backend());
    FIELDS.put("precision", row -> row.key().precision());
    FIELDS.put("threads", row -> Integer.toString(row.key().threads()));
    FIELDS.put("samples", row -> Integer.toString(row.key().samples()));
    FIELDS.put("busy_lanes", row -> Integer.toString(row.key().busyLanes()));
    FIELDS.put("pass", row -> Integer.toString(row.pass()));
    FIELDS.put("repeat", row -> Integer.toString(row.repeat()));
    FIELDS.put("at_s", row -> fixed(row.atNs() / 1000));
    FIELDS.put("service_ms", row -> fixed(row.serviceNs()));
    FIELDS.put(
        "foreign_load",
        row ->
            row.foreignLoad() == null ? "" : String.format(Locale.ROOT, "%.3f", row.foreignLoad()));
    FIELDS.put("flops_per_sample", row -> known(row.flopsPerSample()));
    FIELDS.put("parameters", row -> known(row.parameters()));
  }

  static final List<String> COLUMNS = List.copyOf(FIELDS.keySet());

  private static final int PROBLEMS_MAX = 5;

  /** Longest service time: about eleven days. */
  private static final Range SERVICE_MS = Range.within(1e-6, 1e9);

  private static final Range AT_SECONDS = Range.within(0, 1e9);
  private static final Range SHARE = Range.within(0, 1);

  private ProfileFile() {}

  /**
   * A profile that was read.
   *
   * @param comments comment lines without their #, in their order
   */
  public record Contents(List<String> comments, List<ProfileRow> rows) {
    /** Returns the value of a comment line {@code key: value}; null if there is none. */
    public @Nullable String said(String key) {
      String start = key + ":";
      return comments.stream()
          .filter(comment -> comment.startsWith(start))
          .map(comment -> comment.substring(start.length()).strip())
          .findFirst()
          .orElse(null);
    }
  }

  /** Reads and checks a whole profile; a mistake names the line to blame. */
  public static Contents read(Path file) throws UserMistakeException {
    if (Files.notExists(file)) {
      throw new UserMistakeException(file.toString(), "the profile does not exist", MEASURE);
    }
    CsvRows rows = CsvRows.read(file, "profile");
    if (rows.isEmpty()) {
      throw new UserMistakeException(file.toString(), "the profile is empty", MEASURE);
    }
    return new Contents(rows.comments(), new Parser(file, rows).rows(rows.rows()));
  }

  private static final String MEASURE =
      "./sluice profile configs/profile.yaml measures one, into results/profiles.csv";

  public static void create(Path file, List<String> comments) throws IOException {
    try (CsvWriter out = writer(file, StandardOpenOption.CREATE_NEW)) {
      comments.forEach(comment -> out.writeComment(" " + comment));
      out.writeRecord(COLUMNS);
    }
  }

  private static CsvWriter writer(Path file, StandardOpenOption how) throws IOException {
    return CsvWriter.builder()
        .lineDelimiter(LineDelimiter.LF)
        .build(file, StandardCharsets.UTF_8, StandardOpenOption.WRITE, how);
  }

  /** Removes a last line that a kill left without its end; returns whether it did. */
  public static boolean mend(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    int end = bytes.length;
    while (end > 0 && bytes[end - 1] != '\n') {
      end--;
    }
    if (end == bytes.length) {
      return false;
    }
    try (var channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
      channel.truncate(end);
    }
    return true;
  }

  /** If not, its profile was stopped before the first row. */
  public static boolean hasRows(Path file) throws IOException {
    try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
      return lines
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .anyMatch(line -> !line.equals(String.join(",", COLUMNS)));
    }
  }

  public static void comment(Path file, String words) throws IOException {
    try (CsvWriter out = writer(file, StandardOpenOption.APPEND)) {
      out.writeComment(" " + words);
    }
  }

  /** Appends rows; each is on its way to the disk when this returns. */
  public static void append(Path file, List<ProfileRow> rows) throws IOException {
    try (CsvWriter out = writer(file, StandardOpenOption.APPEND)) {
      rows.forEach(
          row -> out.writeRecord(FIELDS.values().stream().map(field -> field.apply(row)).toList()));
    }
  }

  /** A number of which the last six digits are decimals. */
  private static String fixed(long millionths) {
    return BigDecimal.valueOf(millionths, NS_DECIMALS_OF_MS).toPlainString();
  }

  /** A count of which 0 says that it is unknown: an empty field, in files. */
  private static String known(long count) {
    return count == 0 ? "" : Long.toString(count);
  }

  /** Turns CSV records into rows; goes on after a mistake, to find all of them. */
  private static final class Parser {
    private final Path file;
    private final List<Problem> problems = new ArrayList<>();

    Parser(Path file, CsvRows csv) throws UserMistakeException {
      this.file = file;
      List<String> columns = csv.columns();
      CsvRows.Row header = csv.header();
      List<String> absent = COLUMNS.stream().filter(name -> !columns.contains(name)).toList();
      for (String column : columns) {
        if (!COLUMNS.contains(column)) {
          note(
              header,
              "column (" + column + ") is unknown",
              NearestName.advice(column, absent.isEmpty() ? COLUMNS : absent, "columns"));
        }
      }
      if (csv.repeatsColumn()) {
        note(header, "a column occurs twice (" + columns + ")", "remove one");
      }
      boolean misspelt = !problems.isEmpty();
      for (String column : absent) {
        if (!misspelt) {
          note(
              header,
              "column (" + column + ") is missing",
              "the file was made by something else. Columns: " + String.join(", ", COLUMNS));
        }
      }
      UserMistakeException.throwIfAny(problems);
    }

    List<ProfileRow> rows(List<CsvRows.Row> records) throws UserMistakeException {
      if (records.isEmpty()) {
        throw new UserMistakeException(file.toString(), "the profile holds no row", MEASURE);
      }
      List<ProfileRow> rows = new ArrayList<>();
      Map<ProfileRow.Slot, Integer> lines = new HashMap<>();
      for (CsvRows.Row record : records) {
        try {
          ProfileRow row = row(record);
          Integer before = lines.putIfAbsent(row.slot(), record.place().line());
          if (before != null) {
            note(
                record,
                "a second row for %s, pass (%d), repeat (%d): line %d has the first"
                    .formatted(row.key(), row.pass(), row.repeat(), before),
                "a row was copied twice; remove one of the two");
          }
          rows.add(row);
        } catch (UserMistakeException e) {
          problems.addAll(e.problems());
        }
        if (problems.size() == PROBLEMS_MAX) {
          break;
        }
      }
      UserMistakeException.throwIfAny(problems);
      return rows;
    }

    private static ProfileRow row(CsvRows.Row record) throws UserMistakeException {
      record.checkWidth("a comma is missing or too many, or the file was cut off here");
      var key =
          new LatencyKey(
              new ModelKey(
                  record.name("workload"), record.name("backend"), record.name("precision")),
              record.count("threads", BROKEN),
              record.count("samples", BROKEN),
              record.count("busy_lanes", BROKEN));
      return new ProfileRow(
          record.name("device_kind"),
          key,
          record.count("pass", BROKEN),
          record.count("repeat", BROKEN),
          record.fixed("at_s", NS_DECIMALS_OF_S, AT_SECONDS, BROKEN),
          record.fixed("service_ms", NS_DECIMALS_OF_MS, SERVICE_MS, BROKEN),
          share(record, "foreign_load"),
          known(record, "flops_per_sample"),
          known(record, "parameters"));
    }

    /** Earlier versions wrote 0 for an unknown count. */
    private static long known(CsvRows.Row record, String column) throws UserMistakeException {
      return record.text(column).isEmpty()
          ? 0
          : record.whole(column, "the field is meant to be empty, for unknown");
    }

    private static final String BROKEN =
        "the line was edited or is broken; without it the rest will do";

    private static @Nullable Double share(CsvRows.Row record, String column)
        throws UserMistakeException {
      return record.text(column).isEmpty()
          ? null
          : Double.valueOf(
              record.number(column, SHARE, "it was given in percent; an empty field is unknown"));
    }

    private void note(CsvRows.Row record, String what, String maybe) {
      problems.add(new Problem(record.place().toString(), what, maybe));
    }
  }
}
