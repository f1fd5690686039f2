package dev.sluice.harness.report;

import dev.sluice.analytics.capacity.CapacitySearch;
import dev.sluice.analytics.capacity.Target;
import dev.sluice.analytics.capacity.Target.Scope;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.simulate.ExperimentBound;
import dev.sluice.harness.simulate.ExperimentBound.Good;
import dev.sluice.producer.arrivals.RepeatSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The highest rate at which a bound lets a scheduler keep a target, with the requests of each
 * rate's first run.
 */
final class BoundedRate {
  private final CapacityOptions options;
  private final Experiment experiment;
  private final Target target;

  BoundedRate(CapacityOptions options, Experiment experiment, Target target) {
    this.options = options;
    this.experiment = experiment;
    this.target = target;
  }

  /**
   * Says between which rates it lies; nothing if the target is one on a mean, or lanes are real.
   */
  Optional<String> words() throws UserMistakeException {
    if (!target.isShare() || !(options.simulate() || experiment.lanes().emulated())) {
      return Optional.empty();
    }
    try {
      return Optional.of(between(options.range()[0], options.range()[1]));
    } catch (UserMistakeException e) { // the runs were made, and do not need what a bound needs
      return Optional.of("none: " + e.problems().get(0).what());
    }
  }

  private String between(double from, double to) throws UserMistakeException {
    if (!isKept(from)) {
      return "below " + CapacitySearch.text(from) + ", which no scheduler keeps";
    }
    if (isKept(to)) {
      return "above " + CapacitySearch.text(to) + ", which a scheduler may keep";
    }
    double kept = from;
    double missed = to;
    while (missed / kept > 1 + options.resolutionShare()) {
      double rate = CapacitySearch.middle(kept, missed);
      if (isKept(rate)) {
        kept = rate;
      } else {
        missed = rate;
      }
    }
    return "between %s, which a scheduler may keep, and %s, which none keeps"
        .formatted(CapacitySearch.text(kept), CapacitySearch.text(missed));
  }

  private boolean isKept(double rate) throws UserMistakeException {
    ExperimentBound bound =
        ExperimentBound.of(
            options.read(
                options.overridesFor(
                    experiment.load(),
                    rate,
                    experiment.scheduling().schedulerName(),
                    RepeatSeeds.of(experiment.seed(), 1),
                    1)),
            options.profile());
    List<List<Scope>> kept = new ArrayList<>(List.of(target.scopes())); // all of them together too
    target.scopes().forEach(scope -> kept.add(List.of(scope)));
    for (List<Scope> scopes : target.scopes().size() == 1 ? kept.subList(1, 2) : kept) {
      Good good =
          bound.good(
              kind -> scopes.stream().anyMatch(one -> one.holds(kind.classType(), kind.workload())),
              target.promiseNs());
      if (good.goodMax() < (1 - target.limit()) * good.jobs()) {
        return false;
      }
    }
    return true;
  }
}
