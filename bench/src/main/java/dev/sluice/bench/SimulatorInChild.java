package dev.sluice.bench;

import com.sun.management.OperatingSystemMXBean;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.scheduling.policies.Policies;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Speed of the simulator: {@link SimulatorBench} in child processes with both compilers. Each load
 * has a process of its own, whose heap is too small for a simulation that keeps its jobs. Rates are
 * jobs per second of the process's processor time, compilers and collector included.
 */
public final class SimulatorInChild implements Bench {
  private static final int JOBS = 10_000_000;
  private static final int JOBS_OVERLOADED = 5_000_000;

  private final Consumer<String> out;

  /**
   * @param out receives the rates of events and of the whole model, which have no goals
   */
  public SimulatorInChild(Consumer<String> out) {
    this.out = out;
  }

  /** Loads by the names of their rows. Loads of the whole model are printed, but have no row. */
  private static Map<String, SimulatorBench.Load> loads() {
    Map<String, SimulatorBench.Load> loads = new LinkedHashMap<>();
    loads.put("simulator_fifo", new SimulatorBench.Load("fifo", false, false, false));
    loads.put("simulator_dynamic_joined", new SimulatorBench.Load("dynamic", true, false, false));
    for (String policy : Policies.names()) {
      loads.put(
          "simulator_" + policy + "_30000_waiting",
          new SimulatorBench.Load(policy, false, true, false));
    }
    loads.put("simulator_fifo_whole", new SimulatorBench.Load("fifo", false, false, true));
    loads.put("simulator_dynamic_whole", new SimulatorBench.Load("dynamic", true, false, true));
    return loads;
  }

  @Override
  public String name() {
    return "simulator";
  }

  @Override
  public List<Row> rows() {
    return loads().entrySet().stream()
        .filter(load -> !load.getValue().whole())
        .map(load -> row(load.getKey(), load.getValue()))
        .toList();
  }

  private static Row row(String name, SimulatorBench.Load load) {
    double goal = load.overloaded() ? 1.2e6 : load.joined() ? 3e6 : 5e6;
    return Row.atLeast(name + "_jobs_per_s", "jobs/s", goal);
  }

  @Override
  public Map<Row, Double> measure() throws IOException, InterruptedException {
    Map<Row, Double> readings = new LinkedHashMap<>();
    for (var load : loads().entrySet()) {
      String printed =
          ChildJvm.printed(
              List.of("-XX:+UseSerialGC", "-Xmx320m", "-Xmn240m"),
              SimulatorInChild.class.getName(),
              List.of(load.getKey()),
              "the simulator's bench");
      String[] fields = printed.strip().split(" ", -1);
      double jobsPerSecond = Double.parseDouble(fields[0]);
      if (!load.getValue().whole()) {
        readings.put(row(load.getKey(), load.getValue()), jobsPerSecond);
      }
      out.accept(
          String.format(
              Locale.ROOT,
              "%s: %,.0f jobs/s, %,.0f events/s%s",
              load.getKey(),
              jobsPerSecond,
              Double.parseDouble(fields[1]),
              load.getValue().whole() ? " (contention, noise and recorded hops)" : ""));
    }
    return readings;
  }

  /** Processor time of the whole process, on which other processes have little influence. */
  private static LongSupplier cpuNs() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)::getProcessCpuTime;
  }

  /** Main of the child: measures the named load, and prints jobs/s and events/s. */
  public static void main(String[] arguments) {
    SimulatorBench.Load load = loads().get(arguments[0]);
    if (load == null) {
      throw new IllegalArgumentException("no load is named " + arguments[0]);
    }
    var reading = SimulatorBench.measure(load, load.overloaded() ? JOBS_OVERLOADED : JOBS, cpuNs());
    System.out.println(reading.jobsPerSecond() + " " + reading.eventsPerSecond());
  }
}
