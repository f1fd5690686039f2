package dev.sluice.analytics.report;

import dev.sluice.analytics.fold.ModelStay;
import dev.sluice.analytics.row.Jobs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * loads.csv: a row per load of a model onto a lane, by its begin; only runs whose lanes have a
 * memory leave it.
 *
 * <p>Units as in trace.csv. memory_mb are 10^6 bytes. evicted_time is empty if the lane held the
 * model to the end, and cause says why a load failed.
 */
final class LoadTable {
  static final List<String> COLUMNS =
      List.of(
          "dispatch_id",
          "lane_id",
          "incarnation",
          "workload_name",
          "backend",
          "precision",
          "memory_mb",
          "decided_time",
          "start_time",
          "loaded_time",
          "evicted_time",
          "cause");

  private LoadTable() {}

  static void write(List<ModelStay> stays, Path file) throws IOException {
    TableWriter.write(file, COLUMNS, csv -> stays.forEach(stay -> write(stay, csv)));
  }

  private static void write(ModelStay stay, TableWriter csv) {
    csv.text(stay.loaded().dispatchId().toString());
    csv.text(stay.laneId());
    csv.number(stay.loaded().incarnation());
    csv.text(stay.model().workload());
    csv.text(stay.model().backend());
    csv.text(stay.model().precision());
    csv.ms(stay.bytes());
    csv.seconds(stay.decidedAtNs(), Jobs.NONE);
    csv.seconds(stay.loaded().startedAtNs());
    csv.seconds(stay.loaded().finishedAtNs());
    csv.seconds(stay.evictedAtNs(), Jobs.NONE);
    csv.text(stay.cause());
    csv.endLine();
  }
}
