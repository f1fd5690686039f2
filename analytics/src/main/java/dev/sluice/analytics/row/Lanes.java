package dev.sluice.analytics.row;

import dev.sluice.analytics.column.Interned;
import dev.sluice.analytics.column.Order;

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
  public static int[] byStart(Batches batches) {
    int[] places = Order.rows(batches.size(), place -> batches.ran(batches.at(place)));
    for (int i = 0; i < places.length; i++) {
      places[i] = batches.at(places[i]);
    }
    return Order.sorted(
        places, (a, b) -> Long.compare(batches.startedAtNs(a), batches.startedAtNs(b)));
  }
}
