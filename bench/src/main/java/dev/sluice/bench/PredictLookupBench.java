package dev.sluice.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Time that a policy waits for one prediction: {@link PredictLookups} in a process with the JVM
 * options of this one, those of a live scheduler.
 */
public final class PredictLookupBench implements Bench {
  private static final Row LOOKUP = Row.atMost("predict_lookup_ns", "ns", 1000);

  private final Path folder;
  private int runs;

  /**
   * @param folder where the output of the measurement goes
   */
  public PredictLookupBench(Path folder) {
    this.folder = folder;
  }

  @Override
  public String name() {
    return "predict-lookup";
  }

  @Override
  public List<Row> rows() {
    return List.of(LOOKUP);
  }

  @Override
  public Map<Row, Double> measure() throws IOException, MeasurementFailedException {
    var forks = new JmhForks(PredictLookups.class, folder.resolve(name() + "-" + ++runs + ".out"));
    return Map.of(LOOKUP, forks.medians().get(0).score());
  }
}
