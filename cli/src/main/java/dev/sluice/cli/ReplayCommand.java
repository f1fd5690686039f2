package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.replay.DecisionOptions;
import dev.sluice.harness.replay.DecisionRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice replay}: what was recorded, again. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    description = {
      "With --decisions: makes the decisions of a recorded log again, from its facts in their order"
          + " and at their times, and compares each with the recorded one, field by field.",
      "With --with: asks another policy, other weights or another admission in each recorded state,"
          + " and compares its answers; that tells nothing of latencies."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:all decisions are equal",
      "1:a bug",
      "2:a mistake in the command or in a file",
      "3:a decision is another one"
    },
    footer = {
      "",
      "Examples:",
      "  ./sluice replay --decisions results/quickstart-1",
      "  ./sluice replay --decisions results/quickstart-1 --with scheduler.urgency=2",
      "  ./sluice replay --decisions log.jsonl.gz --until 0/8123"
    })
final class ReplayCommand implements Callable<Integer> {
  @Parameters(paramLabel = "RUN|FILE", description = "A run's folder, or a recording.")
  private Path subject = Path.of("");

  @Option(
      names = "--decisions",
      description = "Makes the decisions of the log again and compares each with the record.")
  private boolean decisions;

  @Option(
      names = "--with",
      paramLabel = "KEY=VALUE",
      description =
          "Asked in each recorded state in place of the recorded value: scheduler_name,"
              + " scheduler.WEIGHT or admission; may be repeated.")
  private List<String> with = new ArrayList<>();

  @Option(
      names = "--until",
      paramLabel = "SHARD/OFFSET",
      description = "Stops before this fact, and prints the state in full.")
  private @Nullable String until;

  @Option(
      names = "--salvage",
      description = "Takes the whole lines of a recording that was cut short.")
  private boolean salvage;

  @Option(names = "--json", description = "Prints the report as JSON.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    try {
      if (!decisions) {
        throw new UserMistakeException(
            "./sluice replay", "it is not said what to replay", "you want --decisions");
      }
      return new DecisionRun(new DecisionOptions(subject, with, until, salvage, json)).execute();
    } catch (UserMistakeException e) {
      System.err.println(e.getMessage());
      return ExitStatus.MISTAKE;
    }
  }
}
