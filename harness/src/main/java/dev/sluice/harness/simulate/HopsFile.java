package dev.sluice.harness.simulate;

import de.siegmar.fastcsv.reader.CommentStrategy;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.contract.experiment.Experiment.Simulation;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.scheduling.simulation.Hops;
import dev.sluice.scheduling.simulation.Hops.Hop;
import dev.sluice.scheduling.simulation.Hops.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * What the real loop takes from one step to the next, recorded, as a CSV file. Lines beginning with
 * # say where it comes from. Columns:
 *
 * <ul>
 *   <li>at_s: seconds since time zero, of the job's intended arrival or the batch's end
 *   <li>kind: request, for a job that was started by the very fact of its arrival, or completion,
 *       for a batch that was started by the completion of the one before it on its lane
 *   <li>late_ms: from intended arrival to the send call; from the end of an emulated batch's work
 *       to the lane's return
 *   <li>append_ms: from there to the append to the log, known to 1 ms; the middle is taken
 *   <li>start_ms: from there to the start of the batch
 * </ul>
 *
 * late_ms + append_ms + start_ms is exact.
 *
 * @param name what every output calls it
 */
public record HopsFile(String name, List<Hop> hops) {
  static final List<String> COLUMNS = List.of("at_s", "kind", "late_ms", "append_ms", "start_ms");

  private static final String SHIPPED = "hops-2core.csv";
  private static final double MS_MAX = 1e6;

  public HopsFile {
    hops = List.copyOf(hops);
  }

  /** A loop that takes no time. */
  public static final HopsFile NONE = new HopsFile("none: the loop takes no time", List.of());

  /**
   * The one that the experiment names: a file, or a finished run that they are taken from.
   *
   * @throws UserMistakeException if it is missing or wrong
   */
  static HopsFile of(ParsedExperiment parsed) throws UserMistakeException {
    String named = parsed.experiment().simulation().hops();
    if (named == null) {
      return shipped();
    }
    if (named.equals(Simulation.NO_HOPS)) {
      return NONE;
    }
    Path file = parsed.resolve(named);
    if (FinishedRun.isFolder(file)) {
      return LiveRun.read(file).hops();
    }
    if (!Files.isRegularFile(file)) {
      throw new UserMistakeException(
          parsed.location("simulation.hops"),
          "simulation.hops (" + file + ") is neither a file nor the folder of a finished run",
          "the path is wrong; it counts from the folder of the experiment file");
    }
    try {
      return parse(file.toString(), file.getFileName().toString(), Files.readString(file));
    } catch (IOException e) {
      throw new UserMistakeException(
          file.toString(), "the file can not be read", "it is no text file", e);
    }
  }

  /** The recording that comes with Sluice. */
  public static HopsFile shipped() {
    try (InputStream in = HopsFile.class.getResourceAsStream(SHIPPED)) {
      byte[] bytes = Objects.requireNonNull(in, SHIPPED).readAllBytes();
      return parse(SHIPPED, SHIPPED, new String(bytes, StandardCharsets.UTF_8));
    } catch (IOException | UserMistakeException e) {
      throw new IllegalStateException("the recording that comes with Sluice is damaged", e);
    }
  }

  /** What a simulation plays. */
  public Hops play(long seed) {
    return hops.isEmpty() ? Hops.NONE : Hops.recorded(hops, seed);
  }

  /** The same for lanes that say themselves how late they end: nothing is added to their times. */
  HopsFile withoutLateLanes() {
    return new HopsFile(
        name,
        hops.stream()
            .map(
                hop ->
                    hop.kind() == Kind.REQUEST
                        ? hop
                        : new Hop(hop.atNs(), hop.kind(), 0, hop.appendNs(), hop.startNs()))
            .toList());
  }

  private static HopsFile parse(String location, String name, String text)
      throws UserMistakeException {
    var source = new StringBuilder();
    List<Hop> hops = new ArrayList<>();
    try (var reader = CsvReader.builder().commentStrategy(CommentStrategy.READ).ofCsvRecord(text)) {
      boolean head = true;
      for (CsvRecord row : reader) {
        if (row.isComment()) {
          source.append(source.isEmpty() ? "" : " ").append(row.getField(0).strip());
        } else if (head) {
          head = false;
          if (!row.getFields().equals(COLUMNS)) {
            throw mistake(location, row, "the columns are not " + String.join(",", COLUMNS));
          }
        } else {
          hops.add(hop(location, row));
        }
      }
    } catch (CsvParseException | IOException e) {
      throw new UserMistakeException(
          location, "this is no CSV file (" + e.getMessage() + ")", "you meant another file");
    }
    for (Kind kind : Kind.values()) {
      if (hops.stream().noneMatch(hop -> hop.kind() == kind)) {
        throw new UserMistakeException(
            location,
            "no row is of kind " + kind.name().toLowerCase(Locale.ROOT),
            "the file was cut off, or you meant simulation.hops: none");
      }
    }
    int end = source.indexOf(". ");
    return new HopsFile(name + ": " + (end < 0 ? source : source.substring(0, end + 1)), hops);
  }

  private static Hop hop(String location, CsvRecord row) throws UserMistakeException {
    if (row.getFieldCount() != COLUMNS.size()) {
      throw mistake(location, row, "this row has " + row.getFieldCount() + " fields");
    }
    String kind = row.getField(1);
    if (!kind.equals("request") && !kind.equals("completion")) {
      throw mistake(location, row, "kind (" + kind + ") is neither request nor completion");
    }
    return new Hop(
        Math.round(number(location, row, 0) * 1e9),
        Kind.valueOf(kind.toUpperCase(Locale.ROOT)),
        ns(location, row, 2),
        ns(location, row, 3),
        ns(location, row, 4));
  }

  private static long ns(String location, CsvRecord row, int column) throws UserMistakeException {
    return Math.round(number(location, row, column) * 1e6);
  }

  private static double number(String location, CsvRecord row, int column)
      throws UserMistakeException {
    String text = row.getField(column);
    try {
      double number = Double.parseDouble(text);
      if (number >= 0 && number <= MS_MAX) {
        return number;
      }
    } catch (NumberFormatException e) {
      // the same mistake as a number out of range
    }
    throw mistake(
        location, row, COLUMNS.get(column) + " (" + text + ") is no number from 0 to 1000000");
  }

  private static UserMistakeException mistake(String location, CsvRecord row, String what) {
    return new UserMistakeException(
        location + ":" + row.getStartingLineNumber(), what, "you meant another file");
  }
}
