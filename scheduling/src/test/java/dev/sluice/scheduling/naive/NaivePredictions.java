package dev.sluice.scheduling.naive;

import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.PredictionsPublished.Calibration;
import dev.sluice.contract.event.PredictionsPublished.Service;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.DoubleStream;

/** Published tables, their correction and upper bounds, by plain lists: no index, no cache. */
final class NaivePredictions {
  private static final int WINDOW = 200;
  private static final double LOG_8 = StrictMath.log(8);

  private record Done(Service model, int samples, int busyLanes, long serviceNs, double residual) {}

  /** Of one device kind, workload and backend. */
  private static final class Learnt {
    final List<Done> done = new ArrayList<>();
    final double[] missRates;
    double log;
    int run;

    Learnt(double[] promised) {
      missRates = promised.clone();
    }
  }

  private final boolean enabled;
  private final double[] promised;
  private final Map<String, PredictionsPublished> tables = new HashMap<>();
  private final Map<String, Double> deviceLogs = new HashMap<>();
  private final Map<List<Object>, Learnt> learnt = new HashMap<>();
  private final Map<List<Object>, Double> samplesLogs = new HashMap<>();

  NaivePredictions(CoreSettings.Predictor settings) {
    enabled = settings.enabled();
    promised = new double[] {1 - settings.quantile(), 1 - 0.95, 1 - 0.99};
  }

  void publish(PredictionsPublished table, Collection<ExecutorReported> executors) {
    PredictionsPublished known = tables.get(table.deviceKind());
    boolean publisherIsOfItsKind =
        executors.stream()
            .anyMatch(
                e ->
                    e.executorId().equals(table.executorId())
                        && e.deviceKind().equals(table.deviceKind()));
    if (!enabled
        || !publisherIsOfItsKind
        || table.tableVersion() < 1
        || (known != null && known.tableVersion() >= table.tableVersion())
        || !table.services().stream().allMatch(s -> isRun(s, table.deviceKind(), executors))
        || !isSound(table)) {
      return;
    }
    String kind = table.deviceKind();
    tables.put(kind, table);
    deviceLogs.put(kind, 0.0);
    samplesLogs.keySet().removeIf(key -> key.get(0).equals(kind));
    learnt.forEach(
        (key, of) -> {
          if (key.get(0).equals(kind)) {
            restart(kind, of);
          }
        });
  }

  private static boolean isRun(
      Service service, String deviceKind, Collection<ExecutorReported> executors) {
    return executors.stream()
        .filter(e -> e.deviceKind().equals(deviceKind))
        .flatMap(e -> e.capabilities().stream())
        .anyMatch(
            c ->
                c.workload().equals(service.workload())
                    && c.backend().equals(service.backend())
                    && c.precision().equals(service.precision()));
  }

  private static boolean isSound(PredictionsPublished table) {
    List<List<String>> keys =
        table.services().stream()
            .map(s -> List.of(s.workload(), s.backend(), s.precision()))
            .toList();
    return !keys.isEmpty()
        && new HashSet<>(keys).size() == keys.size()
        && table.services().stream()
            .flatMap(s -> s.meanNs().stream())
            .flatMap(List::stream)
            .allMatch(ns -> ns > 0)
        && table.calibrations().stream()
            .allMatch(
                c ->
                    c.residuals().stream().noneMatch(r -> r.isNaN())
                        && c.residuals().stream().sorted().toList().equals(c.residuals()));
  }

  private void restart(String kind, Learnt of) {
    List<Done> last = of.done.subList(Math.max(0, of.done.size() - 15), of.done.size());
    double[] logs =
        last.stream()
            .flatMapToDouble(
                d -> {
                  OptionalDouble tableNs = tableNs(kind, d.model, d.samples, d.busyLanes);
                  return tableNs.isPresent()
                      ? DoubleStream.of(StrictMath.log(d.serviceNs / tableNs.getAsDouble()))
                      : DoubleStream.empty();
                })
            .sorted()
            .toArray();
    of.run = 0;
    of.log = logs.length < 5 ? 0 : bounded(logs[logs.length / 2]);
  }

  private static double bounded(double log) {
    return Math.max(-LOG_8, Math.min(LOG_8, log));
  }

  /** What the table says, uncorrected; empty: nothing. */
  private OptionalDouble tableNs(String kind, Service model, int samples, int busyLanes) {
    Service row = row(kind, model);
    if (row == null) {
      return OptionalDouble.empty();
    }
    List<Long> bySamples = row.meanNs().get(Math.min(busyLanes, row.meanNs().size()) - 1);
    int most = bySamples.size();
    return OptionalDouble.of(
        samples <= most
            ? bySamples.get(samples - 1)
            : (double) bySamples.get(most - 1) * samples / most);
  }

  private Service row(String kind, Service model) {
    PredictionsPublished table = tables.get(kind);
    return table == null
        ? null
        : table.services().stream()
            .filter(
                s ->
                    s.workload().equals(model.workload())
                        && s.backend().equals(model.backend())
                        && s.precision().equals(model.precision()))
            .findFirst()
            .orElse(null);
  }

  static Service model(JobSpec job) {
    return new Service(job.workload(), job.backend(), job.precision(), List.of(List.of(1L)));
  }

  /** The corrected mean; empty: the table says nothing. */
  OptionalLong meanNs(String kind, Service model, int samples, int busyLanes) {
    OptionalDouble tableNs = tableNs(kind, model, samples, busyLanes);
    if (tableNs.isEmpty()) {
      return OptionalLong.empty();
    }
    double device = StrictMath.exp(deviceLogs.getOrDefault(kind, 0.0));
    double workload = StrictMath.exp(learnt(kind, model).log);
    double ofSamples =
        StrictMath.exp(samplesLogs.getOrDefault(samplesKey(kind, model, samples), 0.0));
    return OptionalLong.of(
        Math.max(1, Math.round(tableNs.getAsDouble() * (device * workload) * ofSamples)));
  }

  private List<Object> samplesKey(String kind, Service model, int samples) {
    Service row = row(kind, model);
    int inTable = row == null ? samples : Math.min(samples, row.meanNs().get(0).size());
    return List.of(kind, model.workload(), model.backend(), model.precision(), inTable);
  }

  private Learnt learnt(String kind, Service model) {
    return learnt.computeIfAbsent(
        List.of(kind, model.workload(), model.backend()), key -> new Learnt(promised));
  }

  /** The bound of a mean that a table or a running mean gave; empty: too little is known. */
  OptionalLong boundNs(String kind, Service model, long meanNs, int level) {
    record Weighted(double residual, double weight) {}
    if (!enabled) {
      return OptionalLong.empty();
    }
    Learnt of = learnt(kind, model);
    List<Weighted> all = new ArrayList<>();
    of.done.stream()
        .skip(Math.max(0, of.done.size() - WINDOW))
        .forEach(d -> all.add(new Weighted(d.residual, 1)));
    double weight = (double) (WINDOW - all.size()) / WINDOW;
    PredictionsPublished table = tables.get(kind);
    if (table != null) {
      for (Calibration calibration : table.calibrations()) {
        if (calibration.workload().equals(model.workload())
            && calibration.backend().equals(model.backend())) {
          calibration.residuals().forEach(r -> all.add(new Weighted(r, weight)));
        }
      }
    }
    double sum = 1 + all.stream().mapToDouble(Weighted::weight).sum();
    if (promised[level] * sum < 1 - 1e-6) {
      return OptionalLong.empty();
    }
    all.sort(Comparator.comparingDouble(Weighted::residual).reversed());
    double above = 1;
    for (Weighted one : all) {
      above += one.weight;
      if (above > of.missRates[level] * sum + 1e-6 || one == all.get(all.size() - 1)) {
        return OptionalLong.of(
            Math.max(1, (long) Math.ceil(meanNs * StrictMath.exp(one.residual))));
      }
    }
    throw new AssertionError("no residual");
  }

  /**
   * A batch completed.
   *
   * @param boundsNs those that it was given, empty where there was none; null: it was predicted by
   *     something that is not judged
   */
  void completed(
      String kind,
      Service model,
      int samples,
      int busyLanes,
      long meanNs,
      List<OptionalLong> boundsNs,
      long serviceNs) {
    if (!enabled) {
      return;
    }
    Learnt of = learnt(kind, model);
    if (boundsNs != null) {
      for (int level = 0; level < promised.length; level++) {
        OptionalLong bound = boundsNs.get(level);
        if (bound.isPresent()) {
          double rate = promised[level];
          boolean missed = serviceNs > bound.getAsLong();
          double next = of.missRates[level] + 0.2 * rate * (missed ? rate - 1 : rate);
          of.missRates[level] = Math.max(rate / 4, Math.min(rate * 4, next));
        }
      }
      double residual = StrictMath.log((double) serviceNs / meanNs);
      of.done.add(new Done(model, samples, busyLanes, serviceNs, residual));
    }
    OptionalDouble tableNs = tableNs(kind, model, samples, busyLanes);
    if (tableNs.isPresent()) {
      correct(kind, of, samplesKey(kind, model, samples), serviceNs / tableNs.getAsDouble());
    }
  }

  private void correct(String kind, Learnt of, List<Object> samplesKey, double ratio) {
    double device = deviceLogs.get(kind);
    double ofSamples = samplesLogs.getOrDefault(samplesKey, 0.0);
    double error = StrictMath.log(ratio) - device - of.log - ofSamples;
    if (error == 0) {
      return;
    }
    int sign = error > 0 ? 1 : -1;
    of.run = Integer.signum(of.run) == sign ? of.run + sign : sign;
    int length = Math.min(20, Math.abs(of.run));
    double growth = StrictMath.pow(1.5, length - 1);
    double step = Math.min(0.5, 0.05 * growth) * clipped(error, 0.1 * growth);
    deviceLogs.put(kind, bounded(device + 0.3 * step));
    of.log = bounded(of.log + (1 - 0.3) * step);
    samplesLogs.put(
        samplesKey, bounded(ofSamples + (length <= 3 ? 0.05 * clipped(error, 0.1) : 0)));
  }

  private static double clipped(double error, double most) {
    return Math.max(-most, Math.min(most, error));
  }
}
