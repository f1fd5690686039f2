package dev.sluice.scheduling.simulation;

import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.event.WorkflowRequested.Node;
import dev.sluice.scheduling.simulation.Gpus.GangSwitch;
import dev.sluice.scheduling.simulation.Gpus.GpuModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Random requests for random graphs over random GPUs; times are few, so that there are ties. */
final class RandomGraphs {
  static final long SECOND = 1_000_000_000L;

  final Gpus gpus;
  final List<GpuModel> models;
  final List<WorkflowRequested> requests;

  RandomGraphs(long seed) {
    Random random = new Random(seed);
    int count = 1 + random.nextInt(6);
    gpus =
        new Gpus(
            count,
            16,
            random.nextInt(3) * SECOND,
            random.nextInt(4) == 0 ? GangSwitch.FIRST : GangSwitch.LONGEST);
    models =
        IntStream.rangeClosed(1, 1 + random.nextInt(4))
            .mapToObj(
                i ->
                    new GpuModel(
                        "m" + i,
                        8 * random.nextInt(4),
                        random.nextInt(3) == 0 ? 1 + random.nextInt(count) : 1,
                        random.nextInt(4) * SECOND,
                        random.nextInt(3) * SECOND))
            .toList();
    List<List<Node>> graphs =
        IntStream.rangeClosed(1, 1 + random.nextInt(3)).mapToObj(i -> graph(random)).toList();
    boolean offline = random.nextBoolean();
    requests = new ArrayList<>();
    int requestCount = random.nextInt(25);
    for (int i = 0; i < requestCount; i++) {
      List<Node> graph = graphs.get(random.nextInt(graphs.size()));
      long[] executionNs = random.longs(graph.size(), 0, 6).map(s -> s * SECOND).toArray();
      long arrivedAtNs = offline ? 0 : random.nextInt(40) * SECOND;
      requests.add(HandmadeRequests.request("r" + i, graph, arrivedAtNs, executionNs));
    }
  }

  private List<Node> graph(Random random) {
    List<Node> nodes = new ArrayList<>();
    int nodeCount = 1 + random.nextInt(6);
    for (int i = 0; i < nodeCount; i++) {
      int before = i;
      nodes.add(
          HandmadeRequests.node(
              "n" + i,
              models.get(random.nextInt(models.size())),
              IntStream.range(0, before).filter(j -> random.nextInt(3) == 0).boxed().toList()));
    }
    return nodes;
  }
}
