package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.serve.ServeRun;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "serve",
    description = {
      "Serves a page in the browser until Ctrl-C: every run of a folder, those under way live.",
      "With --bootstrap and --run-id: an online deployment, from its topics alone."
    },
    footer = {"  ./sluice serve", "  ./sluice serve --bootstrap localhost:9092 --run-id first"})
final class ServeCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "RESULTS",
      arity = "0..1",
      description = "Folder of all runs (default: results, beside sluice).")
  private @Nullable Path results;

  @Option(
      names = "--bootstrap",
      paramLabel = "HOST:PORT",
      description = "The Kafka of an online deployment.")
  private @Nullable String bootstrap;

  @Option(
      names = "--run-id",
      paramLabel = "ID",
      description = "The run of that deployment: the prefix of its topics.")
  private @Nullable String runId;

  @Option(
      names = "--kafka-config",
      paramLabel = "FILE",
      description = "Java properties of all Kafka clients: SASL, TLS.")
  private @Nullable Path kafkaConfig;

  @Mixin private PageOptions page = new PageOptions();

  @Mixin private MetricsOptions metrics = new MetricsOptions();

  @Option(
      names = "--child",
      hidden = true,
      description = "Started by Sluice: ends with its standard input, leaves Ctrl-C to its parent.")
  private boolean child;

  @Override
  public Integer call() throws UserMistakeException, InterruptedException {
    if ((bootstrap == null) != (runId == null)) {
      throw new UserMistakeException(
          "sluice",
          "--bootstrap and --run-id name an online deployment together",
          runId == null
              ? "you want --run-id ID too; ./sluice topics list shows all"
              : "you want --bootstrap HOST:PORT too");
    }
    ServeRun.Online online =
        bootstrap == null || runId == null ? null : new ServeRun.Online(bootstrap, runId);
    return new ServeRun(
            RunFolder.results(results),
            results != null,
            online,
            kafkaConfig,
            page.address(),
            metrics.address(),
            child,
            Console.standardOutput())
        .execute();
  }
}
