package dev.sluice.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Highest rate of jobs that the whole loop keeps up with, and the share of that rate which it still
 * does when twice as many jobs arrive. Each rate is a short run on sixteen emulated lanes of 1 ms,
 * in batches of at most 32 jobs. The rate grows by a half from run to run until the loop falls
 * behind; one more run halves the gap.
 */
final class SustainedBench implements Bench {
  private static final Row SUSTAINED = Row.atLeastPerLoop("sustained_jobs_per_s", "jobs/s", 2_500);
  private static final Row OVERLOAD = Row.atLeast("overload_done_share", "", 0.5);
  private static final int FIRST_RATE = 2_000;
  private static final double STEP = 1.5;
  private static final int STEPS_MAX = 12;

  /** Least share of the asked jobs that must end in the window: chance takes a few in a hundred. */
  private static final double DONE_SHARE_MIN = 0.95;

  private final Benches.Window window;
  private final Path folder;
  private final Consumer<String> out;
  private int measured;

  /**
   * @param window window of each run
   * @param folder where files of the measurement go
   * @param out receives what each rate came to
   */
  SustainedBench(Benches.Window window, Path folder, Consumer<String> out) {
    this.window = window;
    this.folder = folder;
    this.out = out;
  }

  /** Runs the loop at a rate. */
  interface Trial {
    /**
     * Returns jobs done in a second, never more than were asked for.
     *
     * @return 0: the loop did not keep up
     */
    double jobsPerSecond(int asked) throws IOException, InterruptedException;
  }

  /** Returns the highest rate that was kept up with; 0: the loop fell behind at the first rate. */
  static double highest(Trial trial) throws IOException, InterruptedException {
    double best = 0;
    int kept = 0;
    int asked = FIRST_RATE;
    for (int step = 0; step < STEPS_MAX; step++) {
      double done = trial.jobsPerSecond(asked);
      if (done == 0) {
        break;
      }
      best = done;
      kept = asked;
      asked = (int) (asked * STEP);
    }
    if (kept > 0) {
      best = Math.max(best, trial.jobsPerSecond((kept + asked) / 2));
    }
    return best;
  }

  @Override
  public String name() {
    return "sustained";
  }

  @Override
  public List<Row> rows() {
    return List.of(SUSTAINED, OVERLOAD);
  }

  @Override
  public Map<Row, Double> measure() throws IOException, InterruptedException {
    measured++;
    double sustained = highest(this::jobsPerSecond);
    if (sustained == 0) {
      out.accept("  sustained: 0, since the loop fell behind at the first rate");
      return Map.of(SUSTAINED, 0.0);
    }
    try {
      double done = run((int) (2 * sustained)).figure("overall_throughput_jobs_sec");
      return Map.of(SUSTAINED, sustained, OVERLOAD, done / sustained);
    } catch (MeasurementFailedException e) {
      out.accept("  overload: none, since " + e.getMessage());
      return Map.of(SUSTAINED, sustained);
    }
  }

  private LoopBench.Finished run(int rate)
      throws IOException, InterruptedException, MeasurementFailedException {
    String config = Benches.emulated(window, rate, 1, 16) + Benches.BATCHES_OF_32;
    return new LoopBench("sustained-" + measured + "-" + rate, config, folder).beyondLimit().run();
  }

  private double jobsPerSecond(int asked) throws IOException, InterruptedException {
    String fault;
    double done = 0;
    try {
      LoopBench.Finished run = run(asked);
      done = run.figure("overall_throughput_jobs_sec");
      fault = fault(run.summary(), done, asked);
    } catch (MeasurementFailedException e) {
      fault = String.valueOf(e.getMessage());
    }
    out.accept(
        String.format(
            Locale.ROOT,
            "  %,d jobs/s asked, %,.0f done: %s",
            asked,
            done,
            fault.isEmpty() ? "kept up" : "not kept up, " + fault));
    return fault.isEmpty() ? Math.min(done, asked) : 0;
  }

  /** Returns why a run did not keep up; empty: it did. */
  private static String fault(JsonNode summary, double done, int asked) {
    if (summary.path("unstable").asBoolean(true)) {
      return "the queue grew";
    }
    if (summary.path("all_open").asLong(-1) != 0 || summary.path("all_dropped").asLong(-1) != 0) {
      return "jobs were left or dropped";
    }
    return done >= DONE_SHARE_MIN * asked ? "" : "fewer jobs ended than were asked for";
  }
}
