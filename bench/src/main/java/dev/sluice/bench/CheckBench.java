package dev.sluice.bench;

import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.TemporaryFolder;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * How long {@code ./sluice check} takes, from its start to its end, to prove a log of 1,000,000
 * executions legal: by itself, and as an answer to its {@value #REQUESTS} requests.
 */
public final class CheckBench implements Bench {
  private static final Row LOG = Row.atMost("check_1m_executions_s", "s", 5);
  private static final Row WITH_FILES = Row.atMost("check_1m_executions_with_files_s", "s", 6);
  private static final int REQUESTS = 500_000;
  private static final int GPUS = 8;
  private static final double LOAD_SECONDS = 10;
  private static final double FIRST_SECONDS = 1;
  private static final double SECOND_SECONDS = 0.5;
  private static final double NS_PER_SECOND = 1e9;
  private static final String SYSTEM =
      """
      models:
        m: {memory_gb: 14, gpus_required: 1, load_time_seconds: %s}
      workflows:
        chain:
          nodes: [{id: a, model: m}, {id: b, model: m}]
          edges: [{from: a, to: b}]
      """
          .formatted(LOAD_SECONDS);

  private final Path folder;
  private final LongSupplier nanoTime;

  public CheckBench(Path folder, LongSupplier nanoTime) {
    this.folder = folder;
    this.nanoTime = nanoTime;
  }

  @Override
  public String name() {
    return "check";
  }

  @Override
  public List<Row> rows() {
    return List.of(LOG, WITH_FILES);
  }

  @Override
  public Map<Row, Double> measure() throws IOException, InterruptedException {
    Path own = Files.createTempDirectory(Files.createDirectories(folder), name());
    try {
      Path log = own.resolve("log.json");
      Path system = Files.writeString(own.resolve("system.yaml"), SYSTEM);
      Path requests = own.resolve("requests.json");
      write(log, requests);
      return Map.of(
          LOG,
          seconds("check", log.toString(), "--quiet"),
          WITH_FILES,
          seconds(
              "check",
              log.toString(),
              "--quiet",
              "--system",
              system.toString(),
              "--requests",
              requests.toString()));
    } finally {
      TemporaryFolder.remove(own);
    }
  }

  private double seconds(String... arguments) throws IOException, InterruptedException {
    long beginNs = nanoTime.getAsLong();
    String unused =
        ChildJvm.printed(
            ChildJvm.launchedSerial(),
            ChildJvm.SLUICE,
            List.of(arguments),
            "the check of a legal log");
    return (nanoTime.getAsLong() - beginNs) / NS_PER_SECOND;
  }

  /** Each GPU loads the model once, and then runs every eighth request, its two nodes in turn. */
  private static void write(Path log, Path requests) throws IOException {
    try (BufferedWriter executions = Files.newBufferedWriter(log);
        BufferedWriter asked = Files.newBufferedWriter(requests)) {
      executions.write(
          "{\"summary\": {\"mode\": \"offline\", \"simulate\": false, \"gpus\": [0,1,2,3,4,5,6,7],"
              + " \"total_nodes_executed\": "
              + 2 * REQUESTS
              + "},\n\"executions\": [\n");
      asked.write("{\"requests\": [\n");
      for (int i = 0; i < REQUESTS; i++) {
        String separator = i == REQUESTS - 1 ? "\n" : ",\n";
        double switchSeconds = i < GPUS ? LOAD_SECONDS : 0;
        int before = i / GPUS;
        double begin = LOAD_SECONDS + before * (FIRST_SECONDS + SECOND_SECONDS);
        double middle = begin + FIRST_SECONDS;
        executions.write(row(i, "a", begin, FIRST_SECONDS, switchSeconds, begin - switchSeconds));
        executions.write(",\n");
        executions.write(row(i, "b", middle, SECOND_SECONDS, 0, 0));
        executions.write(separator);
        asked.write(
            "{\"request_id\": \"r%d\", \"timestamp\": \"2024-01-01T10:00:00\", \"workflow_id\": \"chain\","
                .formatted(i));
        asked.write(
            " \"node_execution_times\": {\"a\": %s, \"b\": %s}}"
                .formatted(FIRST_SECONDS, SECOND_SECONDS));
        asked.write(separator);
      }
      executions.write("]}\n");
      asked.write("]}\n");
    }
  }

  private static String row(
      int request, String node, double start, double took, double switched, double waited) {
    return String.format(
        Locale.ROOT,
        "{\"request_id\": \"r%d\", \"workflow_id\": \"chain\", \"node_id\": \"%s\", \"model_name\": \"m\","
            + " \"gpu_id\": %d, \"gpu_ids\": [%d], \"start_time\": %s, \"end_time\": %s,"
            + " \"execution_time\": %s, \"estimated_time\": %s, \"switch_time\": %s,"
            + " \"waiting_time\": %s}",
        request,
        node,
        request % GPUS,
        request % GPUS,
        start,
        start + took,
        took,
        took,
        switched,
        waited);
  }
}
