package dev.sluice.planning.split;

import dev.sluice.planning.split.PlanProblem.DeviceType;
import dev.sluice.planning.split.SearchSettings.Objective;
import java.util.List;

/**
 * A priced schedule.
 *
 * @param stages in the order of the layers
 * @param bottleneckSeconds the largest compute or transfer time; one sample set leaves each such
 *     time
 * @param latencySeconds the sum of all compute and transfer times
 * @param bytesSent bytes that cross all links for one micro-batch
 */
public record Plan(
    List<PricedStage> stages, double bottleneckSeconds, double latencySeconds, long bytesSent) {
  public Plan {
    stages = List.copyOf(stages);
  }

  /** Returns what the plan has the least of. */
  public double seconds(Objective objective) {
    return objective == Objective.THROUGHPUT ? bottleneckSeconds : latencySeconds;
  }

  /**
   * A stage with what it costs.
   *
   * @param computeSeconds compute time of its layers
   * @param transferSeconds time to send its output to the next stage; 0 for the last stage;
   *     infinite over a bandwidth of 0
   * @param memoryBytes memory that it needs, which is less than its host has, unless the schedule
   *     breaks that rule
   */
  public record PricedStage(
      Stage stage, double computeSeconds, double transferSeconds, double memoryBytes) {}

  /**
   * Consecutive layers on one host.
   *
   * @param type index of the host's type in {@link PlanProblem#types}
   * @param host index of the host in {@link DeviceType#hosts}
   * @param firstLayer at least 1
   * @param lastLayer at least firstLayer
   */
  public record Stage(int type, int host, int firstLayer, int lastLayer) {}
}
