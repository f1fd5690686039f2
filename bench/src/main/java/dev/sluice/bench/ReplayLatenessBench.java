package dev.sluice.bench;

import dev.sluice.analytics.folder.FolderFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Lateness of a generator that sends requests from a file, beside that of the run that drew them:
 * the second run replays the first one's log, so that both send equal lists.
 */
final class ReplayLatenessBench implements Bench {
  private static final Row P99 = Row.atMost("lateness_from_file_5000_p99_ms", "ms", 1);
  private static final Row ABOVE = Row.atMost("lateness_from_file_above_drawn_p99_ms", "ms", 0.1);

  private final String config;
  private final Path folder;
  private int runs;

  /**
   * @param config text of an experiment that draws its requests
   * @param folder where files of the measurement go
   */
  ReplayLatenessBench(String config, Path folder) {
    this.config = config;
    this.folder = folder;
  }

  @Override
  public String name() {
    return "replay-lateness";
  }

  @Override
  public List<Row> rows() {
    return List.of(P99, ABOVE);
  }

  @Override
  public Map<Row, Double> measure()
      throws IOException, InterruptedException, MeasurementFailedException {
    String suffix = "-" + ++runs;
    LoopBench.Finished drawn = new LoopBench("lateness-drawn" + suffix, config, folder).run();
    Path log = drawn.folder().resolve(FolderFiles.LOG).toAbsolutePath();
    String replay = config + "arrivals: {process: replay, file: \"" + log + "\"}\n";
    double p99Ms =
        new LoopBench("lateness-from-file" + suffix, replay, folder)
            .run()
            .figure("lateness_p99_ms");
    return Map.of(P99, p99Ms, ABOVE, p99Ms - drawn.figure("lateness_p99_ms"));
  }
}
