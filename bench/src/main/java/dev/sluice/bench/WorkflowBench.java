package dev.sluice.bench;

import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.workflow.WorkflowSettings;
import dev.sluice.scheduler.topology.WorkflowCore;
import dev.sluice.scheduling.simulation.Gpus;
import dev.sluice.scheduling.simulation.Gpus.GangSwitch;
import dev.sluice.scheduling.simulation.Gpus.GpuModel;
import dev.sluice.scheduling.simulation.GraphSimulation;
import dev.sluice.scheduling.simulation.GraphSimulation.GraphListener;
import dev.sluice.scheduling.simulation.NodeExecution;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Duration of the schedule of {@value #REQUESTS} workflow requests of one, two and four nodes, a
 * gang among them, all at time 0 on {@value #GPUS} GPUs, in a child process. Neither files nor rows
 * are part of it.
 */
final class WorkflowBench implements Bench {
  private static final int GPUS = 8;
  private static final int REPEATS = 5;
  private static final int WARM_UPS = 4;
  private static final int WARM_UP_REQUESTS = 10_000;
  private static final int REQUESTS = 100_000;
  private static final String POLICY = "ray_like";
  private static final double NS_PER_SECOND = 1e9;

  private static final Row SECONDS = Row.atMostLoops("workflows_100000_requests_s", "s", 1.6);

  @Override
  public String name() {
    return "workflows";
  }

  @Override
  public List<Row> rows() {
    return List.of(SECONDS);
  }

  @Override
  public Map<Row, Double> measure() throws IOException, InterruptedException {
    String printed =
        ChildJvm.printed(
            List.of("-Xmx3g", "-XX:+UseSerialGC"),
            WorkflowBench.class.getName(),
            List.of(),
            "the bench of workflows");
    return Map.of(SECONDS, Double.parseDouble(printed.strip()));
  }

  /** Main of the child: prints seconds, a median. */
  public static void main(String[] arguments) {
    for (int i = 0; i < WARM_UPS; i++) {
      double unused = seconds(WARM_UP_REQUESTS);
    }
    double[] seconds = new double[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
      seconds[i] = seconds(REQUESTS);
    }
    Arrays.sort(seconds);
    System.out.println(seconds[REPEATS / 2]);
  }

  private static double seconds(int count) {
    GpuModel small = new GpuModel("small", 14, 1, 10_000_000_000L, 0);
    GpuModel image = new GpuModel("image", 8, 1, 6_000_000_000L, 0);
    GpuModel large = new GpuModel("large", 60, 4, 40_000_000_000L, 0);
    List<List<WorkflowRequested.Node>> graphs =
        List.of(
            List.of(node("a", small)),
            List.of(node("a", small), node("b", image, 0)),
            List.of(
                node("a", small),
                node("b", large, 0),
                node("c", image, 0),
                node("d", small, 1, 2)));
    var random = new SplittableRandom(7);
    List<WorkflowRequested> requests = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      List<WorkflowRequested.Node> nodes = graphs.get(random.nextInt(graphs.size()));
      long[] executionNs = new long[nodes.size()];
      Arrays.setAll(executionNs, node -> random.nextLong(20_000_000_000L));
      requests.add(
          new WorkflowRequested("request-" + i, 0, i, "graph", "batch", null, 0, 0, nodes)
              .expecting(executionNs));
    }
    var counted = new EndedNodes();
    var simulation =
        new GraphSimulation(
            WorkflowCore.settings(7, List.of("small", "image", "large")),
            List.of(small, image, large),
            requests,
            new Gpus(GPUS, 16, 2_000_000_000L, GangSwitch.LONGEST),
            WorkflowSettings.newPolicy(POLICY),
            counted);
    long beganNs = MachineClock.monotonicNs();
    simulation.run();
    double seconds = (MachineClock.monotonicNs() - beganNs) / NS_PER_SECOND;
    int nodes = requests.stream().mapToInt(request -> request.nodes().size()).sum();
    if (counted.count != nodes) {
      throw new IllegalStateException(counted.count + " of " + nodes + " nodes ended");
    }
    return seconds;
  }

  private static WorkflowRequested.Node node(String id, GpuModel model, Integer... inputs) {
    return new WorkflowRequested.Node(
        id,
        model.id(),
        GraphSimulation.BACKEND,
        GraphSimulation.PRECISION,
        1,
        model.gpus(),
        0,
        List.of(inputs));
  }

  private static final class EndedNodes implements GraphListener {
    private int count;

    @Override
    public void arrived(long nowNs, int request) {}

    @Override
    public void placed(NodeExecution execution) {}

    @Override
    public void ended(NodeExecution execution) {
      count++;
    }
  }
}
