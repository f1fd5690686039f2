package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.kafka.LeftTopics;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "topics",
    description = "Shows or removes the topics that runs left on a Kafka.",
    footer = "  ./sluice topics list --bootstrap localhost:9092")
public final class TopicsCommand implements Callable<Integer> {
  @Override
  public Integer call() throws UserMistakeException {
    throw new UserMistakeException(
        "sluice",
        "topics needs a command, list or prune",
        "you meant ./sluice topics list --bootstrap HOST:PORT");
  }

  static final class Where {
    @Option(
        names = "--bootstrap",
        paramLabel = "HOST:PORT",
        required = true,
        description = "The Kafka to look at.")
    private String bootstrap = "";

    @Option(
        names = "--kafka-config",
        paramLabel = "FILE",
        description = "Java properties of the clients of that Kafka: SASL, TLS.")
    private @Nullable Path kafkaConfig;

    @Option(names = "--json", description = "Prints JSON.")
    private boolean json;

    private LeftTopics topics() {
      return new LeftTopics(bootstrap, kafkaConfig, json);
    }
  }

  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "Shows which runs left topics.",
      footer = "  ./sluice topics list --bootstrap localhost:9092 --json")
  int list(@Mixin Where where) throws Exception {
    return where.topics().list();
  }

  @Command(
      name = "prune",
      mixinStandardHelpOptions = true,
      description = {
        "Removes the topics and groups of runs that have ended, or of the named runs.",
        "Leaves topics alone that do not make up a whole run of Sluice."
      },
      footer = "  ./sluice topics prune --bootstrap localhost:9092 --dry-run")
  int prune(
      @Mixin Where where,
      @Parameters(
              paramLabel = "RUN",
              arity = "0..*",
              description = "Ids of runs to remove, ended or not (default: all that have ended).")
          @Nullable List<String> named,
      @Option(
              names = "--all",
              description =
                  "Tells runs that have not ended too, and leaves them, unless --yes is given.")
          boolean all,
      @Option(names = "--yes", description = "With --all: removes runs that have not ended.")
          boolean yes,
      @Option(
              names = "--dry-run",
              description = "Shows what would be removed, and removes nothing.")
          boolean dryRun)
      throws Exception {
    List<String> runs = named == null ? List.of() : named;
    return where.topics().prune(runs, all, yes, dryRun);
  }
}
