package dev.sluice.harness.bench;

import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.scheduling.policies.Policies;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * {@link CoreBench} in child processes with the JVM's own defaults: a core alone, both compilers.
 * Each policy has a process of its own, as it has in a run.
 */
final class CoreInChild implements Bench {
  private static final int FEW_GROUPS = 48;

  @Override
  public String name() {
    return "core";
  }

  @Override
  public List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (int groups : CoreBench.GROUPS) {
      for (String policy : Policies.names()) {
        for (boolean microbatch : new boolean[] {false, true}) {
          rows.add(row(policy, microbatch, groups));
        }
      }
    }
    return rows;
  }

  private static Row row(String policy, boolean microbatch, int groups) {
    double goal = 1e6;
    if (groups == FEW_GROUPS) {
      goal = policy.equals("fifo") && !microbatch ? 5e6 : 2e6;
    }
    return Row.atLeast(
        String.format(
            Locale.ROOT,
            "core_%s_%s_%d_groups_jobs_per_s",
            policy,
            microbatch ? "joined" : "single",
            groups),
        "jobs/s",
        goal);
  }

  @Override
  public Map<Row, Double> measure() throws IOException, InterruptedException {
    Map<Row, Double> readings = new LinkedHashMap<>();
    for (String policy : Policies.names()) {
      String printed =
          ChildJvm.printed(
              List.of("-Xmx1g", "-XX:+UseSerialGC"),
              CoreInChild.class.getName(),
              List.of(policy),
              "the core's bench");
      for (String line : printed.lines().toList()) {
        String[] fields = line.split(" ", -1);
        readings.put(
            row(policy, Boolean.parseBoolean(fields[0]), Integer.parseInt(fields[1])),
            Double.parseDouble(fields[2]));
      }
    }
    return readings;
  }

  /** In the child: a line per reading of the policy named. */
  public static void main(String[] arguments) {
    CoreBench.run(
        arguments[0],
        MachineClock::monotonicNs,
        result ->
            System.out.println(
                String.join(
                    " ",
                    Boolean.toString(result.microbatch()),
                    Integer.toString(result.groups()),
                    Double.toString(result.jobsPerSecond()))));
  }
}
