package dev.sluice.harness.bench;

import static dev.sluice.harness.bench.row.Bench.Row.atLeast;
import static dev.sluice.harness.bench.row.Bench.Row.atMost;

import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.bench.row.Bench;
import dev.sluice.harness.bench.row.MeasurementFailedException;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.sweep.queue.QueueFolder;
import dev.sluice.harness.sweep.queue.QueueSettings;
import dev.sluice.harness.sweep.queue.Request;
import dev.sluice.harness.sweep.queue.Scheduler;
import dev.sluice.harness.sweep.queue.Sessions;
import dev.sluice.harness.sweep.queue.TaskState.Phase;
import dev.sluice.harness.sweep.queue.Work;
import dev.sluice.harness.sweep.tmux.TmuxSessions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A queue of tasks over eight slots: how soon a slot is filled again, from the last line of a task
 * to the first of the next, and how many tasks of nothing end in a second.
 */
final class SweepBench implements Bench {
  private static final int SLOTS = 8;
  private static final int REFILLED = 800;
  private static final int EMPTY = 3_000;
  private static final double US_PER_SECOND = 1e6;
  private static final Row REFILL_P50 = atMost("sweep_refill_p50_ms", "ms", 4);
  private static final Row REFILL_P99 = atMost("sweep_refill_p99_ms", "ms", 10);
  private static final Row TMUX_P99 = atMost("sweep_refill_tmux_p99_ms", "ms", 60);
  private static final Row EMPTY_PER_SECOND = atLeast("sweep_empty_tasks_per_s", "tasks/s", 200);

  /** A task of 0.2 s that says when it begins and ends, in microseconds of the wall clock. */
  private static final List<String> TIMED =
      List.of(
          "bash", "-c", "echo begin $EPOCHREALTIME; sleep 0.2; echo end $EPOCHREALTIME", "task");

  private static final List<String> NOTHING = List.of("true");

  private final Path folder;

  /**
   * @param folder where files of the measurement go
   */
  SweepBench(Path folder) {
    this.folder = folder;
  }

  /** Tasks of one command. */
  private record Same(List<String> command, Path folder) implements Work {
    @Override
    public Plan plan(String name, String config, int gpu) {
      return new Plan(command, Map.of(), folder, log(name), "");
    }

    @Override
    public @Nullable Path marker(String name) {
      return null;
    }

    @Override
    public @Nullable Path markers() {
      return null;
    }

    Path log(String name) {
      return folder.resolve(name + ".log");
    }
  }

  @Override
  public String name() {
    return "sweep";
  }

  @Override
  public List<Row> rows() {
    return List.of(REFILL_P50, REFILL_P99, TMUX_P99, EMPTY_PER_SECOND);
  }

  @Override
  public Map<Row, Double> measure()
      throws IOException, InterruptedException, MeasurementFailedException {
    Files.createDirectories(folder);
    Map<Row, Double> readings = new LinkedHashMap<>();
    Same timed = work("refill", TIMED);
    run(timed, REFILLED, Sessions.plain());
    long[] refillsUs = refillsUs(timed);
    readings.put(REFILL_P50, NearestRank.percentile(refillsUs, 50) / 1e3);
    readings.put(REFILL_P99, NearestRank.percentile(refillsUs, 99) / 1e3);
    if (TmuxSessions.isInstalled()) {
      Same shown = work("tmux", TIMED);
      try (var sessions = new TmuxSessions(Sessions.plain(), "sluice-bench", shown::log)) {
        run(shown, REFILLED, sessions);
      }
      TmuxSessions.endAll(names(REFILLED).map(shown::log).toList());
      readings.put(TMUX_P99, NearestRank.percentile(refillsUs(shown), 99) / 1e3);
    }
    long beganNs = MachineClock.monotonicNs();
    run(work("empty", NOTHING), EMPTY, Sessions.plain());
    readings.put(EMPTY_PER_SECOND, EMPTY / ((MachineClock.monotonicNs() - beganNs) / 1e9));
    return readings;
  }

  private Same work(String name, List<String> command) throws IOException {
    return new Same(command, Files.createTempDirectory(folder, "sweep-" + name + "-"));
  }

  private static Stream<String> names(int tasks) {
    return IntStream.range(0, tasks).mapToObj(i -> "task" + i);
  }

  private static void run(Same work, int tasks, Sessions sessions)
      throws IOException, InterruptedException, MeasurementFailedException {
    var queue = new QueueFolder(work.folder().resolve("queue"));
    try {
      queue.make();
      queue.hand(
          new Request(
              names(tasks).map(name -> new Request.Entry(name, name, null, false)).toList()));
      new Scheduler(queue, QueueSettings.slots(SLOTS), work, sessions, line -> {}).run();
      long done = queue.read().tasks().stream().filter(task -> task.phase() == Phase.DONE).count();
      if (done != tasks) {
        throw new MeasurementFailedException(
            "only " + done + " of " + tasks + " tasks are done", queue.journal());
      }
    } catch (UserMistakeException e) {
      throw new IllegalStateException("the bench's own queue cannot be used", e);
    }
  }

  /**
   * Times from an end to the next begin, sorted: with eight slots that are always filled, the begin
   * after the k-th end is the (k + 8)-th.
   */
  private static long[] refillsUs(Same work) throws IOException {
    long[] beginsUs = new long[REFILLED];
    long[] endsUs = new long[REFILLED];
    for (int task = 0; task < REFILLED; task++) {
      for (String line : Files.readAllLines(work.log("task" + task))) {
        if (line.startsWith("begin ")) {
          beginsUs[task] = us(line);
        } else if (line.startsWith("end ")) {
          endsUs[task] = us(line);
        }
      }
    }
    Arrays.sort(beginsUs);
    Arrays.sort(endsUs);
    return IntStream.range(0, REFILLED - SLOTS)
        .mapToLong(k -> Math.max(0, beginsUs[k + SLOTS] - endsUs[k]))
        .sorted()
        .toArray();
  }

  private static long us(String line) {
    String seconds = line.substring(line.indexOf(' ') + 1).replace(',', '.');
    return Math.round(Double.parseDouble(seconds) * US_PER_SECOND);
  }
}
