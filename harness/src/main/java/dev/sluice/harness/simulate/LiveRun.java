package dev.sluice.harness.simulate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.scheduling.simulation.Hops.Hop;
import dev.sluice.scheduling.simulation.Hops.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The folder of a finished live run, as far as a simulation learns from it.
 *
 * @param summary the tree of its summary.json
 */
record LiveRun(Path folder, JsonNode summary) {
  /** The log's time is known to 1 ms: the middle is taken. */
  private static final long MIDDLE_NS = 500_000;

  /**
   * A batch that was done.
   *
   * @param laneId executor and lane
   * @param workNs how long an emulated lane meant it to take; null on real lanes
   * @param completedNs when its completion was appended
   * @param busyLanes how many lanes ran a batch when it began, its own included
   */
  record Batch(
      String laneId,
      ModelKey model,
      int samples,
      long decidedNs,
      long startedNs,
      long endedNs,
      long serviceNs,
      @Nullable Long workNs,
      long completedNs,
      int busyLanes) {
    String executorId() {
      return laneId.substring(0, laneId.lastIndexOf('/'));
    }
  }

  /** Whether that is the folder of a run, or of repeats of one. */
  static boolean isFolder(Path path) {
    return Files.isRegularFile(path.resolve("summary.json"));
  }

  /**
   * Reads a run's folder, or those of its repeats.
   *
   * @throws UserMistakeException if it is none, or of a simulation
   */
  static List<LiveRun> readAll(Path folder) throws UserMistakeException {
    if (!Files.isRegularFile(folder.resolve("repeats.csv"))) {
      return List.of(read(folder));
    }
    List<LiveRun> runs = new ArrayList<>();
    try (Stream<Path> children = Files.list(folder)) {
      for (Path child : children.filter(Files::isDirectory).sorted().toList()) {
        runs.add(read(child));
      }
    } catch (IOException e) {
      throw unreadable(folder, e);
    }
    return runs;
  }

  /**
   * Reads a run's folder.
   *
   * @throws UserMistakeException if it is none, or of a simulation
   */
  static LiveRun read(Path folder) throws UserMistakeException {
    if (!isFolder(folder)) {
      throw new UserMistakeException(
          folder.toString(),
          "this is no folder of a finished run: it has no summary.json",
          "you meant one below results");
    }
    try {
      var summary = new ObjectMapper().readTree(folder.resolve("summary.json").toFile());
      if (summary.path("simulated").asBoolean()) {
        throw new UserMistakeException(
            folder.toString(), "this run was itself a simulation", "you meant a live run");
      }
      return new LiveRun(folder, summary);
    } catch (IOException e) {
      throw unreadable(folder.resolve("summary.json"), e);
    }
  }

  private static UserMistakeException unreadable(Path file, Exception e) {
    return new UserMistakeException(
        file.toString(),
        "this can not be read (" + e.getMessage() + ")",
        "the run's folder is not whole",
        e);
  }

  String requestDigest() {
    return summary.path("request_digest").asText();
  }

  /** Whether a file or folder belongs to it. */
  boolean holds(Path other) {
    return other.toAbsolutePath().normalize().startsWith(folder.toAbsolutePath().normalize());
  }

  private interface Row<T> {
    @Nullable T of(NamedCsvRecord row);
  }

  private <T> List<T> read(String file, Row<T> row) throws UserMistakeException {
    List<T> read = new ArrayList<>();
    try (var reader = CsvReader.builder().ofNamedCsvRecord(folder.resolve(file))) {
      for (NamedCsvRecord line : reader) {
        T value = row.of(line);
        if (value != null) {
          read.add(value);
        }
      }
    } catch (IOException | CsvParseException | NumberFormatException | NoSuchElementException e) {
      throw unreadable(folder.resolve(file), e);
    }
    return read;
  }

  private static long ns(NamedCsvRecord row, String column, double scale) {
    return Math.round(Double.parseDouble(row.getField(column)) * scale);
  }

  private static long secondsNs(NamedCsvRecord row, String column) {
    return ns(row, column, 1e9);
  }

  /**
   * Its done batches, by start.
   *
   * @throws UserMistakeException if its dispatches.csv can not be read
   */
  List<Batch> batches() throws UserMistakeException {
    List<Batch> batches =
        read(
            "dispatches.csv",
            row ->
                !row.getField("result").equals("done")
                    ? null
                    : new Batch(
                        row.getField("lane_id"),
                        new ModelKey(
                            row.getField("workload_name"),
                            row.getField("backend"),
                            row.getField("precision")),
                        Integer.parseInt(row.getField("samples")),
                        secondsNs(row, "decided_time"),
                        secondsNs(row, "start_time"),
                        secondsNs(row, "end_time"),
                        ns(row, "service_ms", 1e6),
                        row.getField("emulated_service_ms").isEmpty()
                            ? null
                            : Long.valueOf(ns(row, "emulated_service_ms", 1e6)),
                        secondsNs(row, "completed_time"),
                        Integer.parseInt(row.getField("busy_lanes"))));
    batches.sort(Comparator.comparingLong(Batch::startedNs).thenComparing(Batch::laneId));
    return batches;
  }

  /**
   * What the loop took, after the warm-up.
   *
   * @throws UserMistakeException if its tables can not be read, or hold too little
   */
  HopsFile hops() throws UserMistakeException {
    long fromNs = Math.round(summary.path("warmup_seconds").asDouble() * 1e9);
    List<Hop> hops = read("trace.csv", LiveRun::requestHop);
    Map<String, List<Batch>> lanes = new TreeMap<>();
    for (Batch batch : batches()) {
      lanes.computeIfAbsent(batch.laneId(), lane -> new ArrayList<>()).add(batch);
    }
    for (List<Batch> lane : lanes.values()) {
      for (int i = 1; i < lane.size(); i++) {
        Batch before = lane.get(i - 1);
        Batch next = lane.get(i);
        if (next.decidedNs() <= before.completedNs() && before.endedNs() >= fromNs) {
          hops.add(completionHop(before, next));
        }
      }
    }
    for (Kind kind : Kind.values()) {
      if (hops.stream().noneMatch(hop -> hop.kind() == kind)) {
        throw new UserMistakeException(
            folder.toString(),
            "this run shows no way through the loop that began with a "
                + kind.name().toLowerCase(Locale.ROOT),
            "a run with a load of about 0.7 shows both kinds");
      }
    }
    return new HopsFile("those of " + folder, hops);
  }

  /** Of a measured job that was started by the very fact of its arrival. */
  private static @Nullable Hop requestHop(NamedCsvRecord row) {
    if (!row.getField("phase").equals("measured") || !row.getField("status").equals("done")) {
      return null;
    }
    long appendedNs = secondsNs(row, "appended_time");
    if (secondsNs(row, "decided_time") > appendedNs) {
      return null;
    }
    long intendedNs = secondsNs(row, "enqueue_time");
    long sentNs = secondsNs(row, "sent_time");
    long wholeNs = secondsNs(row, "start_time") - sentNs;
    long appendNs = Math.max(0, Math.min(wholeNs, appendedNs + MIDDLE_NS - sentNs));
    return new Hop(
        intendedNs,
        Kind.REQUEST,
        Math.max(0, sentNs - intendedNs),
        appendNs,
        Math.max(0, wholeNs - appendNs));
  }

  private static Hop completionHop(Batch before, Batch next) {
    long wholeNs = Math.max(0, next.startedNs() - before.endedNs());
    long appendNs =
        Math.max(0, Math.min(wholeNs, before.completedNs() + MIDDLE_NS - before.endedNs()));
    Long workNs = before.workNs();
    long lateNs = workNs == null ? 0 : Math.max(0, before.serviceNs() - workNs);
    return new Hop(
        before.endedNs() - lateNs, Kind.COMPLETION, lateNs, appendNs, wholeNs - appendNs);
  }
}
