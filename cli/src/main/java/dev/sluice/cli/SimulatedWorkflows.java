package dev.sluice.cli;

import dev.sluice.analytics.GpuTimeline;
import dev.sluice.contract.UserMistakeException;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.contract.workflow.WorkflowFiles.Skipped;
import dev.sluice.scheduling.workflow.Gpus;
import dev.sluice.scheduling.workflow.LowerBound;
import dev.sluice.scheduling.workflow.NodeExecution;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Workflows over GPUs in virtual time, from their files to a finished folder. */
final class SimulatedWorkflows {
  private static final String BASELINE = "ray_like";
  private static final String LOG = "baseline_scheduler.log";
  private static final int SHOWN_EVENTS_MAX = 200;
  private static final int SHOWN_SKIPPED_MAX = 20;
  private static final int RULE_WIDTH = 60;

  private static final DateTimeFormatter WALL_CLOCK =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT)
          .withZone(ZoneId.systemDefault());

  private final WorkflowOptions options;
  private final Console console;
  private @Nullable String summaryJson;

  SimulatedWorkflows(WorkflowOptions options, Console console) {
    this.options = options;
    this.console = console;
  }

  /** The summary of the execution log; null before it is done. */
  @Nullable String summaryJson() {
    return summaryJson;
  }

  /**
   * Schedules the requests, prints what happens, and leaves the folder.
   *
   * @param runId null: made from the time
   * @param noTrace whether lines, executions and picture are left out
   */
  int execute(Path results, @Nullable String runId, boolean noTrace)
      throws UserMistakeException, IOException {
    options.check();
    Gpus gpus = options.gpus();
    boolean online = options.online();
    String policy = options.policyName();
    WorkflowFiles files =
        WorkflowFiles.read(
            options.system(), options.requests(), gpus.count(), options.skipInfeasible());
    Workflows workflows = Workflows.of(files, gpus, online);
    String id =
        runId == null
            ? "workflows-" + policy + "-" + ExperimentRun.STAMP.format(Instant.now())
            : runId;
    try (var folder = RunFolder.create(results, id)) {
      try (var lines = new Lines(folder.path().resolve(LOG), console)) {
        announce(lines, workflows, files.skipped(), gpus, online);
        WorkflowSchedule schedule =
            WorkflowSchedule.of(workflows, gpus, policy, noTrace ? null : lines::event);
        lines.endOfEvents();
        LowerBound bound = LowerBound.of(workflows.requests(), gpus.count());
        lines.accept(
            "Simulation completed at time "
                + WorkflowSchedule.seconds(schedule.makespanNs())
                + "s");
        report(lines, schedule, files.skipped());
        compare(lines, schedule, workflows, gpus, bound);
        var log = new ExecutionLog(schedule, gpus, online, files.skipped(), bound);
        log.write(folder.path(), !noTrace);
        summaryJson = log.summary();
        if (!noTrace) {
          Path plots = Files.createDirectory(folder.path().resolve("plots"));
          Files.write(plots.resolve("gpu_timeline.png"), timeline(schedule, workflows, gpus));
        }
        lines.accept("");
        lines.accept("Detailed execution log written to " + ExecutionLog.NAME);
      }
      console.line("");
      console.line("Folder    " + folder.finish());
    }
    return Sluice.EXIT_DONE;
  }

  private void announce(
      Lines lines, Workflows workflows, List<Skipped> skipped, Gpus gpus, boolean online) {
    lines.dated("Starting baseline scheduler with " + workflows.requests().size() + " requests");
    lines.dated("Mode: " + (online ? "online" : "offline") + ", Simulate: false");
    lines.dated("Available GPUs: " + IntStream.range(0, gpus.count()).boxed().toList());
    for (String warning : workflows.warnings()) {
      lines.dated("Warning: " + warning);
    }
    for (int i = 0; i < skipped.size(); i++) {
      String line =
          "Skipped request " + skipped.get(i).requestId() + ": " + skipped.get(i).reason();
      if (i < SHOWN_SKIPPED_MAX) {
        lines.accept(line);
      } else {
        lines.toFile(line);
      }
    }
    if (skipped.size() > SHOWN_SKIPPED_MAX) {
      console.line("… and " + (skipped.size() - SHOWN_SKIPPED_MAX) + " more, in " + LOG);
    }
    lines.dated("Starting discrete event simulation...");
  }

  private static void report(Lines lines, WorkflowSchedule schedule, List<Skipped> skipped) {
    lines.accept("");
    lines.accept("=".repeat(RULE_WIDTH));
    lines.accept("EXECUTION METRICS");
    lines.accept("=".repeat(RULE_WIDTH));
    long makespanNs = schedule.makespanNs();
    lines.accept(
        "Total execution time (makespan): " + WorkflowSchedule.seconds(makespanNs) + " seconds");
    lines.accept("Total requests: " + (schedule.completed() + skipped.size()));
    lines.accept("  Completed: " + schedule.completed());
    lines.accept("  Failed: 0, dropped: 0, refused: " + skipped.size());
    lines.accept("Total nodes executed: " + schedule.executions().size());
    lines.accept("");
    WorkflowSchedule.Sample times = schedule.completionNs();
    lines.accept("Request completion times:");
    lines.accept("  Average: " + WorkflowSchedule.seconds(times.meanNs()) + "s");
    lines.accept("  Median: " + WorkflowSchedule.seconds(times.percentileNs(50)) + "s");
    lines.accept("  P99: " + WorkflowSchedule.seconds(times.percentileNs(99)) + "s");
    lines.accept("  Min: " + WorkflowSchedule.seconds(times.percentileNs(0)) + "s");
    lines.accept("  Max: " + WorkflowSchedule.seconds(times.percentileNs(100)) + "s");
    lines.accept("");
    lines.accept("GPU utilization:");
    long[] executions = schedule.executionsByGpu();
    long[] busyNs = schedule.busyNsByGpu();
    for (int gpu = 0; gpu < busyNs.length; gpu++) {
      lines.accept(
          String.format(
              Locale.ROOT,
              "  GPU %d: %d executions, %ss busy time (%.1f%% utilization)",
              gpu,
              executions[gpu],
              WorkflowSchedule.seconds(busyNs[gpu]),
              makespanNs == 0 ? 0.0 : 100.0 * busyNs[gpu] / makespanNs));
    }
    lines.accept("");
    lines.accept("Model execution counts:");
    schedule
        .executionsByModel()
        .forEach((model, count) -> lines.accept("  " + model + ": " + count + " executions"));
    lines.accept("");
    List<NodeExecution> switches = schedule.switches();
    List<NodeExecution> loads = schedule.firstLoads();
    lines.accept("Model switching:");
    lines.accept("  Total switches: " + switches.size());
    lines.accept("  Total switch time: " + seconds(switches));
    lines.accept("  Of these, loads onto empty GPUs: " + loads.size() + ", " + seconds(loads));
  }

  private static String seconds(List<NodeExecution> executions) {
    return WorkflowSchedule.seconds(WorkflowSchedule.switchNs(executions)) + " seconds";
  }

  /** The schedule beside the baseline's, and beside what no schedule can be better than. */
  private static void compare(
      Lines lines, WorkflowSchedule schedule, Workflows workflows, Gpus gpus, LowerBound bound) {
    lines.accept("");
    lines.accept("Makespan and mean request completion time:");
    row(lines, schedule.policy(), schedule.makespanNs(), schedule.completionNs().meanNs());
    if (!schedule.policy().equals(BASELINE)) {
      WorkflowSchedule baseline = WorkflowSchedule.of(workflows, gpus, BASELINE, null);
      row(lines, BASELINE, baseline.makespanNs(), baseline.completionNs().meanNs());
    }
    row(lines, "lower bound", bound.makespanNs(), bound.meanCompletionNs());
  }

  private static void row(Lines lines, String name, long makespanNs, double meanNs) {
    lines.accept(
        String.format(
            Locale.ROOT,
            "  %-14s %14ss %14ss",
            name,
            WorkflowSchedule.seconds(makespanNs),
            WorkflowSchedule.seconds(meanNs)));
  }

  private static byte[] timeline(WorkflowSchedule schedule, Workflows workflows, Gpus gpus) {
    List<String> models = workflows.models().stream().map(model -> model.id()).toList();
    var timeline =
        new GpuTimeline("GPUs · " + schedule.policy() + " · simulated", gpus.count(), models);
    for (NodeExecution execution : schedule.executions()) {
      timeline.add(
          execution.gpu(),
          execution.gpus(),
          models.indexOf(schedule.node(execution).model().id()),
          execution.heldAtNs(),
          execution.startedAtNs(),
          execution.endedAtNs());
    }
    return timeline.png();
  }

  /** What is said, on the console and in the log; of very many events only the log has all. */
  private static final class Lines implements Consumer<String>, AutoCloseable {
    private final BufferedWriter file;
    private final Console console;
    private int events;

    Lines(Path file, Console console) throws IOException {
      this.file = Files.newBufferedWriter(file, StandardCharsets.UTF_8);
      this.console = console;
    }

    @Override
    public void accept(String line) {
      console.line(line);
      toFile(line);
    }

    /** With the time of day on the console alone, so that equal schedules leave equal files. */
    void dated(String line) {
      console.line(WALL_CLOCK.format(Instant.now()) + " - " + line);
      toFile(line);
    }

    void event(String line) {
      if (events++ < SHOWN_EVENTS_MAX) {
        console.line(line);
      }
      toFile(line);
    }

    void endOfEvents() {
      if (events > SHOWN_EVENTS_MAX) {
        console.line("… and " + (events - SHOWN_EVENTS_MAX) + " events more, in " + LOG);
      }
    }

    void toFile(String line) {
      try {
        file.write(line);
        file.write('\n');
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
