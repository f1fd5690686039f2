package dev.sluice.harness.kafka;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import dev.sluice.analytics.report.TextTable;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.LeftRun;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.harness.frame.ExitStatus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Topics that runs left on a Kafka: shown, or removed. The Kafka has a file of client properties.
 */
public record LeftTopics(String bootstrap, @Nullable Path kafkaConfig, boolean json) {
  private static final ObjectMapper JSON =
      new ObjectMapper().setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE);

  private static final TextTable TABLE = new TextTable("%-40s %6s %-24s %-8s %10s");

  public int list() throws UserMistakeException, InterruptedException {
    List<LeftRun> runs = LeftRun.all(reached().clients());
    if (json) {
      System.out.println(JSON.valueToTree(runs).toPrettyString());
    } else {
      show(runs);
    }
    return ExitStatus.DONE;
  }

  /**
   * Removes the topics of runs.
   *
   * @param named ids of runs, ended or not; empty: all that have ended
   * @param all true if runs that have not ended are asked for too, where none is named
   * @param sure true if those are removed; else they are told and left, since they may go on
   */
  public int prune(List<String> named, boolean all, boolean sure, boolean dryRun)
      throws UserMistakeException, InterruptedException {
    KafkaAccess kafka = reached();
    List<LeftRun> chosen = choose(LeftRun.all(kafka.clients()), named, all, sure);
    if (!dryRun) {
      for (LeftRun run : chosen) {
        remove(kafka, run);
      }
    }
    if (json) {
      System.out.println(JSON.valueToTree(chosen).toPrettyString());
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
  }

  private KafkaAccess reached() throws UserMistakeException, InterruptedException {
    return KafkaAccess.reached(bootstrap, kafkaConfig, () -> false);
  }

  private static List<LeftRun> choose(
      List<LeftRun> left, List<String> named, boolean all, boolean sure)
      throws UserMistakeException {
    if (named.isEmpty()) {
      if (all && !sure) {
        left.stream()
            .filter(run -> !run.ended())
            .forEach(
                run ->
                    System.err.println(
                        "left "
                            + run.runId()
                            + ": it has not ended, and may go on; --all --yes removes it too."));
      }
      boolean unended = all && sure;
      return left.stream().filter(run -> unended || run.ended()).toList();
    }
    Map<String, LeftRun> byId = new LinkedHashMap<>();
    left.forEach(run -> byId.put(run.runId(), run));
    List<LeftRun> chosen = new ArrayList<>();
    for (String runId : named) {
      LeftRun run = byId.get(runId);
      if (run == null) {
        throw new UserMistakeException(
            "topics prune",
            "no run with this id has left topics (" + runId + ")",
            left.isEmpty()
                ? "no run has left topics there"
                : "you meant one of: " + String.join(", ", byId.keySet()));
      }
      chosen.add(run);
    }
    return chosen;
  }

  private static void remove(KafkaAccess kafka, LeftRun run)
      throws UserMistakeException, InterruptedException {
    try {
      RunTopics.remove(run.ids(), kafka.clients());
    } catch (ExecutionException e) {
      throw new UserMistakeException(
          kafka.clients().location(),
          "the topics of ("
              + run.runId()
              + ") cannot be removed ("
              + kafka.secrets().hide(String.valueOf(e.getCause()))
              + ")",
          "its administrator has to allow it",
          e);
    }
  }

  private static void show(List<LeftRun> runs) {
    if (runs.isEmpty()) {
      System.out.println("no run has left topics");
      return;
    }
    System.out.println(TABLE.row("run", "shards", "began", "ended", "facts"));
    for (LeftRun run : runs) {
      System.out.println(
          TABLE.row(
              run.runId(),
              run.shards(),
              run.began() == null ? "no" : run.began(),
              run.failure() != null ? "given up" : run.ended() ? "yes" : "no",
              run.facts()));
    }
  }
}
