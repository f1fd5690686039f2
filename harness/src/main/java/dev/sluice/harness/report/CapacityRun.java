package dev.sluice.harness.report;

import static java.util.stream.Collectors.averagingDouble;
import static java.util.stream.Collectors.toList;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.analytics.capacity.CapacitySearch;
import dev.sluice.analytics.capacity.CapacitySearch.Answer;
import dev.sluice.analytics.capacity.CapacitySearch.Outcome;
import dev.sluice.analytics.capacity.RunEvidence;
import dev.sluice.analytics.capacity.Target;
import dev.sluice.analytics.capacity.Target.Scope;
import dev.sluice.analytics.plot.Picture;
import dev.sluice.analytics.plot.Picture.Point;
import dev.sluice.analytics.report.ScreenText;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.Load;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.Ranges;
import dev.sluice.contract.experiment.Replay;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.FolderHold;
import dev.sluice.harness.frame.LiveExperiment;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.simulate.ExperimentBound;
import dev.sluice.harness.simulate.ExperimentBound.Good;
import dev.sluice.harness.simulate.SimulatedExperiment;
import dev.sluice.producer.arrivals.RepeatSeeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The search for the capacity of one policy or several. Each run is written down once it has ended,
 * so that the same command goes on where an earlier one was stopped. The n-th run of each rate has
 * the n-th repeat's seed, under which the jobs are the same at each rate and their gaps shrink with
 * it.
 */
public final class CapacityRun {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String JOURNAL = "runs.jsonl";
  private static final int LENGTHS_MAX = 64;

  private final Options options;
  private final Console console;
  private final Map<String, CapacitySearch> searches = new LinkedHashMap<>();

  public CapacityRun(Options options, Console console) {
    this.options = options;
    this.console = console;
  }

  /** Searches, and returns the exit status: 0 if each policy has an answer, 4 if one has none. */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    ParsedExperiment parsed = options.read(options.overrides());
    Experiment experiment = parsed.experiment();
    double[] range = options.range();
    Load load = experiment.load();
    Target target = Target.of(options.target(), experiment);
    List<String> policies = policies(experiment);
    refuseWithoutRate(parsed);
    int lengthsMax = LENGTHS_MAX; // as many as the number of jobs at the highest rate allows
    for (String policy : policies) { // a mistake in any of them is found before the first run
      for (double rate : range) {
        ParsedExperiment one =
            options.read(options.overridesFor(load, rate, policy, experiment.seed(), 1));
        if (options.simulate()) {
          var unused = SimulatedExperiment.read(one, options.profile());
        } else {
          LaneSource.of(one).close();
        }
        double lengths = Ranges.JOBS_MAX / one.experiment().load().askedJobs();
        lengthsMax = (int) Math.min(lengthsMax, lengths);
      }
    }
    double resolutionShare = options.resolutionShare();
    int runsMax = options.runsMax();
    UserMistakeException.throwIf(
        runsMax < 2 || runsMax > 10_000,
        "--runs",
        "the value (" + runsMax + ") must be between 2 and 10000",
        "--runs 60 will do");
    var settings =
        new CapacitySearch.Settings(
            range[0],
            range[1],
            resolutionShare,
            runsMax,
            load.measuredSeconds(),
            load.warmupSeconds(),
            lengthsMax);
    String id = options.runId() != null ? options.runId() : experiment.runName() + "-capacity";
    Path folder = options.results().resolve(id);
    policies.forEach(policy -> searches.put(policy, new CapacitySearch(target, settings)));
    boolean fresh = !Files.exists(folder);
    try (var hold = FolderHold.take(folder, "--run-id")) {
      List<RunEvidence> runs = begin(folder, head(experiment, target, range), fresh);
      return execute(folder, target, runs, experiment);
    }
  }

  private int execute(Path folder, Target target, List<RunEvidence> runs, Experiment experiment)
      throws UserMistakeException, IOException, InterruptedException {
    for (RunEvidence run : runs) {
      CapacitySearch search = searches.get(run.policy());
      if (search != null) {
        search.add(run);
      }
    }
    if (!runs.isEmpty()) {
      console.line("Going on after " + runs.size() + " runs, which " + folder + " holds.");
    }
    var load = new LoadRuns(options, experiment.load(), target, folder.resolve("runs"), console);
    try (var signals =
        Signals.listen(
            () -> {
              console.line("Stopping. What is measured stays, and the same command goes on.");
              load.stop();
            },
            load::stop)) {
      boolean stopped = search(load, folder, runs, experiment.seed());
      if (stopped && signals.received()) {
        write(folder, target, runs, experiment.load());
        console.line("Folder    " + folder);
        return signals.exitStatus();
      }
    }
    int status = write(folder, target, runs, experiment.load());
    if (target.isShare() && (options.simulate() || experiment.lanes().emulated())) {
      row("bound", bound(target, experiment, options.range()));
    }
    console.line("Folder    " + folder);
    return status;
  }

  private void row(String name, String words) {
    console.line(ScreenText.labeled("  ", name, words));
  }

  private List<String> policies(Experiment experiment) throws UserMistakeException {
    String named = options.policies();
    if (named == null) {
      return List.of(experiment.scheduling().schedulerName());
    }
    List<String> policies = List.of(named.split("\\s*,\\s*", -1));
    UserMistakeException.throwIf(
        policies.stream().distinct().count() < policies.size(),
        "--policies",
        "the value (" + named + ") names a policy twice",
        "one is too many");
    return policies;
  }

  private static void refuseWithoutRate(ParsedExperiment parsed) throws UserMistakeException {
    Experiment experiment = parsed.experiment();
    UserMistakeException.throwIf(
        experiment.load().scenario() != Scenario.SERVER,
        parsed.location("scenario"),
        "the scenario (" + experiment.load().scenario().key() + ") has no rate",
        "scenario: server is meant");
    UserMistakeException.throwIf(
        experiment.load().arrivals() instanceof Replay,
        parsed.location("arrivals"),
        "the requests are those of a file, which no seed varies",
        "arrivals: poisson is meant");
  }

  private String head(Experiment experiment, Target target, double[] range) {
    String asked =
        String.join(
            "\n",
            ResolvedConfig.digest(experiment),
            target.text(),
            String.valueOf(target.scopes()),
            range[0] + ".." + range[1],
            options.simulate() + (options.profile() == null ? "" : " " + options.profile()));
    return "{\"asked\":\"" + Sha256.hex(asked.getBytes(StandardCharsets.UTF_8)) + "\"}";
  }

  /** Makes the folder, or reads the runs that an earlier command left in it. */
  private static List<RunEvidence> begin(Path folder, String head, boolean fresh)
      throws UserMistakeException, IOException {
    Path journal = folder.resolve(JOURNAL);
    if (fresh) {
      Files.writeString(journal, head + "\n");
      return new ArrayList<>();
    }
    List<String> lines = Files.exists(journal) ? Files.readAllLines(journal) : List.of();
    UserMistakeException.throwIf(
        lines.isEmpty() || !lines.get(0).equals(head),
        "--run-id",
        "the folder (" + folder + ") is of another search or run",
        "you want another --run-id, or to move that folder away");
    List<RunEvidence> runs = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      try {
        runs.add(JSON.readValue(line, RunEvidence.class));
      } catch (JsonProcessingException e) {
        break; // the command was killed while it wrote this line
      }
    }
    Files.write(journal, lines.subList(0, 1 + runs.size()));
    return runs;
  }

  /**
   * Runs what the searches ask for, one run of each policy in turn, in drawn order.
   *
   * @return true if a person stopped it
   */
  private boolean search(LoadRuns load, Path folder, List<RunEvidence> runs, long seed)
      throws UserMistakeException, IOException, InterruptedException {
    var order = new Random(seed);
    while (true) {
      if (options.simulate()) { // virtual time costs little
        searches.values().stream()
            .filter(CapacitySearch::wantsLongerRuns)
            .forEach(CapacitySearch::lengthen);
      }
      List<Map.Entry<String, CapacitySearch>> asking = new ArrayList<>(searches.entrySet());
      asking.removeIf(entry -> entry.getValue().next().isEmpty());
      if (asking.isEmpty()) {
        return false;
      }
      Collections.shuffle(asking, order);
      for (Map.Entry<String, CapacitySearch> entry : asking) {
        String policy = entry.getKey();
        CapacitySearch search = entry.getValue();
        double rate = search.next().orElseThrow();
        try {
          RunEvidence run =
              load.run(
                  policy, rate, RepeatSeeds.of(seed, 1 + search.madeOf(rate)), search.lengths());
          search.add(run);
          runs.add(run);
          Files.writeString(
              folder.resolve(JOURNAL),
              JSON.writeValueAsString(run) + "\n",
              StandardOpenOption.APPEND);
          String line =
              String.format(
                  Locale.ROOT,
                  "%-14s %10s/s  run %2d  p99 %8s ms  goodput %8s/s  %s%s",
                  policy,
                  Decimals.plain(rate),
                  search.runsOf(rate),
                  Decimals.short3(run.p99Ms()),
                  Decimals.short3(run.goodputJobsSec()),
                  search.verdictOf(rate),
                  run.silent().isEmpty()
                      ? run.unstable() ? " (unstable)" : ""
                      : " (" + run.silent() + ")");
          if (!search.isOpen(rate)) {
            console.clearLiveLine();
            console.line(line);
          } else if (console.isTerminal()) {
            console.live(line); // which the next one replaces
          }
        } catch (LoadRuns.StoppedRunException e) {
          return true;
        }
      }
    }
  }

  private int write(Path folder, Target target, List<RunEvidence> runs, Load load)
      throws IOException {
    var csv =
        new StringBuilder(
            "policy,rate_jobs_sec,seed,unstable,says_nothing,p99_e2e_ms,goodput_jobs_sec,rate_verdict,measured_seconds\n");
    for (RunEvidence run : runs) {
      CapacitySearch search = searches.get(run.policy());
      csv.append(
              String.join(
                  ",",
                  run.policy(),
                  Decimals.plain(run.rate()),
                  String.valueOf(run.seed()),
                  String.valueOf(run.unstable()),
                  "\"" + run.silent().replace('"', '\'') + "\"",
                  Double.isFinite(run.p99Ms()) ? Double.toString(run.p99Ms()) : "",
                  String.valueOf(run.goodputJobsSec()),
                  search == null ? "" : search.verdictOf(run.rate()),
                  Decimals.plain(run.lengths() * load.measuredSeconds())))
          .append('\n');
    }
    Files.writeString(folder.resolve("capacity.csv"), csv);
    console.line("");
    console.line("Capacity under " + target.words() + (options.simulate() ? ", simulated" : ""));
    boolean resolved = true;
    List<Picture.Runs> pictures = new ArrayList<>();
    for (Map.Entry<String, CapacitySearch> entry : searches.entrySet()) {
      Answer answer = entry.getValue().answer();
      resolved &= answer.outcome() != Outcome.NOT_RESOLVED;
      row(entry.getKey(), answer.words());
      List<RunEvidence> own =
          runs.stream()
              .filter(run -> run.policy().equals(entry.getKey()) && run.silent().isEmpty())
              .sorted(Comparator.comparingDouble(RunEvidence::rate))
              .toList();
      if (!own.isEmpty()) {
        pictures.add(picture(entry.getKey(), own, answer));
      }
    }
    if (!pictures.isEmpty()) {
      Files.write(
          folder.resolve("capacity.png"),
          Picture.loads(
              "Load against p99 and goodput: "
                  + target.words()
                  + (options.simulate() ? " · simulated" : ""),
              pictures));
    }
    return resolved ? ExitStatus.DONE : ExitStatus.INCONCLUSIVE;
  }

  private static Picture.Runs picture(String policy, List<RunEvidence> runs, Answer answer) {
    Map<Double, List<RunEvidence>> byRate =
        runs.stream().collect(Collectors.groupingBy(RunEvidence::rate, TreeMap::new, toList()));
    double[] medians =
        byRate.values().stream()
            .map(of -> of.stream().mapToDouble(RunEvidence::p99Ms).sorted().toArray())
            .mapToDouble(sorted -> sorted[(sorted.length - 1) / 2])
            .toArray();
    double[] fit = CapacitySearch.rising(medians);
    List<Point> lines = new ArrayList<>();
    byRate.forEach(
        (rate, of) -> {
          double goodput = of.stream().collect(averagingDouble(RunEvidence::goodputJobsSec));
          lines.add(new Point(rate, fit[lines.size()], goodput));
        });
    return new Picture.Runs(
        policy,
        runs.stream().map(run -> new Point(run.rate(), run.p99Ms(), run.goodputJobsSec())).toList(),
        lines,
        Stream.of(answer.pass(), answer.fail()).filter(rate -> !Double.isNaN(rate)).toList());
  }

  /**
   * Says between which rates the highest one lies at which a bound lets a scheduler keep a target,
   * with the requests of each rate's first run.
   */
  private String bound(Target target, Experiment experiment, double[] range) {
    double kept = range[0];
    double missed = range[1];
    try {
      if (!isKept(target, experiment, kept)) {
        return "below " + CapacitySearch.text(kept) + ", which no scheduler keeps";
      }
      if (isKept(target, experiment, missed)) {
        return "above " + CapacitySearch.text(missed) + ", which a scheduler may keep";
      }
      while (missed / kept > 1 + options.resolutionShare()) {
        double rate = CapacitySearch.middle(kept, missed);
        if (isKept(target, experiment, rate)) {
          kept = rate;
        } else {
          missed = rate;
        }
      }
    } catch (UserMistakeException e) { // the runs were made, and do not need what a bound needs
      return "none: " + e.problems().get(0).what();
    }
    return "between %s, which a scheduler may keep, and %s, which none keeps"
        .formatted(CapacitySearch.text(kept), CapacitySearch.text(missed));
  }

  private boolean isKept(Target target, Experiment experiment, double rate)
      throws UserMistakeException {
    ExperimentBound bound =
        ExperimentBound.of(
            options.read(
                options.overridesFor(
                    experiment.load(),
                    rate,
                    experiment.scheduling().schedulerName(),
                    RepeatSeeds.of(experiment.seed(), 1),
                    1)),
            options.profile());
    List<List<Scope>> kept = new ArrayList<>(List.of(target.scopes())); // all of them together too
    target.scopes().forEach(scope -> kept.add(List.of(scope)));
    for (List<Scope> scopes : target.scopes().size() == 1 ? kept.subList(1, 2) : kept) {
      Good good =
          bound.good(
              kind -> scopes.stream().anyMatch(one -> one.holds(kind.classType(), kind.workload())),
              target.promiseNs());
      if (good.goodMax() < (1 - target.limit()) * good.jobs()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Options of a search for capacities, as the user wrote them.
   *
   * @param policies names with commas; null: the experiment's own
   * @param between {@code FROM..TO}
   * @param resolution a share, or a percentage
   * @param runsMax most runs of each policy
   * @param profile service times of a simulation in place of those that the experiment names; null:
   *     none
   */
  public record Options(
      Path config,
      List<String> overrides,
      Path results,
      @Nullable String runId,
      String target,
      @Nullable String policies,
      String between,
      String resolution,
      int runsMax,
      boolean simulate,
      @Nullable Path profile) {
    private static final String NUMBER = "\\s*([0-9]+(?:\\.[0-9]+)?)\\s*";
    private static final Pattern RANGE = Pattern.compile(NUMBER + "\\.\\." + NUMBER);
    private static final Pattern SHARE = Pattern.compile(NUMBER + "(%?)");

    public Options {
      overrides = List.copyOf(overrides);
    }

    /**
     * The experiment, at a rate, under a policy and with a seed; without thresholds.
     *
     * @param load the experiment's load
     * @param lengths how many times as long its measured window is
     */
    List<String> overridesFor(Load load, double rate, String policy, long seed, int lengths) {
      List<String> all = new ArrayList<>(overrides);
      if (lengths > 1) {
        all.add("duration_seconds=" + (load.warmupSeconds() + lengths * load.measuredSeconds()));
      }
      all.add("arrival_rate_jobs_per_sec=" + Double.toString(rate));
      all.add("scheduler_name=" + policy);
      all.add("seed=" + seed);
      all.add("thresholds={}");
      return all;
    }

    ParsedExperiment read(List<String> all) throws UserMistakeException {
      ParsedExperiment parsed = ExperimentFile.read(config, all, Registries.vocabulary());
      return simulate ? parsed : LiveExperiment.withUsableLanes(parsed);
    }

    double[] range() throws UserMistakeException {
      Matcher matcher = RANGE.matcher(between);
      UserMistakeException.throwIf(
          !matcher.matches(),
          "--between",
          "the value (" + between + ") is no range",
          "you meant 50..2000");
      double from = Double.parseDouble(matcher.group(1));
      double to = Double.parseDouble(matcher.group(2));
      UserMistakeException.throwIf(
          from == to,
          "--between",
          "the value (" + between + ") is one rate, not a range",
          "./sluice run with --set arrival_rate_jobs_per_sec=" + matcher.group(1) + " is meant");
      UserMistakeException.throwIf(
          from > to,
          "--between",
          "the range (" + between + ") is turned round",
          "you meant " + matcher.group(2) + ".." + matcher.group(1));
      UserMistakeException.throwIf(
          from <= 0 || to > 1e6,
          "--between",
          "rates (" + between + ") must be above 0 and at most 1000000 jobs/s",
          "you meant 50..2000");
      return new double[] {from, to};
    }

    double resolutionShare() throws UserMistakeException {
      Matcher matcher = SHARE.matcher(resolution);
      double share =
          matcher.matches()
              ? Double.parseDouble(matcher.group(1)) / (matcher.group(2).isEmpty() ? 1 : 100)
              : 0;
      UserMistakeException.throwIf(
          !(share >= 0.001 && share <= 1),
          "--resolution",
          "the value (" + resolution + ") must be between 0.1% and 100%",
          "you meant 5%");
      return share;
    }
  }
}
