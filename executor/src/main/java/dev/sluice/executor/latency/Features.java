package dev.sluice.executor.latency;

import dev.sluice.executor.profile.LatencyKey;
import dev.sluice.executor.profile.ProfileRow;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A key as numbers, for trees. There is one column for each workload, backend and precision, 1
 * where the key has it, else 0; then the model's FLOPs per sample and parameters; then samples,
 * busy lanes and threads. Functions of the rows alone, in a fixed order.
 */
public final class Features {
  private final List<String> workloads;
  private final List<String> backends;
  private final List<String> precisions;
  private final SortedMap<String, Size> sizes = new TreeMap<>();

  /**
   * @param flopsPerSample 0: unknown
   * @param parameters 0: unknown
   */
  private record Size(long flopsPerSample, long parameters) {
    Size larger(Size other) {
      return new Size(
          Math.max(flopsPerSample, other.flopsPerSample), Math.max(parameters, other.parameters));
    }
  }

  public Features(List<ProfileRow> rows) {
    workloads = names(rows, LatencyKey::workload);
    backends = names(rows, LatencyKey::backend);
    precisions = names(rows, LatencyKey::precision);
    rows.forEach(
        row ->
            sizes.merge(
                row.key().workload(),
                new Size(row.flopsPerSample(), row.parameters()),
                Size::larger));
  }

  private static List<String> names(List<ProfileRow> rows, Function<LatencyKey, String> name) {
    return List.copyOf(
        rows.stream()
            .map(row -> name.apply(row.key()))
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  /** Returns the columns' names. */
  List<String> names() {
    return Stream.of(
            workloads.stream().map(name -> "workload_" + name),
            backends.stream().map(name -> "backend_" + name),
            precisions.stream().map(name -> "precision_" + name),
            Stream.of("flops_per_sample", "parameters", "samples", "busy_lanes", "threads"))
        .flatMap(columns -> columns)
        .toList();
  }

  double[] of(LatencyKey key) {
    List<Double> values = new ArrayList<>();
    workloads.forEach(name -> values.add(name.equals(key.workload()) ? 1.0 : 0));
    backends.forEach(name -> values.add(name.equals(key.backend()) ? 1.0 : 0));
    precisions.forEach(name -> values.add(name.equals(key.precision()) ? 1.0 : 0));
    Size size = sizes.getOrDefault(key.workload(), new Size(0, 0));
    values.add((double) size.flopsPerSample());
    values.add((double) size.parameters());
    values.add((double) key.samples());
    values.add((double) key.busyLanes());
    values.add((double) key.threads());
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }
}
