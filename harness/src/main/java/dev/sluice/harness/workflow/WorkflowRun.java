package dev.sluice.harness.workflow;

import static dev.sluice.harness.workflow.WorkflowSchedules.seconds;

import dev.sluice.analytics.plot.GpuTimeline;
import dev.sluice.analytics.report.TextTable;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.contract.workflow.WorkflowFiles.Skipped;
import dev.sluice.executor.lane.WarmedLanes.WarmUpException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.scheduling.simulation.Gpus;
import dev.sluice.scheduling.simulation.GraphSchedule;
import dev.sluice.scheduling.simulation.GraphSchedule.Attempts;
import dev.sluice.scheduling.simulation.GraphSchedule.Durations;
import dev.sluice.scheduling.simulation.GraphSchedule.LowerBound;
import dev.sluice.scheduling.simulation.GraphSchedule.UnfinishedRequest;
import dev.sluice.scheduling.simulation.GraphSimulation;
import dev.sluice.scheduling.simulation.NodeExecution;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Workflows over GPUs, from their files to a finished folder: in virtual time, or really run. */
public final class WorkflowRun {
  private static final TextTable TIMES = new TextTable("  %-14s %14ss %14ss");
  private static final String BASELINE = "ray_like";
  private static final String EVENTS = "baseline_scheduler.log";
  private static final int SHOWN_EVENTS_MAX = 200;
  private static final int SHOWN_SKIPPED_MAX = 20;
  private static final int RULE_WIDTH = 60;

  private static final DateTimeFormatter WALL_CLOCK =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT)
          .withZone(ZoneId.systemDefault());

  private final WorkflowSettings options;
  private final Console console;
  private @Nullable String summaryJson;

  public WorkflowRun(WorkflowSettings options, Console console) {
    this.options = options;
    this.console = console;
  }

  /**
   * Schedules the requests, prints what happens, leaves the folder, and returns the exit status.
   */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    int status = schedule();
    console.result(summaryJson);
    return status;
  }

  private int schedule() throws UserMistakeException, IOException, InterruptedException {
    String runId = options.runId();
    boolean noTrace = options.noTrace();
    boolean executes = options.executes();
    Gpus gpus = options.gpusAsTold();
    boolean online = options.online();
    String policy = options.policyName();
    WorkflowFiles files =
        WorkflowFiles.read(
            options.systemFile(), options.requestsFile(), gpus.count(), options.skipInfeasible());
    options.checkPolicy(files);
    Workflows workflows =
        Workflows.of(
            files,
            gpus,
            online,
            model -> executes ? ExecutedWorkflows.backendOf(model) : GraphSimulation.BACKEND);
    String id = runId == null ? "workflows-" + policy + "-" + MachineClock.stamp() : runId;
    UserMistakeException.throwIf(
        executes && noTrace,
        "--no-trace",
        "the trace of nodes that really run is always kept",
        "you want to leave it out");
    UserMistakeException.throwIf(
        !executes && Boolean.TRUE.equals(options.log()),
        "--log",
        "schedules in virtual time go through no topics that could be recorded",
        "you want --execute");
    ExecutedWorkflows run = executes ? new ExecutedWorkflows(options, workflows, console) : null;
    int status = ExitStatus.DONE;
    try (var folder = RunFolder.create(options.results(), id)) {
      try (var lines = new Lines(folder.path().resolve(EVENTS), console)) {
        announce(lines, workflows, executes);
        GraphSchedule schedule;
        if (run != null) {
          schedule = run.execute(folder, id, lines::dated, lines::event);
          status =
              run.exitStatus() == ExitStatus.DONE && !schedule.unfinished().isEmpty()
                  ? ExitStatus.FAULTS
                  : run.exitStatus();
        } else {
          lines.dated("Starting discrete event simulation...");
          schedule = WorkflowSchedules.simulated(workflows, policy, noTrace ? null : lines::event);
        }
        lines.endOfEvents();
        LowerBound bound =
            schedule.sharesBatches() // so that the nodes' separate times are unknown
                ? null
                : LowerBound.of(
                    executes ? schedule.completedRequests() : workflows.requests(), gpus.count());
        lines.accept(
            "%s completed at time %ss"
                .formatted(executes ? "Execution" : "Simulation", seconds(schedule.makespanNs())));
        report(lines, schedule, files.skipped());
        lines.all("", "Makespan and mean request completion time:");
        row(lines, policy, schedule);
        if (!executes && !policy.equals(BASELINE)) {
          row(lines, BASELINE, WorkflowSchedules.simulated(workflows, BASELINE, null));
        }
        if (bound != null) {
          row(lines, "lower bound", bound.makespanNs(), bound.meanCompletionNs());
        }
        var log = new ExecutionLog(schedule, workflows, bound, executes);
        log.write(folder.path(), !noTrace);
        summaryJson = log.summary();
        if (!noTrace) {
          Path plots = Files.createDirectory(folder.path().resolve("plots"));
          Files.write(plots.resolve("gpu_timeline.png"), timeline(schedule, workflows, executes));
        }
        lines.all("", "Detailed execution log written to " + ExecutionLog.NAME);
      } catch (RoleFailedException | WarmUpException e) {
        console.line("sluice: error: the run failed: " + e.getMessage());
        console.line("  Maybe its log says more: " + folder.failedPath().resolve("run.log"));
        return ExitStatus.BUG;
      } catch (UserMistakeException e) {
        folder.discard();
        throw e;
      }
      console.line("");
      Path finished = folder.finish();
      console.line("Folder    " + finished);
      RunFolder.pointLatest(finished);
    }
    return status;
  }

  private void announce(Lines lines, Workflows workflows, boolean executes) {
    WorkflowFiles files = workflows.files();
    lines.dated("Starting baseline scheduler with " + workflows.requests().size() + " requests");
    lines.dated("Mode: " + (workflows.online() ? "online" : "offline") + ", Simulate: " + executes);
    lines.dated("Available GPUs: " + IntStream.range(0, workflows.gpus().count()).boxed().toList());
    for (String warning : workflows.warnings()) {
      lines.dated("Warning: " + warning);
    }
    if (!executes && files.requests().stream().anyMatch(r -> r.workflow().joined())) {
      lines.dated(
          "Warning: nodes run one by one here: the files do not say how long a micro-batch takes");
    }
    List<Skipped> skipped = files.skipped();
    for (int i = 0; i < skipped.size(); i++) {
      Skipped one = skipped.get(i);
      String line = "Skipped request " + one.requestId() + ": " + one.reason();
      if (i < SHOWN_SKIPPED_MAX) {
        lines.accept(line);
      } else {
        lines.toFile(line);
      }
    }
    if (skipped.size() > SHOWN_SKIPPED_MAX) {
      console.line("… and " + (skipped.size() - SHOWN_SKIPPED_MAX) + " more, in " + EVENTS);
    }
  }

  private static void report(Lines lines, GraphSchedule schedule, List<Skipped> skipped) {
    String rule = "=".repeat(RULE_WIDTH);
    long makespanNs = schedule.makespanNs();
    long failed = schedule.failed();
    lines.all(
        "",
        rule,
        "EXECUTION METRICS",
        rule,
        "Total execution time (makespan): " + seconds(makespanNs) + " seconds",
        "Total requests: " + (schedule.requests() + skipped.size()),
        "  Completed: " + schedule.completed(),
        "  Failed: %d, dropped: %d, refused: %d"
            .formatted(failed, schedule.unfinished().size() - failed, skipped.size()));
    if (schedule.hasPromises()) {
      lines.accept("  Later than promised, or not at all: " + schedule.sloViolations());
    }
    Attempts notDone = schedule.attemptsNotDone();
    if (notDone.count() > 0) {
      lines.accept(
          "Attempts that were not done: %d, which held GPUs for %s seconds"
              .formatted(notDone.count(), seconds(notDone.heldNs())));
    }
    for (UnfinishedRequest of : schedule.unfinished()) {
      lines.event("Request " + of.request().requestId() + " was not completed: " + of.reason());
    }
    Durations times = schedule.completionNs();
    lines.all(
        "Total nodes executed: " + schedule.executions().size(),
        "",
        "Request completion times:",
        "  Average: " + seconds(times.meanNs()) + "s",
        "  Median: " + seconds(times.percentileNs(50)) + "s",
        "  P99: " + seconds(times.percentileNs(99)) + "s",
        "  Min: " + seconds(times.percentileNs(0)) + "s",
        "  Max: " + seconds(times.percentileNs(100)) + "s",
        "",
        "GPU utilization:");
    long[] executions = schedule.executionsByGpu();
    long[] busyNs = schedule.busyNsByGpu();
    for (int gpu = 0; gpu < busyNs.length; gpu++) {
      lines.accept(
          String.format(
              Locale.ROOT,
              "  GPU %d: %d executions, %ss busy time (%.1f%% utilization)",
              gpu,
              executions[gpu],
              seconds(busyNs[gpu]),
              makespanNs == 0 ? 0.0 : 100.0 * busyNs[gpu] / makespanNs));
    }
    lines.all("", "Model execution counts:");
    schedule
        .executionsByModel()
        .forEach((model, count) -> lines.accept("  " + model + ": " + count + " executions"));
    List<NodeExecution> switches = schedule.switches();
    List<NodeExecution> loads = schedule.firstLoads();
    lines.all(
        "",
        "Model switching:",
        "  Total switches: " + switches.size(),
        "  Total switch time: " + seconds(GraphSchedule.switchNs(switches)) + " seconds",
        "  Of these, loads onto empty GPUs: %s, %s seconds"
            .formatted(loads.size(), seconds(GraphSchedule.switchNs(loads))));
  }

  private static void row(Lines lines, String name, GraphSchedule schedule) {
    row(lines, name, schedule.makespanNs(), schedule.completionNs().meanNs());
  }

  private static void row(Lines lines, String name, long makespanNs, double meanNs) {
    lines.accept(TIMES.row(name, seconds(makespanNs), seconds(meanNs)));
  }

  private static byte[] timeline(GraphSchedule schedule, Workflows workflows, boolean executed) {
    List<String> models = workflows.modelIds();
    var timeline =
        new GpuTimeline(
            "GPUs · " + schedule.policy() + (executed ? " · really run" : " · simulated"),
            workflows.gpus().count(),
            models);
    for (NodeExecution execution : schedule.executions()) {
      timeline.add(
          execution.gpu(),
          execution.gpus(),
          models.indexOf(schedule.node(execution).workload()),
          execution.heldAtNs(),
          execution.startedAtNs(),
          execution.endedAtNs());
    }
    return timeline.png();
  }

  /** Lines for the console and the log. Of very many events only the log has all. */
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

    void all(String... all) {
      for (String line : all) {
        accept(line);
      }
    }

    /**
     * Prints a line with the time of day on the console alone, so that equal schedules leave equal
     * files.
     */
    void dated(String line) {
      console.line(WALL_CLOCK.format(MachineClock.now()) + " - " + line);
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
        console.line("… and " + (events - SHOWN_EVENTS_MAX) + " events more, in " + EVENTS);
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
