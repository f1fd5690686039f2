package dev.sluice.planning.plan;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.OutputFile;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.planning.pipeline.PipelineRun;
import dev.sluice.planning.plan.PlanTable.YamlList;
import dev.sluice.planning.plan.PlanningFiles.Asked;
import dev.sluice.planning.split.Plan;
import dev.sluice.planning.split.Plan.Stage;
import dev.sluice.planning.split.PlanOutcome;
import dev.sluice.planning.split.PlanProblem;
import dev.sluice.planning.split.PlanProblem.DeviceType;
import dev.sluice.planning.split.Planner;
import dev.sluice.planning.split.Pricing;
import dev.sluice.planning.split.SearchSettings;
import dev.sluice.planning.split.SearchSettings.Objective;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One plan, from the files to the printed answer. */
public final class PlanRun {
  private final Options options;
  private final PrintStream out;
  private final PrintStream err;

  /**
   * Options of a plan. The plan is a YAML list on standard output.
   *
   * @param hostsMax the most hosts that a plan may use, at least 1
   * @param limitNs time after which the search ends with what it has found
   * @param whatIf change of the devices, such as {@code TYPE+2}, whose plan is shown beside; null:
   *     none
   * @param evaluate schedule to be priced in place of a search; null: none
   * @param executeSeconds time for which micro-batches begin, as the plan then runs here; null: it
   *     does not
   * @param json true: JSON in place of the list
   * @param picture file of a picture; null: none
   * @param table true: a table on standard error
   */
  public record Options(
      PlanningFiles files,
      Asked asked,
      Objective objective,
      int hostsMax,
      long limitNs,
      @Nullable String whatIf,
      @Nullable Path evaluate,
      @Nullable Double executeSeconds,
      boolean json,
      @Nullable Path picture,
      boolean table) {}

  /**
   * @param out takes the YAML list or JSON, and nothing else
   * @param err takes warnings, tables and reasons
   */
  public PlanRun(Options options, PrintStream out, PrintStream err) {
    this.options = options;
    this.out = out;
    this.err = err;
  }

  /** Plans or prices, prints, runs the plan if asked to, and returns the exit status. */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    Path picture = options.picture();
    if (picture != null) {
      OutputFile.check(picture, PlanPicture.KIND, false);
    }
    PlanningFiles.Read read = options.files().read(options.asked());
    PlanProblem problem = read.problem();
    String whatIf = options.whatIf();
    DeviceChange change = whatIf == null ? null : DeviceChange.parse(whatIf);
    PlanProblem changedProblem = change == null ? null : problem.with(change.of(problem.types()));
    Path evaluate = options.evaluate();
    List<Stage> given = evaluate == null ? null : GivenSchedule.read(evaluate, problem);
    if (!options.json()) {
      read.warnings().forEach(err::println);
    }
    if (problem.hosts() == 0) { // only compatible: else a mistake
      out.println("[]");
      return ExitStatus.DONE;
    }
    Answer answer = given == null ? planned(problem) : priced(problem, given);
    Answer changed = changedProblem == null ? null : planned(changedProblem);
    print(read, answer, change, changed);
    Plan plan = answer.plan();
    if (picture != null && plan != null) {
      write(picture, answer, plan);
    }
    Double seconds = options.executeSeconds();
    if (seconds != null && plan != null && answer.isLegalPlan()) {
      warnOfDoubt(read, answer);
      Asked asked = options.asked();
      var pipeline =
          new PipelineRun.Options(
              asked.model(), asked.dtype(), asked.batchSize(), problem, plan, seconds);
      return new PipelineRun(pipeline, new Console(err, options.table())).execute();
    }
    return answer.isLegalPlan() || options.asked().compatible()
        ? ExitStatus.DONE
        : ExitStatus.FAULTS;
  }

  /** Types of the plan's hosts, each once. */
  private static IntStream used(Answer answer) {
    Plan plan = answer.plan();
    return plan == null
        ? IntStream.of()
        : plan.stages().stream().mapToInt(priced -> priced.stage().type()).distinct();
  }

  private void warnOfDoubt(PlanningFiles.Read read, Answer answer) {
    Path folder = options.files().types().toAbsolutePath().getParent();
    used(answer)
        .filter(type -> read.certainties().get(type).isDoubtful())
        .forEach(
            type -> {
              String name = read.problem().types().get(type).name();
              err.printf(
                  "warning: the times of (%s) are not sure, so that the pipeline may run at another"
                      + " speed: %s.%n",
                  name, read.certainties().get(type).words());
              err.printf(
                  "  Maybe measure again on a quiet machine: ./sluice profile --layers %s -b %d"
                      + " --device-type %s --results %s --passes 10 --force%n",
                  PipelineRun.network(options.asked().model()),
                  options.asked().batchSize(),
                  name,
                  folder);
            });
  }

  private Answer priced(PlanProblem problem, List<Stage> stages) {
    Pricing.Priced priced = Pricing.price(problem, stages);
    return new Answer(
        problem, options.asked().batchSize(), null, priced.plan(), priced.violations());
  }

  private Answer planned(PlanProblem problem) {
    long startedNs = MachineClock.monotonicNs();
    var settings =
        new SearchSettings(
            options.objective(),
            options.hostsMax(),
            SearchSettings.STATES_MAX,
            () -> MachineClock.monotonicNs() - startedNs >= options.limitNs());
    PlanOutcome outcome = Planner.plan(problem, settings);
    Plan plan = outcome instanceof PlanOutcome.Found found ? found.plan() : null;
    return new Answer(problem, options.asked().batchSize(), outcome, plan, List.of());
  }

  private void print(
      PlanningFiles.Read read,
      Answer answer,
      @Nullable DeviceChange change,
      @Nullable Answer changed) {
    Plan plan = answer.plan();
    boolean priced = options.evaluate() != null;
    if (options.json()) {
      Map<String, @Nullable Object> tree = PlanJson.head(options, read.warnings());
      tree.putAll(PlanJson.answer(answer));
      if (change != null && changed != null) {
        Map<String, @Nullable Object> beside = PlanJson.answer(changed);
        beside.put("change", change.text());
        tree.put("what_if", beside);
      }
      out.println(PlanJson.of(tree));
      return;
    }
    if (priced) { // the table is what was asked for
      PlanTable.lines(answer).forEach(out::println);
    } else if (plan != null) {
      out.print(YamlList.of(answer.problem(), plan));
    } else if (options.asked().compatible()) {
      out.println("[]");
    }
    out.flush();
    if (!priced && (options.table() || plan == null)) {
      PlanTable.lines(answer).forEach(err::println);
      used(answer)
          .filter(type -> !read.certainties().get(type).words().isEmpty())
          .forEach(
              type ->
                  err.println(
                      "measured      %s: %s"
                          .formatted(
                              read.problem().types().get(type).name(),
                              read.certainties().get(type).words())));
    }
    if (change != null && changed != null) {
      PlanTable.compared(answer, changed, change.text()).forEach(err::println);
    }
  }

  private void write(Path file, Answer answer, Plan plan) throws UserMistakeException {
    String title =
        "Plan · %s, batch size %d · %s"
            .formatted(options.asked().model(), options.asked().batchSize(), answer.verdict());
    byte[] png = PlanPicture.png(title, answer.problem(), plan);
    try {
      OutputFile.write(file, png);
    } catch (IOException e) {
      throw new UserMistakeException(
          "--plot",
          "(%s) cannot be written (%s)".formatted(file, UserMistakeException.reason(e)),
          "its folder should be made first",
          e);
    }
  }

  /** Devices with hosts of one type added or taken away: {@code RCC-VE-C2558+2}. */
  private record DeviceChange(String type, int hosts) {
    private static final Pattern FORM = Pattern.compile("(.+)([+-])([0-9]{1,4})");

    static DeviceChange parse(String text) throws UserMistakeException {
      Matcher matcher = FORM.matcher(text);
      UserMistakeException.throwIf(
          !matcher.matches(),
          "--what-if",
          "(" + text + ") is no device type with a number of hosts more or fewer",
          "you meant a form like TYPE+2 or TYPE-1");
      int hosts = Integer.parseInt(matcher.group(3));
      return new DeviceChange(matcher.group(1), matcher.group(2).equals("-") ? -hosts : hosts);
    }

    /** The types after the change: hosts are added behind those there, and taken from the end. */
    List<DeviceType> of(List<DeviceType> types) throws UserMistakeException {
      List<String> names = types.stream().map(DeviceType::name).toList();
      int place = names.indexOf(type);
      UserMistakeException.throwIf(
          place < 0,
          "--what-if",
          "the device type (" + type + ") is unknown, or it was left out",
          NearestName.advice(type, names, "device types"));
      DeviceType before = types.get(place);
      List<String> changed = new ArrayList<>(before.hosts());
      UserMistakeException.throwIf(
          changed.size() + hosts < 0,
          "--what-if",
          "type (%s) has (%d) hosts, fewer than (%d)".formatted(type, changed.size(), -hosts),
          "you meant " + type + "-" + changed.size());
      for (int i = 1; i <= hosts; i++) {
        changed.add(type + "+" + i);
      }
      List<DeviceType> all = new ArrayList<>(types);
      all.set(
          place,
          new DeviceType(
              type,
              changed.subList(0, before.hosts().size() + hosts),
              before.bitsPerSecond(),
              before.memoryBytes(),
              before.layerSeconds()));
      return all;
    }

    String text() {
      return type + (hosts < 0 ? "" : "+") + hosts;
    }
  }
}
