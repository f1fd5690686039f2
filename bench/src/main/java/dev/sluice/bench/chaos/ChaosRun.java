package dev.sluice.bench.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.run.ProcessesRun;
import dev.sluice.harness.run.RunSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An experiment with each role as a process, faults on them, and the audit of what it left. */
public final class ChaosRun {
  /**
   * Seconds of load for each fault: more than a fault and its recovery take. The load ends with the
   * last fault in any case.
   */
  private static final int SECONDS_A_FAULT = 30;

  private static final int FIRST_SECONDS = 60;
  private static final int VIOLATIONS_SHOWN_MAX = 20;

  private final Options options;
  private final Console console;

  /**
   * Options of a run with faults.
   *
   * @param runId id of the run; null: made from the run's name and the time
   * @param faults number of faults
   * @param waiting number of jobs that wait when the scheduler is killed in a backlog; 0: this
   *     fault is left out
   * @param seed seed of the faults and their order
   */
  public record Options(
      Path config,
      List<String> overrides,
      Path results,
      @Nullable String runId,
      int faults,
      int waiting,
      long seed) {
    public Options {
      overrides = List.copyOf(overrides);
    }
  }

  public ChaosRun(Options options, Console console) {
    this.options = options;
    this.console = console;
  }

  /** Runs the experiment with its faults, audits the log, and returns the exit status. */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    if (options.faults() < 1) {
      throw new UserMistakeException(
          "--kills",
          "the number of faults (" + options.faults() + ") is below 1",
          "--kills 10 will do");
    }
    if (options.waiting() < 0) {
      throw new UserMistakeException(
          "--waiting",
          "the number of waiting jobs (" + options.waiting() + ") is below 0",
          "--waiting 200000 will do, with more arrivals than lanes can take");
    }
    List<String> all = new ArrayList<>(options.overrides());
    all.add("duration_seconds=" + (FIRST_SECONDS + SECONDS_A_FAULT * options.faults()));
    all.add("kafka.bootstrap_servers=embedded");
    Experiment experiment =
        ExperimentFile.read(options.config(), all, Registries.vocabulary()).experiment();
    String id = runOptions(all, options.runId()).runIdFor(experiment);
    var chaos =
        new Chaos(
            options.faults(),
            options.waiting(),
            options.seed(),
            experiment,
            options.results(),
            id,
            console);
    int status = new ProcessesRun(runOptions(all, id), console, chaos).execute();
    if (status == ExitStatus.MISTAKE) {
      return status;
    }
    return conclude(chaos);
  }

  private RunSettings runOptions(List<String> all, @Nullable String id) {
    return new RunSettings(
        options.config(), all, new RunSettings.Output(options.results(), false, false, null), id);
  }

  private int conclude(Chaos chaos) throws IOException {
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
      console.line(
          "  Maybe its logs say more. Reproduce with: --kills " + options.faults() + seedText());
      return ExitStatus.BUG;
    }
    JsonNode summary = new ObjectMapper().readTree(chaos.folder().resolve("summary.json").toFile());
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
      console.line("  Maybe a bug. Reproduce with: --kills " + options.faults() + seedText());
      return ExitStatus.BUG;
    }
    if (audit.violations().isEmpty()) {
      console.line("Nothing was lost or doubled.");
      if (!chaos.hasFinished()) {
        console.line("sluice: error: the run failed nevertheless, see above.");
        console.line("  Maybe " + chaos.folder().resolve("logs") + " says more.");
        return ExitStatus.BUG;
      }
      return ExitStatus.DONE;
    }
    audit.violations().stream().limit(VIOLATIONS_SHOWN_MAX).forEach(v -> console.item("", v));
    console.line("sluice: error: the audit found " + audit.violations().size() + " violations.");
    console.line("  Maybe a bug. Reproduce with: --kills " + options.faults() + seedText());
    return ExitStatus.BUG;
  }

  /** The measured jobs by status, in words. */
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
    return " --seed " + options.seed();
  }
}
