package dev.sluice.scheduling.policies;

import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobOrder;
import dev.sluice.scheduling.policy.SchedulerState;
import dev.sluice.scheduling.policy.SchedulerState.CompatibleSet;
import dev.sluice.scheduling.policy.SchedulerState.Lane;
import dev.sluice.scheduling.policy.SchedulerState.OfModel;
import dev.sluice.scheduling.policy.SchedulerState.Resident;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Loads of {@link SlackPolicy}: copies of models by the work that their arrivals bring. A model's
 * <i>work</i> is how many lanes its arrivals keep busy, in batches of half the promise, divided by
 * the promise; its <i>pressure</i> is its work for each lane that holds or loads it, infinite while
 * none does. The model of the highest pressure is loaded where the models that make room for it are
 * left with less. A model gives its last copy to one alone that has none and whose first waiting
 * job is due earlier.
 */
final class SlackLoads {
  private final SchedulerState state;

  /** One set of each model, and of each such model its work and how many lanes hold or load it. */
  private final List<CompatibleSet> models = new ArrayList<>();

  private final double[] work;
  private final int[] copies;

  private SlackLoads(SchedulerState state) {
    this.state = state;
    List<? extends CompatibleSet> sets = state.allSets();
    work = new double[sets.size()];
    copies = new int[sets.size()];
    for (CompatibleSet set : sets) {
      int model = indexOf(set);
      if (model < 0) {
        model = models.size();
        models.add(set);
        for (Lane lane : state.lanes()) {
          copies[model] += state.resident(set, lane) != null ? 1 : 0;
        }
      }
      work[model] += work(set);
    }
  }

  /**
   * A load that could be made.
   *
   * @param lossPressure highest pressure of the models that it releases, when they are gone
   */
  private record Load(Lane lane, List<Resident> release, double lossPressure) {}

  /** Returns the next load on a lane that loads nothing; null: there is none. */
  static Choice.@Nullable Prepare next(SchedulerState state) {
    List<? extends Lane> lanes = state.lanes();
    for (int i = 0; i < lanes.size(); i++) {
      if (ClockworkLoads.mayLoad(lanes.get(i))) {
        return new SlackLoads(state).next();
      }
    }
    return null;
  }

  private Choice.@Nullable Prepare next() {
    boolean[] isTried = new boolean[models.size()];
    for (int most = highest(isTried); most >= 0; most = highest(isTried)) {
      isTried[most] = true;
      Load load = load(most);
      if (load != null) {
        return Choice.prepare(load.lane, models.get(most), load.release);
      }
    }
    return null;
  }

  /** Returns the model of the highest pressure, of several the one due first; -1: there is none. */
  private int highest(boolean[] isTried) {
    int most = -1;
    for (int i = 0; i < models.size(); i++) {
      if (!isTried[i] && work[i] > 0 && (most < 0 || isHigher(i, most))) {
        most = i;
      }
    }
    return most;
  }

  private boolean isHigher(int model, int other) {
    double pressure = pressure(model, copies[model]);
    double otherPressure = pressure(other, copies[other]);
    return pressure > otherPressure || (pressure == otherPressure && dueNs(model) < dueNs(other));
  }

  private double pressure(int model, int lanes) {
    return work[model] == 0 ? 0 : work[model] / lanes;
  }

  /**
   * Returns the load that leaves what it releases the least pressure, on the lane of least work.
   */
  private @Nullable Load load(int model) {
    Load best = null;
    double bestWork = 0;
    for (Lane lane : state.lanes()) {
      Load load = ClockworkLoads.mayLoad(lane) ? load(model, lane) : null;
      double heldWork = load == null ? 0 : heldWork(lane);
      if (load != null
          && (best == null
              || load.lossPressure < best.lossPressure
              || (load.lossPressure == best.lossPressure && heldWork < bestWork))) {
        best = load;
        bestWork = heldWork;
      }
    }
    return best;
  }

  private @Nullable Load load(int model, Lane lane) {
    CompatibleSet set = models.get(model);
    if (state.resident(set, lane) != null || !state.canRun(lane, set)) {
      return null;
    }
    long freeBytes = lane.freeBytes();
    List<Resident> release = new ArrayList<>();
    double lossPressure = 0;
    while (freeBytes < state.memoryBytes(set, lane)) {
      Resident least = leastMissed(model, lane, release);
      if (least == null) {
        return null;
      }
      release.add(least);
      freeBytes += least.bytes();
      lossPressure = Math.max(lossPressure, lossPressure(least));
    }
    return new Load(lane, release, lossPressure);
  }

  /** Returns what goes first for a model; null: there is nothing that may. */
  private @Nullable Resident leastMissed(int model, Lane lane, List<Resident> released) {
    Resident least = null;
    for (Resident resident : lane.residents()) {
      if (resident.isLoaded()
          && !resident.isInUse()
          && !released.contains(resident)
          && mayGo(resident, model)
          && (least == null || isLessMissed(resident, least))) {
        least = resident;
      }
    }
    return least;
  }

  private boolean isLessMissed(Resident resident, Resident than) {
    double loss = lossPressure(resident);
    double thanLoss = lossPressure(than);
    return loss < thanLoss || (loss == thanLoss && workOf(resident) < workOf(than));
  }

  private boolean mayGo(Resident resident, int model) {
    double loss = lossPressure(resident);
    double pressure = pressure(model, copies[model]);
    return loss < pressure
        || (loss == pressure && copies[model] == 0 && dueNs(model) < dueNs(indexOf(resident)));
  }

  private double lossPressure(Resident resident) {
    int model = indexOf(resident);
    return model < 0 ? 0 : pressure(model, copies[model] - 1);
  }

  private double workOf(Resident resident) {
    int model = indexOf(resident);
    return model < 0 ? 0 : work[model];
  }

  private double heldWork(Lane lane) {
    double held = 0;
    for (Resident resident : lane.residents()) {
      int model = indexOf(resident);
      held += model < 0 ? 0 : pressure(model, copies[model]);
    }
    return held;
  }

  private int indexOf(OfModel sought) {
    for (int i = 0; i < models.size(); i++) {
      if (models.get(i).hasModelOf(sought)) {
        return i;
      }
    }
    return -1;
  }

  /** Returns when the first job that waits for a model is due; Long.MAX_VALUE: none waits. */
  private long dueNs(int model) {
    long dueNs = Long.MAX_VALUE;
    CompatibleSet of = models.get(model);
    for (CompatibleSet set : state.sets()) {
      if (set.hasModelOf(of)) {
        dueNs = Math.min(dueNs, set.firstKey(JobOrder.DEADLINE));
      }
    }
    return dueNs;
  }

  /** Returns how many lanes a set's arrivals keep busy, for each nanosecond of its promise. */
  private double work(CompatibleSet set) {
    double perSecond = set.arrivalsPerSecond();
    if (!(perSecond > 0)) {
      perSecond = set.waiting(); // none has come for long, or the first ones have just come
    }
    for (Lane lane : state.lanes()) {
      if (perSecond > 0 && state.canRun(lane, set)) {
        int fits = SlackForecast.largestWithin(state, set, lane, set.promiseNs() / 2, 1);
        int samples = Math.max(1, Math.min(fits, SlackPolicy.worthwhile(state, set, lane)));
        double lanesBusy = perSecond * state.boundNs(set, samples, lane) / samples / 1e9;
        return lanesBusy / set.promiseNs();
      }
    }
    return 0;
  }
}
