package dev.sluice.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.analytics.compare.Comparison;
import dev.sluice.analytics.compare.Comparison.Verdict;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.simulate.QuietSimulation;
import dev.sluice.producer.arrivals.RepeatSeeds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Truth of verdicts: comparisons of eight simulated pairs whose sides do not differ but in their
 * noise, and of pairs of which one side has slower lanes.
 */
public final class CompareBench implements Bench {
  private static final Row PRIMARY = Row.atMost("compare_1000_aa_primary_verdicts", "", 65);
  private static final Row OTHER = Row.atMost("compare_1000_aa_with_other_verdicts", "", 65);
  private static final Row SLOWER = Row.atLeast("compare_100_slower_found", "", 80);
  private static final int PAIRS = 8;
  private static final JsonMapper JSON = new JsonMapper();

  private final Path shipped;

  /**
   * @param shipped file of the experiment {@code emulated_accelerator}
   */
  public CompareBench(Path shipped) {
    this.shipped = shipped;
  }

  @Override
  public String name() {
    return "compare";
  }

  @Override
  public List<Row> rows() {
    return List.of(PRIMARY, OTHER, SLOWER);
  }

  @Override
  public Map<Row, Double> measure() throws InterruptedException {
    List<Comparison> same = compare(1_000, "all_goodput_jobs_sec", List.of());
    // at its rate the lanes of A are busy for 0.70 of 200 s
    List<Comparison> slower = compare(100, "all_avg_e2e_ms", List.of("lanes.speed=0.9090909"));
    return Map.of(
        PRIMARY,
        (double) same.stream().filter(c -> isFound(c.primaryVerdict())).count(),
        OTHER,
        (double) same.stream().filter(Comparison::hasOtherVerdict).count(),
        SLOWER,
        (double) slower.stream().filter(c -> c.primaryVerdict() == Verdict.WORSE).count());
  }

  private static boolean isFound(Verdict verdict) {
    return verdict == Verdict.BETTER || verdict == Verdict.WORSE;
  }

  private List<Comparison> compare(int count, String primary, List<String> changes)
      throws InterruptedException {
    ExecutorService threads =
        Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
    try {
      List<Future<Comparison>> running = new ArrayList<>();
      for (int i = 1; i <= count; i++) {
        long seed = RepeatSeeds.of(7, i);
        running.add(threads.submit(() -> compare(seed, primary, changes)));
      }
      List<Comparison> comparisons = new ArrayList<>();
      for (Future<Comparison> one : running) {
        comparisons.add(one.get());
      }
      return comparisons;
    } catch (ExecutionException e) {
      throw new IllegalStateException("a simulation failed", e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private Comparison compare(long seed, String primary, List<String> changes)
      throws UserMistakeException, IOException {
    List<List<JsonNode>> pairs = new ArrayList<>();
    for (int pair = 1; pair <= PAIRS; pair++) {
      long pairSeed = RepeatSeeds.of(seed, pair);
      pairs.add(List.of(simulate(pairSeed, 1, List.of()), simulate(pairSeed, 2, changes)));
    }
    return Comparison.ofPairs(pairs, primary);
  }

  private JsonNode simulate(long seed, int noiseSeed, List<String> changes)
      throws UserMistakeException, IOException {
    List<String> overrides =
        new ArrayList<>(
            List.of(
                "duration_seconds=1.5",
                "warmup_seconds=0.5",
                "arrival_rate_jobs_per_sec=443",
                "seed=" + seed,
                "simulation.noise_seed=" + noiseSeed));
    overrides.addAll(changes);
    var parsed = ExperimentFile.read(shipped, overrides, Registries.vocabulary());
    return JSON.readTree(new QuietSimulation(parsed).summary("compared"));
  }
}
