package dev.sluice.harness.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.analytics.check.CheckReport;
import dev.sluice.analytics.check.Rule;
import dev.sluice.analytics.check.ScheduleCheck;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.harness.frame.Seeds;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.SchedulingPolicy.Need;
import dev.sluice.scheduling.simulation.Gpus;
import dev.sluice.scheduling.simulation.Gpus.GangSwitch;
import dev.sluice.scheduling.simulation.GraphSchedule.LowerBound;
import dev.sluice.scheduling.simulation.GraphSimulation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Schedules of random graphs over gangs of random GPUs, under each policy, pass the check. {@code
 * -Dsluice.tries=N} makes N of them, from the seed {@code -Dsluice.fuzz.seed} on.
 */
final class RandomWorkflowsTest {
  private static final int QUICK = 30;
  private static final int FULL = 150;

  @TempDir private Path folder;

  @Test
  void passTheCheck() throws Exception {
    long[] seeds = Seeds.of(QUICK, FULL);
    List<String> failures = new ArrayList<>();
    long gangs = 0;
    long switches = 0;
    for (long seed : seeds) {
      CheckReport report = scheduled(seed);
      gangs += report.looked().getOrDefault(Rule.GANG, 0L);
      switches += report.looked().getOrDefault(Rule.SWITCH, 0L);
      if (!report.passed()) {
        failures.add(
            "seed %d: %s, such as %s"
                .formatted(seed, report.faultCounts(), report.faults().get(0)));
      }
    }
    System.out.printf(
        "random workflows: %d from seed %d, %,d nodes of gangs, %,d switches%n",
        seeds.length, seeds[0], gangs, switches);
    assertThat(failures).isEmpty();
    assertThat(gangs).isPositive();
    assertThat(switches).isPositive();
  }

  private CheckReport scheduled(long seed) throws Exception {
    var random = new Random(seed);
    int count = 1 + random.nextInt(6);
    var gpus =
        new Gpus(
            count,
            1 + random.nextInt(20),
            random.nextInt(3) * 700_000_000L,
            random.nextInt(4) == 0 ? GangSwitch.FIRST : GangSwitch.LONGEST);
    int[] nodes = new int[1 + random.nextInt(3)];
    Path system = Files.writeString(folder.resolve("system.yaml"), system(random, count, nodes));
    Path requests = Files.writeString(folder.resolve("requests.yaml"), requests(random, nodes));
    boolean online = random.nextBoolean();
    List<String> policies =
        Policies.names().stream()
            .filter(name -> !WorkflowSettings.newPolicy(name).needs().has(Need.DROPPING))
            .toList();
    String policy = policies.get((int) Math.floorMod(seed, (long) policies.size()));
    var workflows =
        Workflows.of(
            WorkflowFiles.read(system, requests, count, /* skipInfeasible= */ false),
            gpus,
            online,
            model -> GraphSimulation.BACKEND);
    var schedule = WorkflowSchedules.simulated(workflows, policy, null);
    var bound = LowerBound.of(workflows.requests(), count);
    new ExecutionLog(schedule, workflows, bound, /* executed= */ false)
        .write(folder, /* withExecutions= */ true);
    return ScheduleCheck.of(folder.resolve(ExecutionLog.NAME), system, requests);
  }

  private static String system(Random random, int gpus, int[] nodes) {
    var yaml = new StringBuilder("models:\n");
    int models = 1 + random.nextInt(4);
    for (int i = 0; i < models; i++) {
      line(
          yaml,
          "  m%d: {memory_gb: %d, gpus_required: %d, load_time_seconds: %s, inference_time_mean:"
              + " %s}",
          i,
          1 + random.nextInt(40),
          random.nextInt(3) == 0 ? 1 + random.nextInt(gpus) : 1,
          random.nextInt(40) / 8.0,
          (1 + random.nextInt(60)) / 7.0);
    }
    yaml.append("workflows:\n");
    for (int i = 0; i < nodes.length; i++) {
      nodes[i] = 1 + random.nextInt(6);
      List<String> of = new ArrayList<>();
      List<String> edges = new ArrayList<>();
      for (int node = 0; node < nodes[i]; node++) {
        of.add("{id: n%d, model: m%d}".formatted(node, random.nextInt(models)));
        for (int before = 0; before < node; before++) {
          if (random.nextInt(3) == 0) {
            edges.add("{from: n%d, to: n%d}".formatted(before, node));
          }
        }
      }
      line(
          yaml,
          "  w%d: {class: %s, slo_ms: %d, nodes: %s, edges: %s}",
          i,
          random.nextBoolean() ? "interactive" : "batch",
          1000 + random.nextInt(200_000),
          of,
          edges);
    }
    return yaml.toString();
  }

  private static String requests(Random random, int[] nodes) {
    var yaml = new StringBuilder("requests:\n");
    int count = 1 + random.nextInt(40);
    for (int i = 0; i < count; i++) {
      int workflow = random.nextInt(nodes.length);
      List<String> times = new ArrayList<>();
      for (int node = 0; node < nodes[workflow]; node++) {
        if (random.nextInt(3) == 0) {
          times.add("n%d: %s".formatted(node, random.nextInt(100) / 11.0));
        }
      }
      line(
          yaml,
          "  - {request_id: r%d, timestamp: \"2024-01-01T10:00:%02d.%03d\", workflow_id: w%d,"
              + " node_execution_times: {%s}}",
          i,
          random.nextInt(60),
          random.nextInt(4) * 250,
          workflow,
          String.join(", ", times));
    }
    return yaml.toString();
  }

  private static void line(StringBuilder yaml, String format, Object... values) {
    yaml.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
