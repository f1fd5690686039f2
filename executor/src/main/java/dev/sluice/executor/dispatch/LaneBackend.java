package dev.sluice.executor.dispatch;

import com.sun.management.OperatingSystemMXBean;
import dev.sluice.contract.time.Pacer;
import dev.sluice.contract.time.ProcessClock;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.emulation.EmulatedDevice;
import dev.sluice.executor.emulation.Emulation;
import dev.sluice.executor.lane.BudgetedModels;
import dev.sluice.executor.lane.Device;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.RealDevice;
import dev.sluice.executor.lane.RealDevice.Holding;
import dev.sluice.executor.lane.RealDevice.Models;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.InferenceSession;
import dev.sluice.executor.model.InputBuffer;
import dev.sluice.executor.model.LoadedModels;
import dev.sluice.executor.model.ModelShelf;
import dev.sluice.executor.network.WorkloadInfo;
import dev.sluice.executor.network.Workloads;
import java.lang.management.ManagementFactory;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** The backend of lanes: real models, or an emulation. */
public final class LaneBackend {
  private final String deviceKind;
  private final DeviceFactory factory;

  private interface DeviceFactory {
    Device open(ExecutorSettings settings, ProcessClock clock, Pacer pacer);
  }

  private LaneBackend(String deviceKind, DeviceFactory factory) {
    this.deviceKind = deviceKind;
    this.factory = factory;
  }

  /**
   * Returns a backend of models on this machine's devices. The caller closes them after the
   * executor.
   *
   * @param budgeted models that a lane holds in part; they go before models of equal workloads
   */
  public static LaneBackend real(LoadedModels models, BudgetedModels budgeted) {
    return real(
        models.devices().kind(),
        new Models() {
          @Override
          public InferenceSession openSession(ModelKey model, int lane, InputBuffer buffer) {
            if (budgeted.holds(model.workload())) {
              return budgeted.openSession(model.workload(), buffer);
            }
            return models.openSession(
                model.workload(), model.backend(), model.precision(), lane, buffer);
          }

          @Override
          public boolean isOneWithTheFirst(ModelKey model, int lane) {
            return budgeted.holds(model.workload())
                || models.isOneWithTheFirst(
                    model.workload(), model.backend(), model.precision(), lane);
          }

          @Override
          public WorkloadInfo info(ModelKey model) {
            if (budgeted.holds(model.workload())) {
              return Workloads.info(model.workload());
            }
            return models.info(model.workload(), model.backend(), model.precision());
          }
        },
        processCpuNs());
  }

  /**
   * Returns a backend of models on this machine's devices of which a lane holds one at a time: the
   * lane loads another model when a batch needs it, and releases the previous one.
   *
   * @param shelf the models, by the names of their workloads
   */
  public static LaneBackend switching(ModelShelf shelf) {
    return of(shelf, ModelKey::workload, Holding.ONE);
  }

  /**
   * Returns a backend of models on this machine's devices that lanes load and release as the
   * scheduler says.
   *
   * @param shelf the models, by the texts of their keys
   */
  public static LaneBackend prepared(ModelShelf shelf) {
    return of(shelf, ModelKey::toString, Holding.AS_PREPARED);
  }

  private static LaneBackend of(
      ModelShelf shelf, Function<ModelKey, String> name, Holding holding) {
    return real(
        shelf.devices().kind(),
        new Models() {
          @Override
          public InferenceSession openSession(ModelKey model, int lane, InputBuffer buffer)
              throws InferenceException {
            return shelf.load(name.apply(model), lane, buffer);
          }

          @Override
          public boolean isOneWithTheFirst(ModelKey model, int lane) {
            return false;
          }

          @Override
          public WorkloadInfo info(ModelKey model) {
            return shelf.info(name.apply(model));
          }
        },
        holding,
        processCpuNs());
  }

  static LaneBackend real(String deviceKind, Models models, LongSupplier processCpuNs) {
    return real(deviceKind, models, Holding.ALL, processCpuNs);
  }

  static LaneBackend real(
      String deviceKind, Models models, Holding holding, LongSupplier processCpuNs) {
    return new LaneBackend(
        deviceKind,
        (settings, clock, pacer) -> new RealDevice(models, holding, settings, clock, processCpuNs));
  }

  private static LongSupplier processCpuNs() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)::getProcessCpuTime;
  }

  /** Returns a backend whose lanes wait instead of computing. */
  public static LaneBackend emulated(Emulation emulation) {
    return new LaneBackend(
        emulation.deviceKind(),
        (settings, clock, pacer) ->
            new EmulatedDevice(emulation.times(), emulation.drift(), settings, clock, pacer));
  }

  /**
   * Returns the kind of device that lanes compute on, for example {@code cpu}; predictions are kept
   * per device kind.
   */
  public String deviceKind() {
    return deviceKind;
  }

  Device open(ExecutorSettings settings, ProcessClock clock, Pacer pacer) {
    return factory.open(settings, clock, pacer);
  }
}
