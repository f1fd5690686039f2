package dev.sluice.executor;

import com.sun.management.OperatingSystemMXBean;
import dev.sluice.contract.Pacer;
import dev.sluice.contract.ProcessClock;
import dev.sluice.contract.UserMistakeException;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.LinearServiceTime;
import dev.sluice.executor.EmulatedDevice.EmulatedTimes;
import dev.sluice.executor.RealDevice.Models;
import dev.sluice.executor.model.InferenceSession;
import dev.sluice.executor.model.InputBuffer;
import dev.sluice.executor.model.LoadedModels;
import dev.sluice.executor.model.WorkloadInfo;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** What lanes will run on: real models, or an emulation. */
public final class LaneBackend {
  /** The device kind of emulated lanes whose workloads are all linear. */
  private static final String LINEAR = "emulated-linear";

  private final String deviceKind;
  private final DeviceFactory factory;

  private interface DeviceFactory {
    Device open(ExecutorSettings settings, ProcessClock clock, Pacer pacer);
  }

  private LaneBackend(String deviceKind, DeviceFactory factory) {
    this.deviceKind = deviceKind;
    this.factory = factory;
  }

  /** Models on this machine's devices. The caller closes them after the executor. */
  public static LaneBackend real(LoadedModels models) {
    return real(
        models.devices().kind(),
        new Models() {
          @Override
          public InferenceSession openSession(ModelKey model, int lane, InputBuffer buffer) {
            return models.openSession(
                model.workload(), model.backend(), model.precision(), lane, buffer);
          }

          @Override
          public boolean isOneWithTheFirst(ModelKey model, int lane) {
            return models.isOneWithTheFirst(
                model.workload(), model.backend(), model.precision(), lane);
          }

          @Override
          public WorkloadInfo info(ModelKey model) {
            return models.info(model.workload(), model.backend(), model.precision());
          }
        },
        processCpuNs());
  }

  static LaneBackend real(String deviceKind, Models models, LongSupplier processCpuNs) {
    return new LaneBackend(
        deviceKind,
        (settings, clock, pacer) -> new RealDevice(models, settings, clock, processCpuNs));
  }

  private static LongSupplier processCpuNs() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)::getProcessCpuTime;
  }

  /**
   * An emulation of the experiment's workloads: linear ones as the experiment says, without
   * contention and noise, the others by the table.
   *
   * @param table null: every workload must be linear
   * @param speed how many times as fast they are; one that is not 1 is part of the device kind
   * @param flopsPerSample of a workload, by its name
   * @throws UserMistakeException if a workload is neither linear nor in the table
   */
  public static LaneBackend emulated(
      Experiment experiment,
      @Nullable LatencyTable table,
      double speed,
      ToLongFunction<String> flopsPerSample)
      throws UserMistakeException {
    var linear = new HashMap<String, LinearServiceTime>();
    for (var workload : experiment.workloads()) {
      if (workload.linear() != null) {
        linear.put(workload.name(), workload.linear());
      }
    }
    for (ModelKey model : ExecutorSettings.models(experiment)) {
      if (linear.containsKey(model.workload()) || (table != null && table.holds(model))) {
        continue;
      }
      throw new UserMistakeException(
          table == null ? experiment.runName() : table.file().toString(),
          table == null
              ? "the emulated workload ("
                  + model.workload()
                  + ") has neither alpha_ms and beta_ms nor a latency table"
              : "the latency table holds no row for (" + model + ")",
          table == null
              ? "name a table as lanes.latency_table"
              : "add rows for it, or give the workload alpha_ms and beta_ms");
    }
    String deviceKind = table == null ? LINEAR : table.deviceKind();
    EmulatedTimes times = times(table, linear, flopsPerSample, speed);
    var drift = new EmulatedDrift(experiment.lanes().drift());
    return new LaneBackend(
        speed == 1
            ? deviceKind
            : deviceKind + "-x" + BigDecimal.valueOf(speed).stripTrailingZeros().toPlainString(),
        (settings, clock, pacer) -> new EmulatedDevice(times, drift, settings, clock, pacer));
  }

  private static EmulatedTimes times(
      @Nullable LatencyTable table,
      Map<String, LinearServiceTime> linear,
      ToLongFunction<String> flopsPerSample,
      double speed) {
    return new EmulatedTimes() {
      @Override
      public double meanMs(ModelKey model, int samples, int busyLanes) {
        var line = linear.get(model.workload());
        double meanMs =
            line != null
                ? line.alphaMs() + line.betaMs() * samples
                : table(model).meanMs(model, samples, busyLanes);
        return meanMs / speed;
      }

      @Override
      public double spread(ModelKey model, int samples) {
        return linear.containsKey(model.workload()) ? 0 : table(model).spread(model, samples);
      }

      @Override
      public long flopsPerSample(ModelKey model) {
        return flopsPerSample.applyAsLong(model.workload());
      }

      private LatencyTable table(ModelKey model) {
        if (table == null) {
          throw new IllegalArgumentException("no service time is known for " + model);
        }
        return table;
      }
    };
  }

  /** What the lanes compute on, for example {@code cpu}; predictions are kept per device kind. */
  public String deviceKind() {
    return deviceKind;
  }

  Device open(ExecutorSettings settings, ProcessClock clock, Pacer pacer) {
    return factory.open(settings, clock, pacer);
  }
}
