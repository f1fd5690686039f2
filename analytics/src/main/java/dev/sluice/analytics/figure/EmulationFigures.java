package dev.sluice.analytics.figure;

import static dev.sluice.analytics.figure.Figure.Definition.Unit.COUNT;
import static dev.sluice.analytics.figure.Figure.Definition.Unit.MILLISECONDS;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Batches.BatchRow;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.LongBag;
import dev.sluice.analytics.statistic.NearestRank;
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
  public List<Definition> numbers() {
    return List.of(
        Definition.of("emulation_count", COUNT),
        Definition.of("emulation_late_p99_ms", MILLISECONDS)
            .fewBelow(NearestRank.COUNT_FOR_P99, "emulation_count"));
  }

  @Override
  public void addTo(Summary summary, RunRows run) {
    var errorsNs = new LongBag();
    var timesLimit = new LongBag();
    for (BatchRow batch : run.batches().all()) {
      long meantNs = batch.emulatedServiceNs();
      if (batch.isDone() && meantNs != Jobs.NONE) {
        long errorNs = Math.abs(batch.serviceNs() - meantNs);
        errorsNs.add(errorNs);
        timesLimit.add(errorNs / Math.max(LIMIT_SHARE * meantNs, LIMIT_NS_MIN));
      }
    }
    int count = errorsNs.size();
    summary.put("emulation_count", count);
    summary.put("emulation_late_p99_ms", NearestRank.percentile(errorsNs.sorted(), 99) / 1e6);
    int rank = (int) NearestRank.of(99, count);
    summary.put(
        "emulation_late",
        rank == 0 ? null : Boolean.valueOf(LongBag.asDouble(timesLimit.sorted()[rank - 1]) > 1));
  }
}
