package dev.sluice.scheduling.prediction;

import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.prediction.DeviceTimes.PublishedTable;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Predicts service times, per device kind and model. In this order: the last table published for
 * the device kind, as completions correct it; the running mean of completed batches of equal joined
 * samples; their time at warm-up; the nearest samples that have either, scaled in proportion to
 * samples (of two equally near ones the fewer); the model's floating-point operations at {@link
 * ModelTimes#ASSUMED_FLOPS_PER_SECOND}. The first two have upper bounds, once enough is known.
 */
public final class ServiceTimes {
  private final CoreSettings.Predictor settings;
  private final Map<OnDevice, ModelTimes> models = new LinkedHashMap<>();
  private final Map<String, DeviceTimes> devices = new HashMap<>();

  private record OnDevice(String deviceKind, ModelKey model) {}

  public ServiceTimes(CoreSettings.Predictor settings) {
    this.settings = settings;
  }

  public ModelTimes model(String deviceKind, ModelKey model) {
    return models.computeIfAbsent(
        new OnDevice(deviceKind, model),
        key -> new ModelTimes(model, device(deviceKind), settings.enabled()));
  }

  private DeviceTimes device(String deviceKind) {
    return devices.computeIfAbsent(deviceKind, kind -> new DeviceTimes(kind, settings));
  }

  /** Takes the warm-up times and operations from the executors; the first of a kind counts. */
  public void readCapabilities(List<ExecutorReported> executors) {
    models.values().forEach(ModelTimes::forgetCapability);
    for (ExecutorReported executor : executors) {
      for (Capability capability : executor.capabilities()) {
        model(executor.deviceKind(), capability.model()).readCapability(capability);
      }
    }
  }

  /** Takes a published table if predictions use any, and returns why not; null: no fault. */
  @Nullable
  public String publish(PredictionsPublished fact, List<ExecutorReported> executors) {
    if (!settings.enabled()) {
      return null;
    }
    PublishedTable known = device(fact.deviceKind()).table;
    if (known != null && known.fact.equals(fact)) {
      return null;
    }
    String reason = reasonToRefuse(fact, known, executors);
    if (reason == null) {
      use(new PublishedTable(fact));
    }
    return reason;
  }

  private static @Nullable String reasonToRefuse(
      PredictionsPublished fact, @Nullable PublishedTable known, List<ExecutorReported> executors) {
    ExecutorReported publisher = null;
    for (ExecutorReported executor : executors) {
      if (executor.executorId().equals(fact.executorId())) {
        publisher = executor;
      }
    }
    if (publisher == null) {
      return "executor (" + fact.executorId() + ") has not reported";
    }
    if (!publisher.deviceKind().equals(fact.deviceKind())) {
      return "deviceKind (%s) is not that of %s (%s)"
          .formatted(fact.deviceKind(), fact.executorId(), publisher.deviceKind());
    }
    long version = known == null ? 0 : known.fact.tableVersion();
    if (fact.tableVersion() <= version) {
      return "tableVersion (%d) is stale: %d is in use".formatted(fact.tableVersion(), version);
    }
    for (PredictionsPublished.Service service : fact.services()) {
      if (executors.stream().noneMatch(executor -> canRun(executor, fact, service))) {
        return "services [%s, %s, %s]: no executor of deviceKind (%s) runs it"
            .formatted(
                service.workload(), service.backend(), service.precision(), fact.deviceKind());
      }
    }
    return null;
  }

  private static boolean canRun(
      ExecutorReported executor, PredictionsPublished fact, PredictionsPublished.Service service) {
    return executor.deviceKind().equals(fact.deviceKind())
        && executor.capabilities().stream()
            .anyMatch(capability -> capability.model().equals(service.model()));
  }

  private void use(PublishedTable table) {
    DeviceTimes device = device(table.fact.deviceKind());
    device.publish(table);
    for (ModelTimes model : models.values()) {
      if (model.device == device) {
        model.forgetCorrections();
        model.findRow();
      }
    }
  }

  public void addTo(List<CoreEntity> entities) {
    devices.values().forEach(device -> device.addTo(entities));
    models.values().forEach(model -> model.addTo(entities));
  }

  /** Takes over what another learnt, its running means as well; after the executors. */
  public void restore(Collection<CoreEntity> entities) {
    for (CoreEntity entity : entities) {
      if (entity instanceof CoreEntity.Published published) {
        device(published.table().deviceKind()).restore(new PublishedTable(published.table()));
      } else if (entity instanceof CoreEntity.Observed seen) {
        device(seen.deviceKind()).workload(seen.workload(), seen.backend()).restore(seen);
      }
    }
    models.values().forEach(ModelTimes::findRow);
    for (CoreEntity entity : entities) {
      if (entity instanceof CoreEntity.RunningMean mean) {
        var model = new ModelKey(mean.workload(), mean.backend(), mean.precision());
        model(mean.deviceKind(), model).restore(mean.samples(), mean.count(), mean.meanNs());
      } else if (entity instanceof CoreEntity.DeviceCorrection correction) {
        device(correction.deviceKind()).factor.set(correction.log());
      } else if (entity instanceof CoreEntity.WorkloadCorrection correction) {
        device(correction.deviceKind())
            .workload(correction.workload(), correction.backend())
            .restore(correction);
      } else if (entity instanceof CoreEntity.SamplesCorrection correction) {
        var model =
            new ModelKey(correction.workload(), correction.backend(), correction.precision());
        model(correction.deviceKind(), model).factorOf(correction.samples()).set(correction.log());
      }
    }
  }
}
