package dev.sluice.bench;

import static dev.sluice.bench.Bench.Row.atLeast;
import static dev.sluice.bench.Bench.Row.atMost;
import static dev.sluice.bench.TaskNews.BEGIN;
import static dev.sluice.bench.TaskNews.END;

import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.machine.Posix;
import dev.sluice.harness.process.MemoryOf;
import dev.sluice.sweep.queue.TaskState;
import dev.sluice.sweep.workspace.TmuxSessions;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * A queue over eight slots: how soon a slot is filled again, from the last word of a task to the
 * first of the next; how many tasks of nothing end in a second; the scheduler's memory meanwhile,
 * and commands beside all that is done then; how soon the end of a task is seen that an earlier
 * scheduler started.
 */
public final class SweepBench implements Bench {
  private static final int SLOTS = 8;
  private static final int TIMED = 800;
  private static final int EMPTY = 10_000;
  private static final int FOUND = 40;
  private static final int COMMANDS = 5;
  private static final long LIMIT_MS = 60_000;
  private static final double NS_PER_MS = 1e6;
  private static final double NS_PER_SECOND = 1e9;
  private static final double BYTES_PER_MB = 1e6;
  private static final Row REFILL_P50 = atMost("sweep_refill_p50_ms", "ms", 4);
  private static final Row REFILL_P99 = atMost("sweep_refill_p99_ms", "ms", 10);
  private static final Row TMUX_P99 = atMost("sweep_refill_tmux_p99_ms", "ms", 60);
  private static final Row EMPTY_PER_SECOND = atLeast("sweep_empty_tasks_per_s", "tasks/s", 200);
  private static final Row MEMORY = atMost("sweep_10000_tasks_mb", "MB", 100);
  private static final Row STATUS = atMost("sweep_10000_done_status_s", "s", 0.8);
  private static final Row START = atMost("sweep_10000_done_start_s", "s", 2);
  private static final Row FOUND_AGAIN = atMost("sweep_found_again_max_ms", "ms", 50);

  private final Path folder;

  /**
   * @param folder where files of the measurement go
   */
  public SweepBench(Path folder) {
    this.folder = folder;
  }

  @Override
  public String name() {
    return "sweep";
  }

  @Override
  public List<Row> rows() {
    return List.of(
        REFILL_P50, REFILL_P99, TMUX_P99, EMPTY_PER_SECOND, MEMORY, STATUS, START, FOUND_AGAIN);
  }

  @Override
  public Map<Row, Double> measure()
      throws IOException, InterruptedException, MeasurementFailedException {
    Files.createDirectories(folder);
    Map<Row, Double> readings = new LinkedHashMap<>();
    long[] plainNs = refillsNs(workspace("refill", SLOTS, false));
    readings.put(REFILL_P50, NearestRank.percentile(plainNs, 50) / NS_PER_MS);
    readings.put(REFILL_P99, NearestRank.percentile(plainNs, 99) / NS_PER_MS);
    if (TmuxSessions.isInstalled()) {
      BenchWorkspace shown = workspace("tmux", SLOTS, true);
      readings.put(TMUX_P99, NearestRank.percentile(refillsNs(shown), 99) / NS_PER_MS);
      shown.killAll();
    }
    manyTasks(readings);
    readings.put(FOUND_AGAIN, foundAgainNs() / NS_PER_MS);
    return readings;
  }

  private BenchWorkspace workspace(String name, int slots, boolean tmux) throws IOException {
    return new BenchWorkspace(
        Files.createTempDirectory(folder, "sweep-" + name + "-"), slots, tmux);
  }

  /**
   * Times from an end to the next begin, sorted: with slots that are always filled, the begin after
   * the k-th end is that which is as many further as there are slots.
   */
  private long[] refillsNs(BenchWorkspace workspace)
      throws IOException, InterruptedException, MeasurementFailedException {
    try (var news = new TaskNews(workspace.file("news"))) {
      workspace.runs("/bin/sh", news.says(BEGIN) + "sleep 0.2\n" + news.says(END));
      workspace.hand(TIMED);
      int unused = workspace.scheduler().waitFor();
      workspace.checkDone(TIMED);
      if (!news.await(END, TIMED, LIMIT_MS)) {
        throw new MeasurementFailedException("tasks ended without a word", workspace.file("logs"));
      }
      long[] beginsNs = news.atNs(BEGIN);
      long[] endsNs = news.atNs(END);
      return IntStream.range(0, TIMED - SLOTS)
          .mapToLong(k -> Math.max(0, beginsNs[k + SLOTS] - endsNs[k]))
          .sorted()
          .toArray();
    }
  }

  private void manyTasks(Map<Row, Double> readings)
      throws IOException, InterruptedException, MeasurementFailedException {
    BenchWorkspace workspace = workspace("many", SLOTS, false);
    workspace.runs("true", "");
    workspace.hand(EMPTY);
    Process scheduler = workspace.scheduler();
    long mostBytes = 0;
    while (!scheduler.waitFor(200, TimeUnit.MILLISECONDS)) {
      mostBytes = Math.max(mostBytes, MemoryOf.residentBytes(scheduler.pid()).orElse(0));
    }
    workspace.checkDone(EMPTY);
    readings.put(EMPTY_PER_SECOND, perSecond(workspace.state().tasks()));
    if (mostBytes > 0) {
      readings.put(MEMORY, mostBytes / BYTES_PER_MB);
    }
    long[] statusNs = new long[COMMANDS];
    for (int i = 0; i < COMMANDS; i++) {
      long beganNs = MachineClock.monotonicNs();
      int status = workspace.command("status").waitFor();
      statusNs[i] = MachineClock.monotonicNs() - beganNs;
      check(status, workspace);
    }
    readings.put(STATUS, median(statusNs) / NS_PER_SECOND);
    readings.put(START, median(startsNs(workspace)) / NS_PER_SECOND);
  }

  /** Tasks that ended in a second, by the journal, from the first start to the last end. */
  private static double perSecond(Collection<TaskState> ended) {
    long firstMs = ended.stream().mapToLong(t -> t.sinceMs() - t.ranMs()).min().orElse(0);
    long lastMs = ended.stream().mapToLong(TaskState::sinceMs).max().orElse(0);
    return ended.size() * 1e3 / Math.max(1, lastMs - firstMs);
  }

  /** Times from the begin of the command to the first word of its task. */
  private long[] startsNs(BenchWorkspace workspace)
      throws IOException, InterruptedException, MeasurementFailedException {
    long[] startsNs = new long[COMMANDS];
    try (var news = new TaskNews(workspace.file("news"))) {
      workspace.runs("/bin/sh", news.says(BEGIN));
      for (int i = 0; i < COMMANDS; i++) {
        Path config = workspace.config("more" + i);
        long beganNs = MachineClock.monotonicNs();
        Process start = workspace.command("start", config.getFileName().toString());
        if (!news.await(BEGIN, i + 1, LIMIT_MS)) {
          throw new MeasurementFailedException("no task began", workspace.output());
        }
        startsNs[i] = news.atNs(BEGIN)[i] - beganNs;
        check(start.waitFor(), workspace);
        workspace.awaitFree();
      }
    }
    return startsNs;
  }

  private static void check(int status, BenchWorkspace workspace)
      throws MeasurementFailedException {
    if (status != 0) {
      throw new MeasurementFailedException(
          "a command ended with status " + status, workspace.output());
    }
  }

  /**
   * Longest time from the last word of a task, which a scheduler found again, to the first word of
   * the task that takes its slot.
   */
  private long foundAgainNs() throws IOException, InterruptedException, MeasurementFailedException {
    int tasks = FOUND;
    BenchWorkspace workspace = workspace("found", tasks, false);
    Path gate = workspace.file("gate");
    try (var news = new TaskNews(workspace.file("news"));
        var open = new Gate(gate)) {
      workspace.runs(
          "/bin/sh",
          news.says(BEGIN)
              + "read -r line <"
              + BenchWorkspace.quoted(gate)
              + "\n"
              + news.says(END));
      workspace.hand(2 * tasks);
      Process killed = workspace.scheduler();
      boolean begun = news.await(BEGIN, tasks, LIMIT_MS);
      killed.destroyForcibly().waitFor();
      check(
          workspace.command("start", workspace.config("last").getFileName().toString()).waitFor(),
          workspace);
      long longestNs = 0;
      for (int i = 1; i <= tasks && begun; i++) {
        open.letOneThrough();
        begun = news.await(BEGIN, tasks + i, LIMIT_MS);
        if (begun) {
          longestNs = Math.max(longestNs, news.atNs(BEGIN)[tasks + i - 1] - news.atNs(END)[i - 1]);
        }
      }
      if (!begun) {
        throw new MeasurementFailedException("tasks did not begin", workspace.file("logs"));
      }
      return longestNs;
    } finally {
      workspace.killAll();
    }
  }

  /** A named pipe at which tasks wait for a line. */
  private static final class Gate implements AutoCloseable {
    private final RandomAccessFile pipe;

    Gate(Path path) throws IOException {
      Posix.makeFifo(path);
      pipe = new RandomAccessFile(path.toFile(), "rw");
    }

    void letOneThrough() throws IOException {
      pipe.write('\n');
    }

    @Override
    public void close() throws IOException {
      pipe.close();
    }
  }

  private static double median(long[] ns) {
    long[] sorted = ns.clone();
    Arrays.sort(sorted);
    return NearestRank.percentile(sorted, 50);
  }
}
