package dev.sluice.analytics.check;

/** A row of loads.csv: a model's stay in the memory of a lane. */
public final class Load {
  /** Where the row stands: file:line. */
  public final String where;

  public final String lane;
  public final long incarnation;
  public final String model;

  /** Memory in bytes. */
  public final long bytes;

  public final long decidedNs;
  public final long startNs;
  public final long loadedNs;

  /** End of the stay; {@link Decimal#NONE}: none is known. */
  public final long evictedNs;

  public final String cause;

  Load(Cells cells) {
    where = cells.where();
    lane = cells.name("lane_id");
    incarnation = cells.count("incarnation");
    model =
        cells.name("workload_name") + "/" + cells.name("backend") + "/" + cells.name("precision");
    bytes = cells.msAsNs("memory_mb");
    decidedNs = cells.secondsAsNs("decided_time");
    startNs = cells.secondsAsNs("start_time");
    loadedNs = cells.secondsAsNs("loaded_time");
    evictedNs = cells.secondsAsNs("evicted_time");
    cause = cells.text("cause");
  }

  /** Returns the model of a batch as this row names it. */
  static String modelOf(Batch batch) {
    return batch.workload + "/" + batch.backend + "/" + batch.precision;
  }
}
