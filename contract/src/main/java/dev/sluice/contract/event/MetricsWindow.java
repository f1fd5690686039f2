package dev.sluice.contract.event;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What happened in one second of the run, over all shards and jobs of every phase, from committed
 * records alone. Topic {@code metrics}, in the order of time; for dashboards, not for reports.
 *
 * @param fromNs start of the window, a whole second since time zero
 * @param toNs end of the window, exclusive
 * @param total all classes together
 * @param byClass counts of each class of the experiment, by its name
 * @param waiting jobs that waited at the window's end
 * @param running jobs that ran at the window's end
 * @param lanes lanes that had joined by the window's end
 * @param laneUse busy time of all attempts inside the window / (lanes × window), from 0 to 1; null
 *     without lanes
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeName("MetricsWindow")
public record MetricsWindow(
    long fromNs,
    long toNs,
    Counts total,
    Map<String, Counts> byClass,
    long waiting,
    long running,
    int lanes,
    @Nullable Double laneUse)
    implements Event {
  public static final int VERSION = 1;

  public MetricsWindow {
    byClass = new TreeMap<>(byClass);
  }

  @Override
  public int version() {
    return VERSION;
  }

  /**
   * Jobs by what happened to them inside the window.
   *
   * @param requested jobs whose request was appended
   * @param violations ended jobs that missed their promise; dropped and failed ones among them
   * @param goodputPerSecond done jobs that met their promise, per second
   * @param p50E2eMs nearest rank over the ended jobs' end − intended arrival, one without a done
   *     outcome counting as infinite; null: none ended, or the rank is infinite; p95 and p99
   *     likewise
   */
  public record Counts(
      long requested,
      long done,
      long dropped,
      long failed,
      long violations,
      double goodputPerSecond,
      @Nullable Double p50E2eMs,
      @Nullable Double p95E2eMs,
      @Nullable Double p99E2eMs) {}
}
