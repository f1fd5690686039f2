package dev.sluice.harness.twin.figure;

import dev.sluice.analytics.statistic.NearestRank;
import dev.sluice.analytics.summary.Summary;
import dev.sluice.harness.twin.fold.DispatchRow;
import dev.sluice.harness.twin.fold.RunRows;
import java.util.List;

/**
 * Accuracy of emulated lanes: how far service times were from the times that the lanes meant to
 * take. emulation_count is the number of done dispatches that say what was meant;
 * emulation_late_p99_ms = nearest rank of |service − meant|; emulation_late: whether more than one
 * in a hundred (by nearest rank) was off by more than max(2 % of the meant time, 1 ms). Null on
 * real lanes.
 */
public final class EmulationFigures implements Figure {
  private static final double LIMIT_SHARE = 0.02;
  private static final double LIMIT_NS_MIN = 1e6;

  @Override
  public List<String> names() {
    return List.of("emulation_count", "emulation_late_p99_ms");
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    List<DispatchRow> emulated =
        run.dispatches().stream()
            .filter(row -> row.isDone() && row.emulatedServiceNs() != null)
            .toList();
    long[] errorsNs = emulated.stream().mapToLong(EmulationFigures::errorNs).sorted().toArray();
    double[] timesLimit =
        emulated.stream()
            .mapToDouble(row -> errorNs(row) / limitNs(meantNs(row)))
            .sorted()
            .toArray();
    summary.put("emulation_count", errorsNs.length);
    summary.put("emulation_late_p99_ms", NearestRank.percentile(errorsNs, 99) / 1e6);
    summary.put(
        "emulation_late",
        timesLimit.length == 0
            ? null
            : Boolean.valueOf(timesLimit[(int) NearestRank.of(99, timesLimit.length) - 1] > 1));
  }

  @Override
  public String countBehind(String p99Name) {
    return "emulation_count";
  }

  private static long errorNs(DispatchRow row) {
    return Math.abs(row.serviceNs() - meantNs(row));
  }

  private static double limitNs(long meantNs) {
    return Math.max(LIMIT_SHARE * meantNs, LIMIT_NS_MIN);
  }

  private static long meantNs(DispatchRow row) {
    Long meantNs = row.emulatedServiceNs();
    if (meantNs == null) {
      throw new IllegalStateException(row.laneId() + " is not emulated");
    }
    return meantNs;
  }
}
