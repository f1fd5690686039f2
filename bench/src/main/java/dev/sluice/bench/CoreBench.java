package dev.sluice.bench;

import dev.sluice.scheduling.policies.Policies;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Speed of a core alone: {@link CoreJobs} with both compilers. Each policy and load has a process
 * of its own, as it has in a run.
 */
public final class CoreBench implements Bench {
  /** Numbers of groups that the waiting jobs are of. */
  private static final List<Integer> GROUPS = List.of(48, 400);

  private static final int FEW_GROUPS = 48;

  private final Path folder;
  private int runs;

  /**
   * @param folder where the output of the measurement goes
   */
  public CoreBench(Path folder) {
    this.folder = folder;
  }

  @Override
  public String name() {
    return "core";
  }

  @Override
  public List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (int groups : GROUPS) {
      for (String policy : Policies.names()) {
        for (boolean microbatch : new boolean[] {false, true}) {
          rows.add(row(policy, microbatch, groups));
        }
      }
    }
    return rows;
  }

  private static Row row(String policy, boolean microbatch, int groups) {
    double goal = 0.8e6;
    if (groups == FEW_GROUPS) {
      goal = policy.equals("fifo") && !microbatch ? 4e6 : 1.5e6;
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
  public Map<Row, Double> measure() throws IOException, MeasurementFailedException {
    var forks =
        new JmhForks(CoreJobs.class, folder.resolve(name() + "-" + ++runs + ".out"))
            .withJvmOptions("-Xmx1g", "-XX:+UseSerialGC")
            .with("policy", Policies.names())
            .with("microbatch", List.of(false, true))
            .with("groups", GROUPS);
    Map<Row, Double> readings = new LinkedHashMap<>();
    for (JmhForks.Median median : forks.medians()) {
      Row row =
          row(
              median.parameter("policy"),
              Boolean.parseBoolean(median.parameter("microbatch")),
              Integer.parseInt(median.parameter("groups")));
      readings.put(row, median.score());
    }
    return readings;
  }
}
