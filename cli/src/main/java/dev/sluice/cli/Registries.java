package dev.sluice.cli;

import dev.sluice.analytics.Figures;
import dev.sluice.contract.experiment.Vocabulary;
import dev.sluice.executor.model.Workloads;
import dev.sluice.producer.ArrivalProcesses;
import dev.sluice.scheduling.policy.Policies;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The names that an experiment may use, from the registries of all modules. */
final class Registries {
  private Registries() {}

  static Vocabulary vocabulary() {
    Map<String, List<String>> schedulers = new TreeMap<>();
    Policies.names().forEach(name -> schedulers.put(name, Policies.weightNames(name)));
    return new Vocabulary(
        schedulers, ArrivalProcesses.names(), Workloads.tokens(), Figures.figureNames());
  }
}
