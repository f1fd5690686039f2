package dev.sluice.analytics.fold;

import dev.sluice.analytics.row.Jobs;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.ModelEvicted;
import dev.sluice.contract.event.ModelLoaded;
import dev.sluice.contract.value.ModelKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The models that lanes held, from what their executors and their scheduler said. */
public final class ModelStays {
  private final Map<String, Long> bytes = new HashMap<>();
  private final Map<String, Long> decidedAtNs = new HashMap<>();
  private final Map<Place, NavigableMap<Long, ModelLoaded>> loads = new HashMap<>();
  private final Map<Place, NavigableMap<Long, ModelEvicted>> evictions = new HashMap<>();

  ModelStays() {}

  /**
   * A model's stay in the memory of a lane, or the attempt to load it there.
   *
   * @param loaded what its executor said of the load
   * @param bytes memory that the model takes, as the executor said; 0: it did not
   * @param decidedAtNs log time of the decision to load it; {@link Jobs#NONE}: not in the log
   * @param evictedAtNs when the lane held it no more; {@link Jobs#NONE}: the log does not say
   */
  public record ModelStay(ModelLoaded loaded, long bytes, long decidedAtNs, long evictedAtNs) {
    public String laneId() {
      return loaded.executorId() + "/" + loaded.lane();
    }

    public ModelKey model() {
      return loaded.model();
    }
  }

  /** A model's place in the memory of a lane. */
  private record Place(String executorId, long incarnation, int lane, ModelKey model) {}

  void take(ExecutorReported report) {
    for (ExecutorReported.Capability capability : report.capabilities()) {
      Long takes = capability.memoryBytes();
      if (takes != null) {
        bytes.put(report.executorId() + " " + capability.model(), takes);
      }
    }
  }

  void take(LanePrepared dispatch) {
    decidedAtNs.putIfAbsent(
        dispatch.executorId() + " " + dispatch.dispatchId(), dispatch.decidedAtNs());
  }

  void take(ModelLoaded load) {
    var place = new Place(load.executorId(), load.incarnation(), load.lane(), load.model());
    loads
        .computeIfAbsent(place, any -> new TreeMap<>())
        .putIfAbsent(load.dispatchId().factOffset(), load);
  }

  void take(ModelEvicted eviction) {
    var place =
        new Place(eviction.executorId(), eviction.incarnation(), eviction.lane(), eviction.model());
    evictions
        .computeIfAbsent(place, any -> new TreeMap<>())
        .putIfAbsent(eviction.dispatchId().factOffset(), eviction);
  }

  /** Returns all stays, by begin of the load, then lane. */
  List<ModelStay> all() {
    List<ModelStay> all = new ArrayList<>();
    loads.forEach(
        (place, byOffset) ->
            byOffset.forEach(
                (offset, load) -> {
                  var next =
                      load.cause() != null
                          ? null
                          : evictions.getOrDefault(place, new TreeMap<>()).higherEntry(offset);
                  all.add(
                      new ModelStay(
                          load,
                          bytes.getOrDefault(place.executorId + " " + place.model, 0L),
                          decidedAtNs.getOrDefault(
                              place.executorId + " " + load.dispatchId(), Jobs.NONE),
                          next == null ? Jobs.NONE : next.getValue().atNs()));
                }));
    all.sort(
        Comparator.comparingLong((ModelStay stay) -> stay.loaded().startedAtNs())
            .thenComparing(ModelStay::laneId)
            .thenComparing(stay -> stay.loaded().dispatchId())
            .thenComparing(stay -> stay.model().toString()));
    return all;
  }
}
