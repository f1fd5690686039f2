package dev.sluice.cli;

import dev.sluice.harness.serve.MetricsReading;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "metrics",
    description = {
      "Writes what analytics tells of a run, second by second, to standard output, until the run"
          + " has ended: the topic metrics as JSON Lines, or the rows of metrics.csv.",
      "Begins with the next second, unless --from-beginning is given. Topics are only read."
    },
    exitCodeList = {
      "0:the run has ended, or the other end of the pipe was closed",
      "1:a bug, or the run's last records never came",
      "2:a mistake in the command, or no such run",
      "130:stopped by Ctrl-C"
    },
    footer = {
      "  ./sluice metrics --bootstrap localhost:9092 --run-id first",
      "  ./sluice metrics --bootstrap localhost:9092 --run-id first --from-beginning --csv"
    })
final class MetricsCommand implements Callable<Integer> {
  @Option(
      names = "--bootstrap",
      paramLabel = "HOST:PORT",
      required = true,
      description = "The Kafka of the run.")
  private String bootstrap = "";

  @Option(names = "--run-id", paramLabel = "ID", required = true, description = "The run.")
  private String runId = "";

  @Option(
      names = "--kafka-config",
      paramLabel = "FILE",
      description = "Java properties of the clients of that Kafka: SASL, TLS.")
  private @Nullable Path kafkaConfig;

  @Option(
      names = "--from-beginning",
      description = "Begins with the run's first second (default: with the next one).")
  private boolean fromBeginning;

  @Option(names = "--csv", description = "Writes a row for each second and class.")
  private boolean csv;

  @Override
  public Integer call() throws Exception {
    var out = new FileOutputStream(FileDescriptor.out); // a PrintStream hides a closed pipe
    return new MetricsReading(
            bootstrap, kafkaConfig, runId, csv, fromBeginning, out, System.err::println)
        .execute();
  }
}
