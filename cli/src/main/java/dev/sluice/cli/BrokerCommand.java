package dev.sluice.cli;

import dev.sluice.harness.role.BrokerProcess;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "broker",
    description = {
      "Starts a Kafka of one node, for this machine alone, until Ctrl-C.",
      "It stands in for your own Kafka. It keeps no replicas and asks for no password."
    },
    footer = "  ./sluice broker --port 9092 --data /tmp/sluice-broker")
public final class BrokerCommand implements Callable<Integer> {
  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Port to listen on (default: ${DEFAULT-VALUE}).")
  private int port = 9092;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Folder of the log, which outlives the broker (default: a temporary folder).")
  private @Nullable Path data;

  @Option(
      names = "--child",
      hidden = true,
      description = "Started by Sluice: ends with its standard input, leaves Ctrl-C to its parent.")
  private boolean child;

  @Override
  public Integer call() throws Exception {
    return new BrokerProcess(port, data, child).execute();
  }
}
