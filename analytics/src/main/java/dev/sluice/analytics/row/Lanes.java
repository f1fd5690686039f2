package dev.sluice.analytics.row;

import dev.sluice.analytics.statistic.IntColumn;
import dev.sluice.analytics.statistic.Interned;
import dev.sluice.analytics.statistic.Order;

/** Lanes as numbers, and what ran on them. */
public final class Lanes {
  private Lanes() {}

  /** A number for each lane, by the numbers of places; a lane keeps it over restarts. */
  public static int[] ofPlaces(Batches batches) {
    var lanes = new Interned<String>();
    return batches.places().stream()
        .mapToInt(place -> lanes.number(place.executorId() + "/" + place.lanes().get(0)))
        .toArray();
  }

  /** The batches that ran, by start; of equal starts the one decided first. */
  public static IntColumn byStart(Batches batches) {
    var ran = new IntColumn(-1);
    for (int i = 0; i < batches.size(); i++) {
      if (batches.ran(batches.at(i))) {
        ran.add(batches.at(i));
      }
    }
    return Order.sorted(
        ran, (a, b) -> Long.compare(batches.startedAtNs(a), batches.startedAtNs(b)));
  }
}
