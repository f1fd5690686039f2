package dev.sluice.scheduling.state;

import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.policy.SchedulerState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The models in the memory of a lane, as the scheduler has decided: a model counts from the
 * decision to load it to the decision to release it.
 */
public final class LaneMemory {
  private final ExecutorLane lane;
  private final long bytes;

  /** Models that the lane holds or loads, the one that was not used for longest first. */
  public final List<Resident> residents = new ArrayList<>();

  public final class Resident implements SchedulerState.Resident {
    final ModelKey model;
    final long bytes;

    /** Dispatch that has it loaded; the lane may have loaded it by now. */
    final DispatchId loadedBy;

    boolean isLoaded;
    long usedAtNs;

    Resident(ModelKey model, long bytes, DispatchId loadedBy, boolean isLoaded, long usedAtNs) {
      this.model = model;
      this.bytes = bytes;
      this.loadedBy = loadedBy;
      this.isLoaded = isLoaded;
      this.usedAtNs = usedAtNs;
    }

    @Override
    public ModelKey model() {
      return model;
    }

    @Override
    public long bytes() {
      return bytes;
    }

    @Override
    public boolean isLoaded() {
      return isLoaded;
    }

    @Override
    public boolean isInUse() {
      return lane.held.stream().anyMatch(batch -> batch.dispatch.work().model().equals(model));
    }

    @Override
    public String toString() {
      return model.toString();
    }
  }

  LaneMemory(ExecutorLane lane, long bytes) {
    this.lane = lane;
    this.bytes = bytes;
  }

  void restore(CoreEntity.Resident entity) {
    residents.add(
        new Resident(
            entity.model(),
            entity.bytes(),
            entity.loadedBy(),
            entity.isLoaded(),
            entity.usedAtNs()));
  }

  List<CoreEntity.Resident> toEntities() {
    return residents.stream()
        .map(r -> new CoreEntity.Resident(r.model, r.bytes, r.loadedBy, r.isLoaded, r.usedAtNs))
        .toList();
  }

  /** Returns what the lane holds of a model; null: nothing. */
  public @Nullable Resident of(ModelKey model) {
    for (Resident resident : residents) {
      if (resident.model.equals(model)) {
        return resident;
      }
    }
    return null;
  }

  public long freeBytes() {
    long free = bytes;
    for (Resident resident : residents) {
      free -= resident.bytes;
    }
    return free;
  }

  /**
   * Returns the models to release, those first that were not used for longest, so that another one
   * has room; null: even then it has none. One that is still being loaded is released after that.
   */
  public @Nullable List<Resident> toRelease(long neededBytes) {
    List<Resident> released = new ArrayList<>();
    long free = freeBytes();
    for (Resident resident : residents) {
      if (free < neededBytes && !resident.isInUse()) {
        released.add(resident);
        free += resident.bytes;
      }
    }
    return free < neededBytes ? null : released;
  }

  public void load(ModelKey model, long modelBytes, DispatchId by, long nowNs) {
    residents.add(new Resident(model, modelBytes, by, false, nowNs));
  }

  public void used(ModelKey model, long nowNs) {
    Resident resident = of(model);
    if (resident != null) {
      residents.remove(resident);
      residents.add(resident);
      resident.usedAtNs = nowNs;
    }
  }

  /** Notes that the load of a dispatch came to its end. */
  public void loaded(ModelKey model, DispatchId by, boolean failed) {
    Resident resident = of(model);
    if (resident != null && resident.loadedBy.equals(by)) {
      resident.isLoaded = true;
      if (failed) {
        residents.remove(resident);
      }
      lane.refresh();
    }
  }
}
