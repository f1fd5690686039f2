package dev.sluice.bench;

import dev.sluice.harness.process.ChildJvm;
import dev.sluice.scheduling.policies.Policies;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Speed of the core alone: {@link CoreJobs} with both compilers. Each policy and load has a process
 * of its own, as it has in a run. For who writes a policy, and no part of the table.
 */
final class CoreBench implements Bench {
  /** Numbers of groups that the waiting jobs are of. */
  private static final List<Integer> GROUPS = List.of(48, 400);

  /** Jobs that a policy may be asked for in the time of a fixed loop. */
  private static final int JOBS_PER_LOOP_MIN = 80_000;

  /** A policy and its load. */
  private record Load(String policy, boolean joined, int groups) {
    Row row() {
      String jobs = joined ? "joined" : "single";
      String name =
          String.format(Locale.ROOT, "core_%s_%s_%d_groups_jobs_per_s", policy, jobs, groups);
      return Row.atLeastPerLoop(name, "jobs/s", JOBS_PER_LOOP_MIN);
    }
  }

  private static List<Load> loads() {
    List<Load> loads = new ArrayList<>();
    for (int groups : GROUPS) {
      for (String policy : Policies.names()) {
        loads.add(new Load(policy, false, groups));
        loads.add(new Load(policy, true, groups));
      }
    }
    return loads;
  }

  @Override
  public String name() {
    return "core";
  }

  @Override
  public List<Row> rows() {
    return loads().stream().map(Load::row).toList();
  }

  @Override
  public Map<Row, Double> measure() throws IOException, InterruptedException {
    Map<Row, Double> readings = new LinkedHashMap<>();
    for (Load load : loads()) {
      List<String> arguments =
          List.of(load.policy, Boolean.toString(load.joined), Integer.toString(load.groups));
      String printed =
          ChildJvm.printed(
              List.of("-Xmx1g", "-XX:+UseSerialGC"),
              CoreJobs.class.getName(),
              arguments,
              "the bench of the core (" + String.join(" ", arguments) + ")");
      readings.put(load.row(), Double.parseDouble(printed.strip()));
    }
    return readings;
  }
}
