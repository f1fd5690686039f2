package dev.sluice.harness.workflow;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.Event;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.time.ProcessClock;
import dev.sluice.contract.time.RunClock;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.run.RunShell;
import dev.sluice.harness.terminal.Console;
import dev.sluice.scheduler.translation.WorkflowOutcomes;
import dev.sluice.scheduler.translation.Workflows;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The load of a run of workflows: each request is sent at its time, and the run ends once all sent
 * requests have ended.
 */
final class WorkflowLoad {
  private static final long NS_PER_MS = 1_000_000;
  private static final long AHEAD_NS = 300 * NS_PER_MS;
  private static final long LOOK_NS = 100 * NS_PER_MS;
  private static final Duration STANDSTILL_MAX = Duration.ofMinutes(5);

  private final WorkflowSettings options;
  private final Workflows workflows;
  private final ProcessClock clock;
  private final RunShell shell;
  private final Console console;

  WorkflowLoad(
      WorkflowSettings options,
      Workflows workflows,
      ProcessClock clock,
      RunShell shell,
      Console console) {
    this.options = options;
    this.workflows = workflows;
    this.clock = clock;
    this.shell = shell;
    this.console = console;
  }

  /** Sends each request at its time, and returns once all sent requests have ended. */
  void run(String runId, WorkflowLog shard, WorkflowOutcomes outcomes, Consumer<String> said)
      throws RoleFailedException, IOException, InterruptedException {
    List<WorkflowRequested> arrivals =
        workflows.requests().stream()
            .sorted(Comparator.comparingLong(WorkflowRequested::index))
            .toList();
    RunClock runClock = begin(runId, shard);
    long[] latenessNs = new long[arrivals.size()];
    int sent = 0;
    boolean arrivalsEnded = false;
    long movedAtNs = clock.monotonicNs();
    try (var progress = new Progress(outcomes)) {
      while (outcomes.ended() < sent
          || (sent < arrivals.size() && !shell.stopRequested())
          || !outcomes.isWhole()) {
        shell.failIfFailed();
        while (sent < arrivals.size() && !shell.stopRequested()) {
          WorkflowRequested due = arrivals.get(sent);
          long nowNs = runClock.nowNs();
          if (due.intendedAtNs() > nowNs) {
            break;
          }
          latenessNs[sent] = nowNs - due.intendedAtNs();
          shard.send(due.sentAt(nowNs), shell::fail);
          sent++;
        }
        boolean standsStill = clock.monotonicNs() - movedAtNs > STANDSTILL_MAX.toNanos();
        if (standsStill && sent == arrivals.size() && !arrivalsEnded) {
          said.accept(
              "Warning: nothing has happened for %d minutes: lanes hang, what waits is given up"
                  .formatted(STANDSTILL_MAX.toMinutes()));
        }
        if ((shell.stopRequested() || (standsStill && sent == arrivals.size())) && !arrivalsEnded) {
          arrivalsEnded = true;
          endArrivals(
              shard, latenessNs, sent); // waiting jobs are dropped, running jobs are finished
        }
        long waitNs = LOOK_NS;
        if (sent < arrivals.size() && !shell.stopRequested()) {
          long dueNs = arrivals.get(sent).intendedAtNs() - runClock.nowNs();
          waitNs = Math.max(0, Math.min(waitNs, dueNs));
        }
        for (Event event : shard.poll(Duration.ofNanos(waitNs))) {
          if (!(event instanceof ExecutorReported || event instanceof Ticked)) {
            movedAtNs = clock.monotonicNs();
          }
          outcomes.take(event);
        }
        progress.draw();
      }
    }
    if (!arrivalsEnded) {
      endArrivals(shard, latenessNs, sent);
    }
    shard.end(new RunEnded(runId, sent, false, shell.stopRequested(), runClock.nowNs(), null, 0L));
    long latest = IntStream.range(0, sent).mapToLong(i -> latenessNs[i]).max().orElse(0);
    said.accept(
        String.format(Locale.ROOT, "Requests were sent at most %.1f ms late", latest / 1e6));
  }

  private RunClock begin(String runId, WorkflowLog shard)
      throws RoleFailedException, IOException, InterruptedException {
    long timeZeroEpochMs = Math.floorDiv(clock.epochNs() + AHEAD_NS, NS_PER_MS) + 1;
    var started =
        new RunStarted(
            runId,
            timeZeroEpochMs,
            WorkflowLanes.SEED,
            Sha256.hex(Files.readAllBytes(options.systemFile())),
            Sha256.hex(Files.readAllBytes(options.requestsFile())),
            1,
            1,
            null);
    shard.begin(started);
    return clock.forRun(timeZeroEpochMs);
  }

  private static void endArrivals(WorkflowLog shard, long[] latenessNs, int sent)
      throws RoleFailedException, InterruptedException {
    long[] sorted = IntStream.range(0, sent).mapToLong(i -> latenessNs[i]).sorted().toArray();
    long maxNs = sent == 0 ? 0 : sorted[sent - 1];
    long p99Ns = sent == 0 ? 0 : sorted[(int) Math.ceil(0.99 * sent) - 1];
    shard.append(new ArrivalsEnded(0, sent, p99Ns, maxNs, 0));
  }

  /** Live line with the share of requests that are done. */
  private final class Progress implements AutoCloseable {
    private final WorkflowOutcomes outcomes;
    private final int nodes = workflows.requests().stream().mapToInt(r -> r.nodes().size()).sum();
    private final long periodNs = (console.isTerminal() ? 1 : 5) * 1_000_000_000L;
    private long drawnAtNs = clock.monotonicNs();

    Progress(WorkflowOutcomes outcomes) {
      this.outcomes = outcomes;
    }

    void draw() {
      long nowNs = clock.monotonicNs();
      if (nowNs - drawnAtNs >= periodNs) {
        drawnAtNs = nowNs;
        console.live(
            "%d of %d requests ended, %d of %d nodes done"
                .formatted(
                    outcomes.ended(), workflows.requests().size(), outcomes.nodesDone(), nodes));
      }
    }

    @Override
    public void close() {
      console.endLiveLine();
    }
  }
}
