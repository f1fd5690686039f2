package dev.sluice.harness.frame;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.log.Pacer;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.Topics;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.machine.PromptThread;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Experiment, clocks, run id and console that all roles of a run in this process share. */
public record RunFrame(
    ParsedExperiment parsed,
    String runId,
    Topics topics,
    String configDigest,
    ProcessClock clock,
    Pacer pacer,
    Console console) {
  private static final Logger LOG = LoggerFactory.getLogger(RunFrame.class);
  private static final long HEAP_GOAL_BYTES = 1280L << 20;

  public static RunFrame of(ParsedExperiment parsed, String runId, Console console) {
    PromptThread.prepare();
    setHeapGoal();
    return new RunFrame(
        parsed,
        runId,
        new Topics(runId),
        ResolvedConfig.digest(parsed.experiment()),
        MachineClock.process(),
        MachineClock.pacer(),
        console);
  }

  /**
   * Sets the size that ZGC and Shenandoah keep the heap within as long as what lives there fits.
   * Otherwise it grows to a quarter of the machine's memory before much is collected.
   */
  private static void setHeapGoal() {
    if (Runtime.getRuntime().maxMemory() <= HEAP_GOAL_BYTES) {
      return;
    }
    try {
      ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
          .setVMOption("SoftMaxHeapSize", Long.toString(HEAP_GOAL_BYTES));
    } catch (IllegalArgumentException e) { // another kind of JVM
      LOG.info("the heap has no goal: {}", e.toString());
    }
  }

  /** The same run of an experiment that was completed after its start. */
  public RunFrame with(ParsedExperiment completed) {
    return new RunFrame(
        completed,
        runId,
        topics,
        ResolvedConfig.digest(completed.experiment()),
        clock,
        pacer,
        console);
  }

  public Experiment experiment() {
    return parsed.experiment();
  }

  public int shards() {
    return experiment().kafka().shards();
  }

  public String secondsSince(long startedNs) {
    return String.format(Locale.ROOT, "%.1f s", (clock.monotonicNs() - startedNs) / 1e9);
  }
}
