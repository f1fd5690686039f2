package dev.sluice.bench;

import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.workflow.WorkflowSettings;
import dev.sluice.scheduling.workflow.GpuModel;
import dev.sluice.scheduling.workflow.Gpus;
import dev.sluice.scheduling.workflow.Gpus.GangSwitch;
import dev.sluice.scheduling.workflow.Graph;
import dev.sluice.scheduling.workflow.GraphListener;
import dev.sluice.scheduling.workflow.GraphRequest;
import dev.sluice.scheduling.workflow.GraphSimulation;
import dev.sluice.scheduling.workflow.NodeExecution;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Duration of the schedule of workflows, in a child process with the JVM's own defaults: requests
 * of one, two and four nodes, a gang among them, all at time 0 on {@value #GPUS} GPUs. Neither
 * files nor rows are part of it.
 */
public final class WorkflowBench implements Bench {
  private static final int GPUS = 8;
  private static final int REPEATS = 5;
  private static final int WARM_UPS = 4;
  private static final List<Integer> REQUESTS = List.of(1_000, 10_000, 100_000, 1_000_000);
  private static final int MEASURED = 100_000;
  private static final double NS_PER_SECOND = 1e9;

  private static final Row SECONDS = Row.atMost("workflows_100000_requests_s", "s", 2);

  /**
   * Exponent of time over requests: 1 is linear; 1.1 is twice the time each at 1000 times as many.
   */
  private static final Row GROWTH =
      Row.atMost("workflows_growth_from_1000_to_1000000", "exponent", 1.1);

  @Override
  public String name() {
    return "workflows";
  }

  @Override
  public List<Row> rows() {
    return List.of(SECONDS, GROWTH);
  }

  @Override
  public Map<Row, Double> measure() throws IOException, InterruptedException {
    String printed =
        ChildJvm.printed(
            List.of("-Xmx3g", "-XX:+UseSerialGC"),
            WorkflowBench.class.getName(),
            List.of(),
            "the bench of workflows");
    Map<Integer, Double> secondsByRequests = new LinkedHashMap<>();
    for (String line : printed.lines().toList()) {
      String[] fields = line.split(" ", -1);
      secondsByRequests.put(Integer.parseInt(fields[0]), Double.parseDouble(fields[1]));
    }
    int few = REQUESTS.get(0);
    int many = REQUESTS.get(REQUESTS.size() - 1);
    double times =
        secondsByRequests.getOrDefault(many, Double.NaN)
            / secondsByRequests.getOrDefault(few, Double.NaN);
    return Map.of(
        SECONDS,
        secondsByRequests.getOrDefault(MEASURED, Double.NaN),
        GROWTH,
        Math.log(times) / Math.log((double) many / few));
  }

  /** Main of the child: prints a line of requests and seconds (a median) for each size. */
  public static void main(String[] arguments) {
    String policy = arguments.length == 0 ? "ray_like" : arguments[0];
    for (int i = 0; i < WARM_UPS; i++) {
      seconds(10_000, policy);
    }
    for (int requests : REQUESTS) {
      double[] seconds = new double[REPEATS];
      for (int i = 0; i < REPEATS; i++) {
        seconds[i] = seconds(requests, policy);
      }
      Arrays.sort(seconds);
      System.out.println(requests + " " + seconds[REPEATS / 2]);
    }
  }

  private static double seconds(int count, String policy) {
    GpuModel small = new GpuModel("small", 14, 1, 10_000_000_000L, 0);
    GpuModel image = new GpuModel("image", 8, 1, 6_000_000_000L, 0);
    GpuModel large = new GpuModel("large", 60, 4, 40_000_000_000L, 0);
    List<Graph> graphs =
        List.of(
            new Graph("one", List.of(node("a", small))),
            new Graph("two", List.of(node("a", small), node("b", image, 0))),
            new Graph(
                "four",
                List.of(
                    node("a", small),
                    node("b", large, 0),
                    node("c", image, 0),
                    node("d", small, 1, 2))));
    var random = new SplittableRandom(7);
    List<GraphRequest> requests = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Graph graph = graphs.get(random.nextInt(graphs.size()));
      long[] executionNs = new long[graph.nodes().size()];
      Arrays.setAll(executionNs, node -> random.nextLong(20_000_000_000L));
      requests.add(new GraphRequest("request-" + i, graph, 0, executionNs));
    }
    var completed = new Completed();
    var simulation =
        new GraphSimulation(
            List.of(small, image, large),
            requests,
            new Gpus(GPUS, 16, 2_000_000_000L, GangSwitch.LONGEST),
            WorkflowSettings.newPolicy(policy),
            7,
            completed);
    long beganNs = MachineClock.monotonicNs();
    simulation.run();
    double seconds = (MachineClock.monotonicNs() - beganNs) / NS_PER_SECOND;
    if (completed.count != count) {
      throw new IllegalStateException(completed.count + " of " + count + " requests completed");
    }
    return seconds;
  }

  private static Graph.Node node(String id, GpuModel model, Integer... inputs) {
    return new Graph.Node(id, model, List.of(inputs));
  }

  private static final class Completed implements GraphListener {
    private int count;

    @Override
    public void arrived(long nowNs, int request) {}

    @Override
    public void placed(NodeExecution execution, @Nullable String resident) {}

    @Override
    public void ended(NodeExecution execution) {}

    @Override
    public void completed(long nowNs, int request) {
      count++;
    }
  }
}
