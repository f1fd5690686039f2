package dev.sluice.cli;

import dev.sluice.contract.file.QuotedText;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.replay.DecisionRun;
import dev.sluice.harness.run.RunSettings;
import dev.sluice.producer.requests.RecordedLoad;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "replay",
    description = {
      "With CONFIG: runs an experiment with the requests of a recording or a trace, at their"
          + " intended times. It is ./sluice run with the keys below arrivals set, and leaves what"
          + " a run leaves.",
      "With --decisions: makes the decisions of a recorded log again, from its facts in their order"
          + " and at their times, and compares each with the recorded one, field by field.",
      "With --with: asks another policy, other weights or another admission in each recorded state,"
          + " and compares its answers; that tells nothing of latencies."
    },
    exitCodeList = {
      "0:done, thresholds met; or all decisions are equal",
      "1:a bug, or the run failed",
      "2:a mistake in the command or in a file",
      "3:a threshold was missed",
      "4:done, and it tells nothing of the policy: not comparable, unstable or undecided",
      "5:--decisions: a decision is another one",
      "130:stopped by Ctrl-C, its jobs ended and its folder written"
    },
    footer = {
      "  ./sluice replay results/quickstart-1 configs/quickstart.yaml --set scheduler_name=fifo",
      "  ./sluice replay monday.jsonl.gz configs/quickstart.yaml --speed 2 --from 600 --to 1200 \\",
      "    --map workload:mobile=vit_tiny --drop class:test",
      "  ./sluice replay --decisions results/quickstart-1",
      "  ./sluice replay --decisions results/quickstart-1 --with scheduler.urgency=2",
      "  ./sluice replay --decisions log.jsonl.gz --until 0/8123"
    })
final class ReplayCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      paramLabel = "FILE|RUN",
      description = "A recording, a run's folder, or a trace.")
  private Path subject = Path.of("");

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "CONFIG",
      description = "The experiment file (YAML).")
  private @Nullable Path config;

  @Mixin private PlayedOptions played = new PlayedOptions();

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Overrides a key of CONFIG, dotted where it is nested; may be repeated.")
  private List<String> overrides = new ArrayList<>();

  @Option(
      names = "--run-id",
      paramLabel = "ID",
      description = "Name of the folder and the topics (default: the run's name and the time).")
  private @Nullable String runId;

  @Option(
      names = "--decisions",
      description = "Makes the decisions of the log again and compares each with the record.")
  private boolean decisions;

  @Option(
      names = "--with",
      paramLabel = "KEY=VALUE",
      description =
          "With --decisions: asked in each recorded state in place of the recorded value:"
              + " scheduler_name, scheduler.WEIGHT or admission; may be repeated.")
  private List<String> with = new ArrayList<>();

  @Option(
      names = "--until",
      paramLabel = "SHARD/OFFSET",
      description = "With --decisions: stops before this fact, and prints the state in full.")
  private @Nullable String until;

  @Option(
      names = "--salvage",
      description = "Takes the whole lines of a recording that was cut short.")
  private boolean salvage;

  @Mixin private ResultsOption results = new ResultsOption();

  @Mixin private RunOptions run = new RunOptions();

  @Override
  public Integer call() throws Exception {
    if (!decisions) {
      run.check();
      return run.execute(List.of(settings()));
    }
    refuseBesideDecisions(config != null, String.valueOf(config));
    refuseBesideDecisions(!overrides.isEmpty(), "--set");
    refuseBesideDecisions(runId != null, "--run-id");
    refuseBesideDecisions(played.given(), "--speed, --from, --to, --slo, --map or --drop");
    return new DecisionRun(subject, with, until, salvage, run.json()).execute();
  }

  private static void refuseBesideDecisions(boolean given, String what)
      throws UserMistakeException {
    UserMistakeException.throwIf(
        given,
        what,
        "it does not go with --decisions, which runs nothing and sends nothing",
        "you want to leave it out; --with asks another setting");
  }

  private RunSettings settings() throws UserMistakeException {
    if (config == null) {
      throw new UserMistakeException(
          "./sluice replay",
          "it is not said what to replay (" + subject + ") for",
          "you want a CONFIG, as in ./sluice replay "
              + subject
              + " configs/quickstart.yaml, or --decisions");
    }
    if (until != null || !with.isEmpty()) {
      throw new UserMistakeException(
          until != null ? "--until" : "--with",
          "it goes with --decisions, and a run is asked for",
          until != null ? "--to is meant" : "--set is meant, which changes the run");
    }
    if (runId != null) {
      RunFolder.checkId(runId);
    }
    List<String> all = new ArrayList<>();
    all.add(RecordedLoad.override(subject));
    played.addTo(all);
    add("salvage", salvage ? "true" : null, all);
    all.addAll(overrides);
    return run.settings(config, all, results.folder(), runId);
  }

  private static void add(String key, @Nullable String value, List<String> overrides) {
    if (value != null) {
      overrides.add("arrivals." + key + "=" + value);
    }
  }

  /** Options of a run that sends recorded requests: which, when, and as what. */
  static final class PlayedOptions {
    @Option(
        names = "--speed",
        paramLabel = "N",
        description = "Divides the recorded times, never the promises (default: 1).")
    private @Nullable String speed;

    @Option(
        names = "--from",
        paramLabel = "SECONDS",
        description =
            "Beginning of what is measured, in recorded time; what stands before it plays as"
                + " warm-up (default: 0).")
    private @Nullable String from;

    @Option(
        names = "--to",
        paramLabel = "SECONDS",
        description = "End of what is played, in recorded time (default: the end).")
    private @Nullable String to;

    @Option(
        names = "--slo",
        paramLabel = "recorded|config",
        description = "Whose promises the jobs have (default: recorded).")
    private @Nullable String slo;

    @Option(
        names = "--map",
        paramLabel = "ATTRIBUTE:RECORDED=HERE",
        description =
            "Takes a recorded class, workload, backend or precision for one of CONFIG; may be"
                + " repeated.")
    private List<String> map = new ArrayList<>();

    @Option(
        names = "--drop",
        paramLabel = "ATTRIBUTE:RECORDED",
        description = "Leaves out requests of a recorded class or the like; may be repeated.")
    private List<String> drop = new ArrayList<>();

    public boolean given() {
      return speed != null
          || from != null
          || to != null
          || slo != null
          || !map.isEmpty()
          || !drop.isEmpty();
    }

    private void addTo(List<String> overrides) {
      add("speed", speed, overrides);
      add("from", from, overrides);
      add("to", to, overrides);
      add("slo", slo, overrides);
      add("map", list(map), overrides);
      add("drop", list(drop), overrides);
    }

    private static @Nullable String list(List<String> items) {
      return items.isEmpty()
          ? null
          : items.stream().map(QuotedText::of).collect(Collectors.joining(", ", "[", "]"));
    }
  }
}
