package dev.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.audit.LogAudit;
import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.chaos.Chaos;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.run.ExperimentRun;
import dev.sluice.harness.run.ProcessesRun;
import dev.sluice.harness.terminal.Console;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./sluice chaos CONFIG}: a run whose processes are killed, and the audit of its log. */
@Command(
    name = "chaos",
    mixinStandardHelpOptions = true,
    description = {
      "Runs an experiment with each role as a process, inflicts faults on them, and audits the log.",
      "It harms only processes that it started itself. The load ends after the last fault.",
      "Faults: scheduler, executor, generator, analytics or broker killed; scheduler or executor"
          + " stopped and continued; executor aborted; a lane hung; the broker's disk full, the"
          + " results' disk full at the end (both by a file size limit; Linux)."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:nothing was lost or doubled",
      "1:the audit found a violation, or the run came to no end",
      "2:a mistake in the command or in a file"
    },
    footer = {"", "Example:", "  ./sluice chaos configs/chaos.yaml --kills 20 --seed 7"})
final class ChaosCommand implements Callable<Integer> {
  /** More than a fault and its recovery take; the load ends with the last fault in any case. */
  private static final int SECONDS_A_FAULT = 30;

  private static final int FIRST_SECONDS = 60;
  private static final int VIOLATIONS_SHOWN_MAX = 20;

  @Mixin private ExperimentOptions options = new ExperimentOptions();

  @Option(
      names = "--kills",
      paramLabel = "N",
      description = "How many faults (default: ${DEFAULT-VALUE}).")
  private int kills = 10;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Of the faults and their order (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Console console = Console.standardOutput();
    try {
      return run(console);
    } catch (UserMistakeException e) {
      console.endLiveLine();
      System.err.println(e.getMessage());
      return ExitStatus.MISTAKE;
    }
  }

  private int run(Console console) throws UserMistakeException, IOException, InterruptedException {
    if (kills < 1) {
      throw new UserMistakeException(
          "--kills", "the number of faults (" + kills + ") is below 1", "you meant 10");
    }
    List<String> all = new ArrayList<>(options.overrides());
    all.add("duration_seconds=" + (FIRST_SECONDS + SECONDS_A_FAULT * kills));
    all.add("kafka.bootstrap_servers=embedded");
    Experiment experiment =
        ExperimentFile.read(options.config(), all, Registries.vocabulary()).experiment();
    String id = runOptions(all, options.runId()).runIdFor(experiment);
    var chaos = new Chaos(kills, seed, experiment, options.results(), id, console);
    int status = new ProcessesRun(runOptions(all, id), console, chaos).execute();
    if (status == ExitStatus.MISTAKE) {
      return status;
    }
    return conclude(chaos, console);
  }

  private ExperimentRun.Options runOptions(List<String> all, @Nullable String id) {
    return new ExperimentRun.Options(options.config(), all, options.results(), id);
  }

  private int conclude(Chaos chaos, Console console) throws IOException {
    int inflicted = chaos.inflicted().values().stream().mapToInt(Integer::intValue).sum();
    console.line("");
    console.item(
        "faults",
        inflicted
            + ": "
            + chaos.inflicted().entrySet().stream()
                .map(fault -> fault.getKey() + " " + fault.getValue())
                .collect(Collectors.joining(", ")));
    console.item("fault log", chaos.log().toString());
    LogAudit audit = chaos.audit();
    if (audit == null || chaos.failure() != null) {
      console.line("sluice: error: the run came to no end that could be audited.");
      console.line("  Maybe its logs say more. Reproduce with: --kills " + kills + seedText());
      return ExitStatus.BUG;
    }
    JsonNode summary = FinishedRun.of(chaos.folder()).summary();
    console.item("jobs", audit.jobs() + ", outcomes " + audit.outcomes() + statuses(summary));
    console.item(
        "dispatches",
        "%d, answers %d, further copies %d, further attempts at a job %d"
            .formatted(
                audit.dispatches(),
                audit.completions(),
                audit.copiesMadeAgain(),
                audit.attemptsAgain()));
    console.item("verdict", verdict(summary));
    console.item("folder", chaos.folder().toString());
    if (chaos.looksFinished()) {
      console.line("sluice: error: a run that could not write its results looked finished.");
      console.line("  Maybe a bug. Reproduce with: --kills " + kills + seedText());
      return ExitStatus.BUG;
    }
    if (audit.violations().isEmpty()) {
      console.line("Nothing was lost or doubled.");
      if (!chaos.hasFinished()) {
        console.line("sluice: error: the run failed all the same, see above.");
        console.line("  Maybe " + chaos.folder().resolve("logs") + " says more.");
        return ExitStatus.BUG;
      }
      return 0;
    }
    audit.violations().stream().limit(VIOLATIONS_SHOWN_MAX).forEach(v -> console.item("", v));
    console.line("sluice: error: the audit found " + audit.violations().size() + " violations.");
    console.line("  Maybe a bug. Reproduce with: --kills " + kills + seedText());
    return ExitStatus.BUG;
  }

  /** What became of the measured jobs. */
  private static String statuses(JsonNode summary) {
    return " (done %d, dropped %d, failed %d)"
        .formatted(
            summary.path("all_done").asLong(),
            summary.path("all_dropped").asLong(),
            summary.path("all_failed").asLong());
  }

  private static String verdict(JsonNode summary) {
    int reasons = summary.path("not_comparable").size();
    return reasons == 0
        ? "none that says not comparable"
        : "not comparable, for " + reasons + " reasons (not_comparable in summary.json)";
  }

  private String seedText() {
    return " --seed " + seed;
  }
}
