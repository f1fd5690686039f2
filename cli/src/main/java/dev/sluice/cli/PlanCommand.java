package dev.sluice.cli;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.planning.plan.PlanRun;
import dev.sluice.planning.plan.PlanningFiles;
import dev.sluice.planning.plan.PlanningFiles.Asked;
import dev.sluice.planning.split.SearchSettings.Objective;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "plan",
    description = {
      "Splits a model's layers over unlike devices, so that most samples leave the pipeline a"
          + " second.",
      "Prints a YAML list of hosts with their first and last layer, and nothing else, on standard"
          + " output."
    },
    exitCodeList = {
      "0:there is a plan; or --compatible",
      "1:a bug, or a stage of --execute died or computed other logits",
      "2:a mistake in the command or in a file",
      "5:there is no plan; or the schedule of --evaluate breaks a rule"
    },
    footer = {
      "  ./sluice plan -m google/vit-base-patch16-224 -b 8 -M models.yml -T device_types.yml"
          + " -D devices.yml"
    })
final class PlanCommand implements Callable<Integer> {
  private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(ms|s|m|h)");
  private static final Map<String, TimeUnit> UNITS =
      Map.of(
          "ms", TimeUnit.MILLISECONDS,
          "s", TimeUnit.SECONDS,
          "m", TimeUnit.MINUTES,
          "h", TimeUnit.HOURS);
  private static final double SECONDS = 30;
  private static final int BUFFERS_MAX = 1_000_000;
  private static final List<String> OBJECTIVES = List.of("throughput", "latency");

  @Option(
      names = {"-d", "--dtype"},
      paramLabel = "DTYPE",
      description = "Type of the values that layers pass on (default: ${DEFAULT-VALUE}).")
  private String dtype = "torch.float32";

  @Option(
      names = {"-b", "--batch-size"},
      paramLabel = "N",
      description = "Samples of a micro-batch (default: ${DEFAULT-VALUE}).")
  private int batchSize = 8;

  @Option(
      names = {"-i", "--buffers-in"},
      paramLabel = "N",
      description = "Buffers for what comes into a stage (default: ${DEFAULT-VALUE}).")
  private int buffersIn = 2;

  @Option(
      names = {"-o", "--buffers-out"},
      paramLabel = "N",
      description = "Buffers for what goes out of a stage (default: ${DEFAULT-VALUE}).")
  private int buffersOut = 2;

  @Option(
      names = {"-m", "--model-name"},
      paramLabel = "MODEL",
      description = "Model to be split (default: ${DEFAULT-VALUE}).")
  private String model = "google/vit-base-patch16-224";

  @Option(
      names = {"-M", "--models-file"},
      paramLabel = "FILE",
      description = "Models with their layers (default: ${DEFAULT-VALUE}).")
  private Path models = Path.of("models.yml");

  @Option(
      names = {"-T", "--dev-types-file"},
      paramLabel = "FILE",
      description = "Device types with measured times (default: ${DEFAULT-VALUE}).")
  private Path types = Path.of("device_types.yml");

  @Option(
      names = {"-D", "--dev-file"},
      paramLabel = "FILE",
      description = "Hosts of each device type (default: ${DEFAULT-VALUE}).")
  private Path devices = Path.of("devices.yml");

  @Option(
      names = "--objective",
      paramLabel = "NAME",
      description =
          "What the plan is best in: throughput (the smallest bottleneck) or latency (the smallest"
              + " sum of all times) (default: ${DEFAULT-VALUE}).")
  private String objective = "throughput";

  @Option(
      names = "--max-hosts",
      paramLabel = "N",
      description = "The most hosts that the plan may use (default: all).")
  private @Nullable Integer hostsMax;

  @Option(
      names = "--what-if",
      paramLabel = "TYPE+N",
      description =
          "Plans once more with N hosts of a type more (TYPE+2) or fewer (TYPE-1), and compares on"
              + " standard error.")
  private @Nullable String whatIf;

  @Option(
      names = "--limit",
      paramLabel = "TIME",
      description =
          "Ends the search after this time, such as 10s or 500ms, with the best plan found and a"
              + " proved bound (default: none).")
  private @Nullable String limit;

  @Option(
      names = "--evaluate",
      paramLabel = "SCHEDULE",
      description =
          "Prices a schedule, a YAML list as this command prints one, and names the rules that it"
              + " breaks; searches nothing.")
  private @Nullable Path evaluate;

  @Option(
      names = "--execute",
      description =
          "Runs the plan here then: a process for each stage, links at the planned bandwidth;"
              + " compares what was predicted with what is measured.")
  private boolean execute;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Time for which --execute begins micro-batches (default: 30).")
  private @Nullable Double seconds;

  @Option(names = "--json", description = "Prints JSON, with all that the table shows.")
  private boolean json;

  @Option(names = "--plot", paramLabel = "FILE", description = "Draws the plan as a PNG file.")
  private @Nullable Path plot;

  @Option(
      names = "--compatible",
      description =
          "Prints [] and exits 0 where there is no plan or no profile; repeats a parameters_out"
              + " that is too short.")
  private boolean compatible;

  @Override
  public Integer call() throws UserMistakeException, IOException, InterruptedException {
    return new PlanRun(options(), System.out, System.err).execute();
  }

  private PlanRun.Options options() throws UserMistakeException {
    checkRange("--buffers-in", buffersIn, 0);
    checkRange("--buffers-out", buffersOut, 0);
    if (hostsMax != null) {
      checkRange("--max-hosts", hostsMax, 1);
    }
    UserMistakeException.throwIf(
        !OBJECTIVES.contains(objective),
        "--objective",
        "the objective (" + objective + ") is unknown",
        NearestName.advice(objective, OBJECTIVES, "objectives"));
    UserMistakeException.throwIf(
        evaluate != null && (whatIf != null || limit != null || hostsMax != null),
        "--evaluate",
        "a given schedule is priced, nothing is searched",
        "--what-if, --limit and --max-hosts should be left out");
    UserMistakeException.throwIf(
        seconds != null && !execute,
        "--seconds",
        "the option needs --execute",
        "you want to add --execute");
    return new PlanRun.Options(
        new PlanningFiles(models, types, devices),
        new Asked(model, dtype, batchSize, buffersIn, buffersOut, compatible),
        objective.equals("latency") ? Objective.LATENCY : Objective.THROUGHPUT,
        hostsMax == null ? Integer.MAX_VALUE : hostsMax,
        limitNs(),
        whatIf,
        evaluate,
        execute ? Double.valueOf(seconds == null ? SECONDS : seconds) : null,
        json,
        plot,
        Boolean.getBoolean("sluice.terminal.error"));
  }

  private static void checkRange(String option, int value, int least) throws UserMistakeException {
    UserMistakeException.throwIf(
        value < least || value > BUFFERS_MAX,
        option,
        "%s (%d) must be at least %d and at most %d".formatted(option, value, least, BUFFERS_MAX),
        "you meant " + Math.max(least, Math.min(BUFFERS_MAX, Math.abs((long) value))));
  }

  private long limitNs() throws UserMistakeException {
    if (limit == null) {
      return Long.MAX_VALUE;
    }
    Matcher matcher = DURATION.matcher(limit);
    TimeUnit unit = matcher.matches() ? UNITS.get(matcher.group(2)) : null;
    if (unit == null) {
      throw new UserMistakeException(
          "--limit", "(" + limit + ") is no time", "you meant a form like 10s, 500ms or 2m");
    }
    return unit.toNanos(Long.parseLong(matcher.group(1)));
  }
}
