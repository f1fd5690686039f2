package dev.sluice.harness.simulate;

import dev.sluice.analytics.row.FinishedBatch;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.row.TableRow;
import dev.sluice.contract.experiment.Experiment.Simulation;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.CsvRows;
import dev.sluice.contract.file.Range;
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
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Recorded times of the real loop from one step to the next, as a CSV file. Lines beginning with #
 * name the origin. Columns:
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
 * @param name name of the recording in every output
 */
record HopsFile(String name, List<Hop> hops) {
  private static final List<String> COLUMNS =
      List.of("at_s", "kind", "late_ms", "append_ms", "start_ms");

  private static final String SHIPPED = "hops-2core.csv";
  private static final Range RANGE = Range.within(0, 1e6);

  /** Half of the log's resolution of 1 ms: an append counts as in the middle of its millisecond. */
  private static final long MIDDLE_NS = 500_000;

  private static final String OTHER_FILE = "you meant another file";

  HopsFile {
    hops = List.copyOf(hops);
  }

  static final HopsFile NONE = new HopsFile("none: the loop takes no time", List.of());

  /** The recording that the experiment names: a file, or a finished run. */
  static HopsFile of(ParsedExperiment parsed) throws UserMistakeException {
    String named = parsed.experiment().simulation().hops();
    if (named == null) {
      return Shipped.FILE;
    }
    if (named.equals(Simulation.NO_HOPS)) {
      return NONE;
    }
    Path file = parsed.resolve(named);
    if (FinishedRun.isFolder(file)) {
      return of(live(file));
    }
    UserMistakeException.throwIf(
        !Files.isRegularFile(file),
        parsed.location("simulation.hops"),
        "simulation.hops (" + file + ") is neither a file nor the folder of a finished run",
        "the path is wrong; it counts from the folder of the experiment file");
    return of(file.toString(), file.getFileName().toString(), CsvRows.read(file, "recording"));
  }

  /** Reads a run that is no simulation. */
  static FinishedRun live(Path folder) throws UserMistakeException {
    FinishedRun run = FinishedRun.read(folder);
    UserMistakeException.throwIf(
        run.isSimulated(),
        folder.toString(),
        "this run was itself a simulation",
        "you meant a live run");
    return run;
  }

  /** Reads the times of a live run from one step to the next, after the warm-up. */
  private static HopsFile of(FinishedRun run) throws UserMistakeException {
    List<Hop> hops = new ArrayList<>();
    run.each(
        FolderFiles.TRACE,
        job -> {
          if (job.says("phase", "measured") && job.says("status", "done")) {
            addRequestHop(job, hops);
          }
        });
    Map<String, List<FinishedBatch>> lanes = new TreeMap<>();
    for (FinishedBatch batch : run.doneBatches()) {
      lanes.computeIfAbsent(batch.laneId(), lane -> new ArrayList<>()).add(batch);
    }
    for (List<FinishedBatch> lane : lanes.values()) {
      for (int i = 1; i < lane.size(); i++) {
        FinishedBatch before = lane.get(i - 1);
        FinishedBatch next = lane.get(i);
        if (next.times().decidedNs() <= before.times().completedNs()
            && before.endedNs() >= run.warmupNs()) {
          hops.add(completionHop(before, next));
        }
      }
    }
    checkKinds(
        hops,
        run.folder().toString(),
        "this run shows no way through the loop that began with a ",
        "a run with a load of about 0.7 shows both kinds");
    return new HopsFile("those of " + run.folder(), hops);
  }

  private static void checkKinds(List<Hop> hops, String location, String missing, String maybe)
      throws UserMistakeException {
    for (Kind kind : Kind.values()) {
      UserMistakeException.throwIf(
          hops.stream().noneMatch(hop -> hop.kind() == kind),
          location,
          missing + kind.name().toLowerCase(Locale.ROOT),
          maybe);
    }
  }

  /** Adds the hop of a done job, if the job was started by its own arrival. */
  private static void addRequestHop(TableRow job, List<Hop> hops) throws UserMistakeException {
    long appendedNs = job.secondsAsNs("appended_time");
    if (job.secondsAsNs("decided_time") > appendedNs) {
      return;
    }
    long intendedNs = job.secondsAsNs("enqueue_time");
    long sentNs = job.secondsAsNs("sent_time");
    long wholeNs = job.secondsAsNs("start_time") - sentNs;
    long appendNs = Math.max(0, Math.min(wholeNs, appendedNs + MIDDLE_NS - sentNs));
    hops.add(
        new Hop(
            intendedNs,
            Kind.REQUEST,
            Math.max(0, sentNs - intendedNs),
            appendNs,
            Math.max(0, wholeNs - appendNs)));
  }

  private static Hop completionHop(FinishedBatch before, FinishedBatch next) {
    long wholeNs = Math.max(0, next.startedNs() - before.endedNs());
    long appendedNs = before.times().completedNs() + MIDDLE_NS;
    long appendNs = Math.max(0, Math.min(wholeNs, appendedNs - before.endedNs()));
    long workNs = before.workNs();
    long lateNs = workNs == Jobs.NONE ? 0 : Math.max(0, before.serviceNs() - workNs);
    return new Hop(
        before.endedNs() - lateNs, Kind.COMPLETION, lateNs, appendNs, wholeNs - appendNs);
  }

  /** The recording that comes with Sluice, read once for all simulations of the process. */
  private static final class Shipped {
    static final HopsFile FILE = read();
  }

  private static HopsFile read() {
    try (InputStream in = HopsFile.class.getResourceAsStream(SHIPPED)) {
      byte[] bytes = Objects.requireNonNull(in, SHIPPED).readAllBytes();
      CsvRows rows = CsvRows.parse(SHIPPED, new String(bytes, StandardCharsets.UTF_8));
      return of(SHIPPED, SHIPPED, rows);
    } catch (IOException | UserMistakeException e) {
      throw new IllegalStateException("the recording that comes with Sluice is damaged", e);
    }
  }

  Hops play(long seed) {
    return hops.isEmpty() ? Hops.NONE : Hops.recorded(hops, seed);
  }

  /** This recording for lanes that report their own lateness: nothing is added to their times. */
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

  private static HopsFile of(String location, String name, CsvRows rows)
      throws UserMistakeException {
    if (!rows.isEmpty() && !rows.columns().equals(COLUMNS)) {
      throw rows.header().mistake("the columns are not " + String.join(",", COLUMNS), OTHER_FILE);
    }
    String source = String.join(" ", rows.comments());
    List<Hop> hops = new ArrayList<>();
    for (CsvRows.Row row : rows.rows()) {
      hops.add(hop(row));
    }
    checkKinds(
        hops,
        location,
        "no row is of kind ",
        "the file was cut off, or you meant simulation.hops: none");
    int end = source.indexOf(". ");
    return new HopsFile(name + ": " + (end < 0 ? source : source.substring(0, end + 1)), hops);
  }

  private static Hop hop(CsvRows.Row row) throws UserMistakeException {
    row.checkWidth(OTHER_FILE);
    String kind = row.text("kind");
    if (!kind.equals("request") && !kind.equals("completion")) {
      throw row.mistake("kind (" + kind + ") is neither request nor completion", OTHER_FILE);
    }
    return new Hop(
        row.fixed("at_s", 9, RANGE, OTHER_FILE),
        Kind.valueOf(kind.toUpperCase(Locale.ROOT)),
        row.fixed("late_ms", 6, RANGE, OTHER_FILE),
        row.fixed("append_ms", 6, RANGE, OTHER_FILE),
        row.fixed("start_ms", 6, RANGE, OTHER_FILE));
  }
}
