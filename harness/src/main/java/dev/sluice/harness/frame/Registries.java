package dev.sluice.harness.frame;

import dev.sluice.analytics.figure.Figures;
import dev.sluice.contract.experiment.Vocabulary;
import dev.sluice.executor.network.Workloads;
import dev.sluice.producer.arrivals.ArrivalProcesses;
import dev.sluice.scheduling.policies.Policies;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The names that an experiment may use, from the registries of all modules. */
public final class Registries {
  private Registries() {}

  public static Vocabulary vocabulary() {
    Map<String, List<String>> schedulers = new TreeMap<>();
    Policies.names().forEach(name -> schedulers.put(name, Policies.weightNames(name)));
    return new Vocabulary(
        schedulers, ArrivalProcesses.keys(), Workloads.tokens(), Figures.figureNames());
  }
}
