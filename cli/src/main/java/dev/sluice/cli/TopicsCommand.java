package dev.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.LeftRun;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.kafka.KafkaAccess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice topics}: what runs left on a Kafka. */
@Command(
    name = "topics",
    mixinStandardHelpOptions = true,
    description = "Shows and removes the topics that runs left on a Kafka.",
    subcommands = {TopicsCommand.ListRuns.class, TopicsCommand.Prune.class},
    footer = {"", "Example:", "  ./sluice topics list --bootstrap localhost:9092"})
final class TopicsCommand implements Callable<Integer> {
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  @Override
  public Integer call() {
    System.err.println("sluice: error: topics wants to know what to do.");
    System.err.println("  Maybe you meant ./sluice topics list --bootstrap HOST:PORT.");
    return ExitStatus.MISTAKE;
  }

  /** Where the Kafka is. */
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
        description = "Java properties for its clients: SASL, TLS.")
    private @Nullable Path kafkaConfig;

    @Option(names = "--json", description = "Prints JSON.")
    private boolean json;

    private KafkaAccess reached() throws UserMistakeException, InterruptedException {
      KafkaAccess kafka = KafkaAccess.of("--bootstrap", bootstrap, kafkaConfig);
      kafka.awaitAnswer(ANSWER_LIMIT, () -> {}, () -> false);
      return kafka;
    }
  }

  /** {@code topics list}. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "Shows which runs left topics.",
      footer = {"", "Example:", "  ./sluice topics list --bootstrap localhost:9092 --json"})
  static final class ListRuns implements Callable<Integer> {
    @Mixin private Where where = new Where();

    @Override
    public Integer call() throws Exception {
      try {
        List<LeftRun> runs = LeftRun.all(where.reached().clients());
        if (where.json) {
          System.out.println(json(runs));
        } else {
          show(runs);
        }
        return ExitStatus.DONE;
      } catch (UserMistakeException e) {
        System.err.println(e.getMessage());
        return ExitStatus.MISTAKE;
      }
    }
  }

  /** {@code topics prune}. */
  @Command(
      name = "prune",
      mixinStandardHelpOptions = true,
      description = {
        "Removes the topics and groups of runs that have ended, or of those that are named.",
        "Topics that are not whole runs of Sluice are left alone."
      },
      footer = {"", "Example:", "  ./sluice topics prune --bootstrap localhost:9092 --dry-run"})
  static final class Prune implements Callable<Integer> {
    @Mixin private Where where = new Where();

    @Parameters(
        paramLabel = "RUN",
        arity = "0..*",
        description = "Ids of runs to remove, ended or not (default: all that have ended).")
    private List<String> named = new ArrayList<>();

    @Option(names = "--all", description = "Removes all runs, also such as have not ended.")
    private boolean all;

    @Option(names = "--dry-run", description = "Says what would go, and removes nothing.")
    private boolean dryRun;

    @Override
    public Integer call() throws Exception {
      try {
        KafkaAccess kafka = where.reached();
        List<LeftRun> chosen = choose(LeftRun.all(kafka.clients()));
        if (!dryRun) {
          for (LeftRun run : chosen) {
            remove(kafka, run);
          }
        }
        if (where.json) {
          System.out.println(json(chosen));
        } else {
          for (LeftRun run : chosen) {
            System.out.println(
                (dryRun ? "would remove " : "removed ")
                    + run.runId()
                    + ": "
                    + String.join(", ", run.topics()));
          }
          if (chosen.isEmpty()) {
            System.out.println("nothing to remove");
          }
        }
        return ExitStatus.DONE;
      } catch (UserMistakeException e) {
        System.err.println(e.getMessage());
        return ExitStatus.MISTAKE;
      }
    }

    private List<LeftRun> choose(List<LeftRun> left) throws UserMistakeException {
      if (named.isEmpty()) {
        return left.stream().filter(run -> all || run.ended()).toList();
      }
      List<LeftRun> chosen = new ArrayList<>();
      for (String runId : named) {
        chosen.add(
            left.stream()
                .filter(run -> run.runId().equals(runId))
                .findFirst()
                .orElseThrow(
                    () ->
                        new UserMistakeException(
                            "topics prune",
                            "no run of that id has left topics (" + runId + ")",
                            left.isEmpty()
                                ? "nothing is left there at all"
                                : "you meant one of: "
                                    + String.join(
                                        ", ", left.stream().map(LeftRun::runId).toList()))));
      }
      return chosen;
    }

    private static void remove(KafkaAccess kafka, LeftRun run)
        throws UserMistakeException, InterruptedException {
      try {
        RunTopics.remove(run.ids(), kafka.clients());
      } catch (ExecutionException e) {
        throw new UserMistakeException(
            kafka.location(),
            "the topics of ("
                + run.runId()
                + ") cannot be removed ("
                + kafka.secrets().hide(String.valueOf(e.getCause()))
                + ")",
            "its administrator has to allow it",
            e);
      }
    }
  }

  private static void show(List<LeftRun> runs) {
    if (runs.isEmpty()) {
      System.out.println("no run has left topics");
      return;
    }
    System.out.printf(
        Locale.ROOT, "%-40s %6s %-24s %-8s %10s%n", "run", "shards", "began", "ended", "facts");
    for (LeftRun run : runs) {
      System.out.printf(
          Locale.ROOT,
          "%-40s %6d %-24s %-8s %10d%n",
          run.runId(),
          run.shards(),
          run.began() == null ? "no" : run.began(),
          run.failure() != null ? "given up" : run.ended() ? "yes" : "no",
          run.facts());
    }
  }

  private static String json(List<LeftRun> runs) {
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    for (LeftRun run : runs) {
      Map<String, @Nullable Object> values = new LinkedHashMap<>();
      values.put("run_id", run.runId());
      values.put("shards", run.shards());
      values.put("began", run.began());
      values.put("ended", run.ended());
      values.put("failure", run.failure());
      values.put("facts", run.facts());
      values.put("topics", run.topics());
      all.add(values);
    }
    try {
      return JSON.writeValueAsString(all);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("runs that cannot be written", e);
    }
  }
}
