package dev.sluice.contract.workflow;

import dev.sluice.contract.workflow.Workflow.Edge;
import dev.sluice.contract.workflow.Workflow.Node;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds a cycle in a workflow: a path that ends where it began. */
final class Cycle {
  private Cycle() {}

  /**
   * The nodes of one cycle, from the one that is first in the file, which is repeated at the end.
   */
  static Optional<List<String>> in(Workflow workflow) {
    Map<String, List<String>> before = new LinkedHashMap<>();
    Map<String, List<String>> after = new HashMap<>();
    workflow.nodes().forEach(node -> before.put(node.id(), new ArrayList<>()));
    for (Edge edge : workflow.edges()) {
      List<String> inputs = before.get(edge.to());
      if (inputs != null && before.containsKey(edge.from())) {
        inputs.add(edge.from());
        after.computeIfAbsent(edge.from(), from -> new ArrayList<>()).add(edge.to());
      }
    }
    Map<String, Integer> waitsFor = new HashMap<>();
    Deque<String> free = new ArrayDeque<>();
    before.forEach(
        (node, inputs) -> {
          waitsFor.put(node, inputs.size());
          if (inputs.isEmpty()) {
            free.add(node);
          }
        });
    while (!free.isEmpty()) {
      String node = free.remove();
      before.remove(node);
      for (String next : after.getOrDefault(node, List.of())) {
        if (waitsFor.merge(next, -1, Integer::sum) == 0) {
          free.add(next);
        }
      }
    }
    return before.isEmpty()
        ? Optional.empty()
        : Optional.of(walkBack(before, workflow.nodes().stream().map(Node::id).toList()));
  }

  /**
   * Goes back over inputs: each node that is left has an input that is left, so the path closes.
   */
  private static List<String> walkBack(Map<String, List<String>> before, List<String> inFile) {
    Map<String, Integer> placeOf = new HashMap<>();
    List<String> way = new ArrayList<>();
    String node = before.keySet().iterator().next();
    while (placeOf.putIfAbsent(node, way.size()) == null) {
      way.add(node);
      node =
          before.getOrDefault(node, List.of()).stream()
              .filter(before::containsKey)
              .findFirst()
              .orElseThrow();
    }
    List<String> cycle = new ArrayList<>(way.subList(placeOf.getOrDefault(node, 0), way.size()));
    Collections.reverse(cycle);
    int first =
        cycle.indexOf(Collections.min(cycle, Comparator.comparingInt(id -> inFile.indexOf(id))));
    Collections.rotate(cycle, -first);
    cycle.add(cycle.get(0));
    return cycle;
  }
}
