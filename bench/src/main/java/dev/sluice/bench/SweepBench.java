package dev.sluice.bench;

import static dev.sluice.bench.TaskNews.BEGIN;
import static dev.sluice.bench.TaskNews.END;

import dev.sluice.analytics.statistic.NearestRank;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Time in which a queue of short tasks fills a slot again: from the last word of a task to the
 * first word of the next, with {@value #SLOTS} slots.
 */
final class SweepBench implements Bench {
  private static final int SLOTS = 8;
  private static final int TASKS = 800;
  private static final long LIMIT_MS = 60_000;
  private static final double NS_PER_MS = 1e6;
  private static final Row P50 = Row.atMost("sweep_refill_p50_ms", "ms", 50);
  private static final Row P99 = Row.atMost("sweep_refill_p99_ms", "ms", 150);

  private final Path folder;

  /**
   * @param folder where files of the measurement go
   */
  SweepBench(Path folder) {
    this.folder = folder;
  }

  @Override
  public String name() {
    return "sweep";
  }

  @Override
  public List<Row> rows() {
    return List.of(P50, P99);
  }

  @Override
  public Map<Row, Double> measure()
      throws IOException, InterruptedException, MeasurementFailedException {
    Files.createDirectories(folder);
    long[] refillsNs =
        refillsNs(new BenchWorkspace(Files.createTempDirectory(folder, "sweep-"), SLOTS));
    return Map.of(
        P50,
        NearestRank.percentile(refillsNs, 50) / NS_PER_MS,
        P99,
        NearestRank.percentile(refillsNs, 99) / NS_PER_MS);
  }

  /**
   * Returns the times from an end to the next begin, sorted: with slots that are always filled, the
   * begin after the k-th end is that which is as many further as there are slots.
   */
  private static long[] refillsNs(BenchWorkspace workspace)
      throws IOException, InterruptedException, MeasurementFailedException {
    try (var news = new TaskNews(workspace.file("news"))) {
      workspace.runs(news.says(BEGIN) + "sleep 0.2\n" + news.says(END));
      workspace.hand(TASKS);
      int unused = workspace.scheduler().waitFor();
      workspace.checkDone(TASKS);
      if (!news.await(END, TASKS, LIMIT_MS)) {
        throw new MeasurementFailedException("tasks ended without a word", workspace.file("logs"));
      }
      long[] beginsNs = news.atNs(BEGIN);
      long[] endsNs = news.atNs(END);
      return IntStream.range(0, TASKS - SLOTS)
          .mapToLong(k -> Math.max(0, beginsNs[k + SLOTS] - endsNs[k]))
          .sorted()
          .toArray();
    }
  }
}
