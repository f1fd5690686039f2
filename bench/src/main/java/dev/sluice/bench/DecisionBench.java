package dev.sluice.bench;

import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.Memory;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulingPolicy;
import dev.sluice.scheduling.policy.SchedulingPolicy.Happening;
import dev.sluice.scheduling.policy.SchedulingPolicy.Need;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Time of one decision of each policy that joins jobs by itself, while 10,000 jobs of {@value
 * #GROUPS} groups wait: what the policy takes for one answer, to remember what happened included.
 * The load is that of {@link CoreJobs}, with longer promises. Each policy has a process of its own.
 * For those who write a policy, and no part of the table.
 */
final class DecisionBench implements Bench {
  private static final int GROUPS = 48;
  private static final double GOAL_US = 5;

  /** Factor on the promises of {@link CoreJobs}: most jobs that wait can still be in time. */
  private static final int PROMISE_FACTOR = 30;

  private static final long WARM_UP_NS = 8_000_000_000L;
  private static final long MEASURED_NS = 3_000_000_000L;

  private final Consumer<String> out;

  /**
   * @param out receives how often each policy answers, and how long an answer that starts a batch
   *     takes
   */
  DecisionBench(Consumer<String> out) {
    this.out = out;
  }

  static List<String> policies() {
    return Policies.names().stream()
        .filter(name -> Policies.create(name, Map.of()).needs().has(Need.JOINING))
        .toList();
  }

  private static Row row(String policy) {
    return Row.atMost("decision_" + policy + "_us", "\u00b5s", GOAL_US);
  }

  @Override
  public String name() {
    return "decisions";
  }

  @Override
  public List<Row> rows() {
    return policies().stream().map(DecisionBench::row).toList();
  }

  @Override
  public Map<Row, Double> measure() throws IOException, InterruptedException {
    Map<Row, Double> readings = new LinkedHashMap<>();
    for (String policy : policies()) {
      String printed =
          ChildJvm.printed(
              List.of("-Xmx1g", "-XX:+UseSerialGC"),
              DecisionBench.class.getName(),
              List.of(policy),
              "the bench of decisions (" + policy + ")");
      List<String> lines = printed.lines().toList();
      out.accept("  decisions: " + policy + " " + lines.get(1));
      readings.put(row(policy), Double.parseDouble(lines.get(0)));
    }
    return readings;
  }

  /** Main of the child: prints what {@link #measured} returns. */
  public static void main(String[] arguments) {
    System.out.println(measured(arguments[0], WARM_UP_NS, MEASURED_NS));
  }

  /** Returns the mean microseconds of an answer and, on the next line, of each kind of answer. */
  static String measured(String policy, long warmUpNs, long measuredNs) {
    var timed = new Timed(Policies.create(policy, Map.of()));
    var jobs = new CoreJobs(timed, true, GROUPS, PROMISE_FACTOR);
    jobs.fill();
    double unused = jobs.perSecond(warmUpNs);
    timed.forget();
    double perSecond = jobs.perSecond(measuredNs);
    String text = String.format(Locale.ROOT, "%.3f%n%s", timed.meanUs(), timed.byKind(perSecond));
    jobs.finish();
    return text;
  }

  /** A policy whose answers are timed. */
  private static final class Timed implements SchedulingPolicy {
    private final SchedulingPolicy policy;
    private final Map<Class<?>, long[]> byKind = new LinkedHashMap<>();
    private long allNs;
    private long answers;

    Timed(SchedulingPolicy policy) {
      this.policy = policy;
    }

    void forget() {
      allNs = 0;
      answers = 0;
      byKind.clear();
    }

    double meanUs() {
      return allNs / 1e3 / answers;
    }

    String byKind(double jobsPerSecond) {
      var text = new StringBuilder();
      byKind.forEach(
          (kind, sums) ->
              text.append(
                  String.format(
                      Locale.ROOT,
                      "%s %.2f us (%d), ",
                      kind.getSimpleName().toLowerCase(Locale.ROOT),
                      sums[0] / 1e3 / sums[1],
                      sums[1])));
      return String.format(Locale.ROOT, "%s%.0f jobs/s", text, jobsPerSecond);
    }

    @Override
    public Choice choose(SchedulerState state) {
      long beganNs = MachineClock.monotonicNs();
      Choice choice = policy.choose(state);
      long tookNs = MachineClock.monotonicNs() - beganNs;
      allNs += tookNs;
      answers++;
      long[] sums = byKind.computeIfAbsent(choice.getClass(), kind -> new long[2]);
      sums[0] += tookNs;
      sums[1]++;
      return choice;
    }

    @Override
    public void remember(Memory memory, Happening what, SchedulerState state) {
      long beganNs = MachineClock.monotonicNs();
      policy.remember(memory, what, state);
      allNs += MachineClock.monotonicNs() - beganNs;
    }

    @Override
    public Needs needs() {
      return policy.needs();
    }

    @Override
    public int memoryVersion() {
      return policy.memoryVersion();
    }
  }
}
