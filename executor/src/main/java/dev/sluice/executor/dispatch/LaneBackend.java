package dev.sluice.executor.dispatch;

import com.sun.management.OperatingSystemMXBean;
import dev.sluice.contract.log.Pacer;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.lane.BudgetedModels;
import dev.sluice.executor.lane.Device;
import dev.sluice.executor.lane.EmulatedDevice;
import dev.sluice.executor.lane.Emulation;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.RealDevice;
import dev.sluice.executor.lane.RealDevice.Holding;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.InferenceSession;
import dev.sluice.executor.model.InputBuffer;
import dev.sluice.executor.model.LoadedModels;
import dev.sluice.executor.model.ModelShelf;
import dev.sluice.executor.model.RunModels;
import dev.sluice.executor.network.Workloads;
import dev.sluice.executor.network.Workloads.WorkloadInfo;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The backend of lanes: real models, or an emulation.
 *
 * @param deviceKind for example {@code cpu}; predictions are kept by it
 */
public record LaneBackend(String deviceKind, DeviceFactory factory) {
  /** Makes the device of an executor's lanes. */
  public interface DeviceFactory {
    Device open(ExecutorSettings settings, ProcessClock clock, Pacer pacer);
  }

  /**
   * Lanes that compute.
   *
   * @param budgeted models that a lane holds in part; they go before models of equal workloads.
   *     Null: there are none
   */
  public static LaneBackend real(LoadedModels models, @Nullable BudgetedModels budgeted) {
    return real(
        models.devices().kind(),
        budgeted == null ? models : new WithBudgets(models, budgeted),
        Holding.ALL,
        processCpuNs());
  }

  private record WithBudgets(RunModels whole, BudgetedModels budgeted) implements RunModels {
    @Override
    public InferenceSession openSession(ModelKey model, int lane, InputBuffer buffer)
        throws InferenceException {
      return budgeted.holds(model.workload())
          ? budgeted.openSession(model.workload(), buffer)
          : whole.openSession(model, lane, buffer);
    }

    @Override
    public boolean isOneWithTheFirst(ModelKey model, int lane) {
      return budgeted.holds(model.workload()) || whole.isOneWithTheFirst(model, lane);
    }

    @Override
    public WorkloadInfo info(ModelKey model) {
      return budgeted.holds(model.workload())
          ? Workloads.info(model.workload())
          : whole.info(model);
    }
  }

  /**
   * Returns a backend whose lanes load and release models: for each batch in place of the previous
   * one ({@link Holding#ONE}), or as the scheduler says.
   */
  public static LaneBackend loading(ModelShelf shelf, Holding holding) {
    return real(shelf.devices().kind(), shelf, holding, processCpuNs());
  }

  static LaneBackend real(
      String deviceKind, RunModels models, Holding holding, LongSupplier processCpuNs) {
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
        (settings, clock, pacer) -> new EmulatedDevice(emulation, settings, clock, pacer));
  }
}
