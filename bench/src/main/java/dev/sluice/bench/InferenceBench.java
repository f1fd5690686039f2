package dev.sluice.bench;

import dev.sluice.analytics.row.FinishedBatch;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Inference through the whole loop at saturation, as a share of what DJL alone gives in a plain
 * loop with the same model file and threads: one lane of one thread. The loop's inputs stand ready;
 * that a lane makes each job's own counts against the lane. The plain loop is timed before and
 * after the run, and their mean counts, so that a drift of the machine's speed cancels out.
 */
final class InferenceBench implements Bench {
  private static final int WARM_UP_SECONDS = 10;

  private final int samples;
  private final String workload;
  private final int seconds;
  private final Row row;
  private final LoopBench loop;

  /**
   * @param ratePerSecond of jobs, far above what a lane can do, on a faster machine as well
   */
  InferenceBench(
      String workload, int samples, double ratePerSecond, double goal, int seconds, Path folder) {
    this.workload = workload;
    this.samples = samples;
    this.seconds = seconds;
    row = Row.atLeast("inference_%s_%d_ratio".formatted(workload, samples), "", goal);
    loop =
        new LoopBench(
            "inference-" + workload + "-" + samples,
            String.format(
                Locale.ROOT,
                """
                duration_seconds: %d
                warmup_seconds: %d
                tail_seconds: 0
                arrival_rate_jobs_per_sec: %s
                workloads: [%s]
                backends_enabled: [onnx]
                batch_sizes: [%d]
                resources: {enabled: false}
                microbatch: {enabled: false}
                lanes: {num_lanes: 1, threads: 1, ahead: 1}
                """,
                seconds + WARM_UP_SECONDS,
                WARM_UP_SECONDS,
                ratePerSecond,
                workload,
                samples),
            folder);
  }

  @Override
  public String name() {
    return "inference-" + workload;
  }

  @Override
  public List<Row> rows() {
    return List.of(row);
  }

  @Override
  public Map<Row, Double> measure()
      throws IOException, InterruptedException, MeasurementFailedException {
    double before = inferencesPerSecondAlone();
    double throughLoop = inferencesPerSecond(loop.run().folder());
    double after = inferencesPerSecondAlone();
    return Map.of(row, throughLoop / ((before + after) / 2));
  }

  /** From the first batch's end after the warm-up to the last one's before the load ended. */
  private double inferencesPerSecond(Path run) throws IOException {
    List<Double> ends = new ArrayList<>();
    try {
      for (FinishedBatch batch : FinishedRun.read(run).doneBatches()) {
        double end = batch.endedNs() / 1e9;
        if (end >= WARM_UP_SECONDS && end < WARM_UP_SECONDS + seconds) {
          ends.add(end);
        }
      }
    } catch (UserMistakeException e) {
      throw new IOException(e);
    }
    Collections.sort(ends);
    return (ends.size() - 1) / (ends.get(ends.size() - 1) - ends.get(0));
  }

  private double inferencesPerSecondAlone() throws IOException, InterruptedException {
    String printed =
        Launch.of(
                ChildJvm.likeThis(
                    List.of(),
                    InferenceBench.class.getName(),
                    List.of(workload, Integer.toString(samples), Integer.toString(seconds / 2))))
            .errors(ProcessBuilder.Redirect.INHERIT)
            .printed("DJL alone");
    return Double.parseDouble(printed.lines().reduce((a, b) -> b).orElse("").trim());
  }

  /** Main of the child that measures DJL alone: prints inferences a second. */
  public static void main(String[] arguments) throws Exception {
    System.out.println(
        DjlLoop.inferencesPerSecond(
            arguments[0],
            Integer.parseInt(arguments[1]),
            Long.parseLong(arguments[2]) * 1_000_000_000L,
            MachineClock::monotonicNs));
  }
}
