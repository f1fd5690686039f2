package dev.sluice.executor.profile;

import de.siegmar.fastcsv.reader.CommentStrategy;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.UserMistakeException.Problem;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Profiles as CSV files: a row for each single measurement, appended as it comes, so that what was
 * measured stays there however the profile ends. Lines beginning with # say where it comes from.
 */
public final class ProfileFile {
  static final List<String> COLUMNS =
      List.of(
          "device_kind",
          "workload",
          "backend",
          "precision",
          "threads",
          "samples",
          "busy_lanes",
          "pass",
          "repeat",
          "at_s",
          "service_ms",
          "foreign_load",
          "flops_per_sample",
          "parameters");

  private static final int PROBLEMS_MAX = 5;
  private static final int NS_DECIMALS_OF_MS = 6;
  private static final int NS_DECIMALS_OF_S = 9;

  /** About eleven days. */
  private static final BigDecimal MS_MAX = BigDecimal.valueOf(1_000_000_000);

  private ProfileFile() {}

  /**
   * A profile that was read.
   *
   * @param comments its comment lines without their #, in their order
   * @param rows in the order of the file
   */
  public record Contents(List<String> comments, List<ProfileRow> rows) {
    public Contents {
      comments = List.copyOf(comments);
      rows = List.copyOf(rows);
    }

    /** What the comment line {@code key: value} says; null if there is none. */
    public @Nullable String said(String key) {
      String start = key + ":";
      return comments.stream()
          .filter(comment -> comment.startsWith(start))
          .map(comment -> comment.substring(start.length()).strip())
          .findFirst()
          .orElse(null);
    }
  }

  /**
   * Reads and checks a whole profile.
   *
   * @throws UserMistakeException if it is none, with the file and the line to blame
   */
  public static Contents read(Path file) throws UserMistakeException {
    List<CsvRecord> records = new ArrayList<>();
    List<String> comments = new ArrayList<>();
    try (var reader =
        CsvReader.builder()
            .commentStrategy(CommentStrategy.READ)
            .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
            .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
            .ofCsvRecord(text(file))) {
      for (CsvRecord record : reader) {
        if (record.isComment()) {
          comments.add(record.getField(0).strip());
        } else {
          records.add(record);
        }
      }
    } catch (CsvParseException | IOException e) {
      throw new UserMistakeException(
          file.toString(),
          "this is no CSV file (" + e.getMessage() + ")",
          "you meant another file");
    }
    if (records.isEmpty()) {
      throw new UserMistakeException(file.toString(), "the profile is empty", MEASURE);
    }
    return new Contents(
        comments, new Parser(file, records.get(0)).rows(records.subList(1, records.size())));
  }

  private static final String MEASURE =
      "./sluice profile configs/profile.yaml measures one, into results/profiles.csv";

  private static String text(Path file) throws UserMistakeException {
    if (Files.isDirectory(file)) {
      throw new UserMistakeException(
          file.toString(), "this is a folder, not a profile", "you meant a file inside it");
    }
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new UserMistakeException(file.toString(), "the profile does not exist", MEASURE);
    } catch (CharacterCodingException e) {
      throw new UserMistakeException(
          file.toString(), "this is no text file", "you meant another file");
    } catch (IOException e) {
      throw new UserMistakeException(
          file.toString(),
          "the profile can not be read (" + UserMistakeException.reason(e) + ")",
          "the path is meant relative to another folder");
    }
  }

  /** Creates a file with its comments and its column names, and no row. */
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

  /**
   * Takes away the last line if it has no end: the profile that wrote it was killed within it.
   *
   * @return whether there was one
   */
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

  /**
   * Whether anything but comments and column names stands in a file: else its profile was stopped
   * before the first row.
   */
  public static boolean hasRows(Path file) throws IOException {
    try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
      return lines
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .anyMatch(line -> !line.equals(String.join(",", COLUMNS)));
    }
  }

  /** Appends a comment: what befell the profile. */
  public static void comment(Path file, String words) throws IOException {
    try (CsvWriter out = writer(file, StandardOpenOption.APPEND)) {
      out.writeComment(" " + words);
    }
  }

  /** Appends rows; each is on its way to the disk when this returns. */
  public static void append(Path file, List<ProfileRow> rows) throws IOException {
    try (CsvWriter out = writer(file, StandardOpenOption.APPEND)) {
      rows.forEach(row -> out.writeRecord(fields(row)));
    }
  }

  /** In the order of the columns; {@code at_s} to the microsecond. */
  private static List<String> fields(ProfileRow row) {
    LatencyKey key = row.key();
    return List.of(
        row.deviceKind(),
        key.workload(),
        key.backend(),
        key.precision(),
        Integer.toString(key.threads()),
        Integer.toString(key.samples()),
        Integer.toString(key.busyLanes()),
        Integer.toString(row.pass()),
        Integer.toString(row.repeat()),
        BigDecimal.valueOf(row.atNs() / 1000, NS_DECIMALS_OF_MS).toPlainString(),
        BigDecimal.valueOf(row.serviceNs(), NS_DECIMALS_OF_MS).toPlainString(),
        row.foreignLoad() == null ? "" : String.format(Locale.ROOT, "%.3f", row.foreignLoad()),
        Long.toString(row.flopsPerSample()),
        Long.toString(row.parameters()));
  }

  /** Turns records into rows; goes on after a mistake, to find the next. */
  private static final class Parser {
    private final Path file;
    private final List<String> columns;
    private final List<Problem> problems = new ArrayList<>();

    /** A field that can not be read; its problem is noted. */
    private static final class BadFieldException extends Exception {
      private static final long serialVersionUID = 1L;
    }

    Parser(Path file, CsvRecord header) throws UserMistakeException {
      this.file = file;
      this.columns = header.getFields().stream().map(String::strip).toList();
      List<String> absent = COLUMNS.stream().filter(name -> !columns.contains(name)).toList();
      for (String column : columns) {
        if (!COLUMNS.contains(column)) {
          note(
              header,
              "column (" + column + ") is unknown",
              NearestName.advice(column, absent.isEmpty() ? COLUMNS : absent, "columns"));
        }
      }
      if (new HashSet<>(columns).size() < columns.size()) {
        note(header, "a column stands there twice (" + columns + ")", "one is to be removed");
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
      throwIfAny();
    }

    List<ProfileRow> rows(List<CsvRecord> records) throws UserMistakeException {
      if (records.isEmpty()) {
        throw new UserMistakeException(file.toString(), "the profile holds no row", MEASURE);
      }
      List<ProfileRow> rows = new ArrayList<>();
      Map<ProfileRow.Slot, Long> lines = new HashMap<>();
      for (CsvRecord record : records) {
        try {
          ProfileRow row = row(record);
          Long before = lines.putIfAbsent(row.slot(), record.getStartingLineNumber());
          if (before != null) {
            note(
                record,
                "a second row for %s, pass (%d), repeat (%d): line %d has the first"
                    .formatted(row.key(), row.pass(), row.repeat(), before),
                "rows were copied twice; one of them is to be removed");
          }
          rows.add(row);
        } catch (BadFieldException e) {
          // noted
        }
        if (problems.size() == PROBLEMS_MAX) {
          break;
        }
      }
      throwIfAny();
      return rows;
    }

    private ProfileRow row(CsvRecord record) throws BadFieldException {
      if (record.getFieldCount() != columns.size()) {
        throw bad(
            record,
            "this row has " + record.getFieldCount() + " fields, not " + columns.size(),
            "a comma is missing or too many, or the file was cut off here");
      }
      var key =
          new LatencyKey(
              name(record, "workload"),
              name(record, "backend"),
              name(record, "precision"),
              count(record, "threads"),
              count(record, "samples"),
              count(record, "busy_lanes"));
      return new ProfileRow(
          name(record, "device_kind"),
          key,
          count(record, "pass"),
          count(record, "repeat"),
          ns(record, "at_s", NS_DECIMALS_OF_S, 0),
          ns(record, "service_ms", NS_DECIMALS_OF_MS, 1),
          share(record, "foreign_load"),
          whole(record, "flops_per_sample"),
          whole(record, "parameters"));
    }

    private String field(CsvRecord record, String column) {
      return record.getField(columns.indexOf(column)).strip();
    }

    private String name(CsvRecord record, String column) throws BadFieldException {
      String name = field(record, column);
      if (name.isEmpty()) {
        throw bad(record, column + " is empty", "a comma is too many");
      }
      return name;
    }

    private int count(CsvRecord record, String column) throws BadFieldException {
      String text = field(record, column);
      try {
        int count = Integer.parseInt(text);
        if (count >= 1) {
          return count;
        }
      } catch (NumberFormatException e) {
        // the same error as for a number below 1
      }
      throw bad(record, column + " (" + text + ") must be a whole number of at least 1", BROKEN);
    }

    private long whole(CsvRecord record, String column) throws BadFieldException {
      String text = field(record, column);
      try {
        long number = Long.parseLong(text);
        if (number >= 0) {
          return number;
        }
      } catch (NumberFormatException e) {
        // the same error as for a negative number
      }
      throw bad(
          record,
          column + " (" + text + ") must be a whole number of at least 0",
          "0 is meant, for unknown");
    }

    private static final String BROKEN =
        "the line was edited or is broken; without it the rest will do";

    private long ns(CsvRecord record, String column, int decimals, long least)
        throws BadFieldException {
      String text = field(record, column);
      String rule = least == 0 ? " must be a number of at least 0" : " must be a number above 0";
      try {
        var number = new BigDecimal(text);
        if (number.precision() - number.scale() < 20 && number.compareTo(MS_MAX) <= 0) {
          long ns =
              number.movePointRight(decimals).setScale(0, RoundingMode.HALF_UP).longValueExact();
          if (ns >= least) {
            return ns;
          }
        } else if (number.signum() > 0) {
          rule = " must be at most " + MS_MAX;
        }
      } catch (NumberFormatException e) {
        // the same error as for a number that is too small
      }
      throw bad(record, column + " (" + text + ")" + rule, BROKEN);
    }

    private @Nullable Double share(CsvRecord record, String column) throws BadFieldException {
      String text = field(record, column);
      if (text.isEmpty()) {
        return null;
      }
      try {
        double share = Double.parseDouble(text);
        if (share >= 0 && share <= 1) {
          return share;
        }
      } catch (NumberFormatException e) {
        // the same error as for a number beyond the range
      }
      throw bad(
          record,
          column + " (" + text + ") must be a share in [0, 1], or empty",
          "it was given in percent");
    }

    private BadFieldException bad(CsvRecord record, String what, String maybe) {
      note(record, what, maybe);
      return new BadFieldException();
    }

    private void note(CsvRecord record, String what, String maybe) {
      problems.add(new Problem(file + ":" + record.getStartingLineNumber(), what, maybe));
    }

    private void throwIfAny() throws UserMistakeException {
      if (!problems.isEmpty()) {
        throw new UserMistakeException(problems);
      }
    }
  }
}
