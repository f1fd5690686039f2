package dev.sluice.bench.chaos;

import dev.sluice.bench.chaos.KeptLog.Completion;
import dev.sluice.bench.chaos.KeptLog.Dispatch;
import dev.sluice.bench.chaos.KeptLog.Job;
import dev.sluice.bench.chaos.KeptLog.Outcome;
import dev.sluice.bench.chaos.KeptLog.Report;
import dev.sluice.bench.chaos.KeptLog.Request;
import dev.sluice.bench.chaos.KeptLog.Shard;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Checks of the log alone. */
final class LogChecks {
  private final KeptLog log;
  private final List<String> violations = new ArrayList<>();

  private LogChecks(KeptLog log) {
    this.log = log;
  }

  static List<String> violations(KeptLog log) {
    var checks = new LogChecks(log);
    checks.violations.addAll(log.violations);
    checks.runHasBothEnds();
    log.jobs.values().stream()
        .sorted(Comparator.comparing(job -> job.id))
        .forEach(checks::jobHasOneOutcome);
    log.shards.forEach(
        (index, shard) -> {
          checks.announcedAreRequested(index, shard);
          checks.dispatchesRanOnce(index, shard);
          checks.lanesRanOneBatchAtATime(shard);
          checks.tokensWereKept(index, shard);
        });
    return checks.violations;
  }

  private void runHasBothEnds() {
    if (!log.started()) {
      violations.add("the run has no beginning");
    }
    if (!log.ended) {
      violations.add("the run has no end");
    }
    long requested = log.jobs.values().stream().filter(job -> job.request != null).count();
    if (log.jobsSent != null && !log.givenUp && log.jobsSent != requested) {
      violations.add("the run's end names " + log.jobsSent + " jobs, the log holds " + requested);
    }
  }

  private void jobHasOneOutcome(Job job) {
    Request request = job.request;
    if (request == null) {
      violations.add("job " + job.id + " was never requested and has an outcome");
      return;
    }
    if (job.outcomes.size() != 1) {
      violations.add("job " + job.id + " has " + job.outcomes.size() + " outcomes");
    }
    for (Outcome outcome : job.outcomes) {
      if (outcome.shard() != request.shard()) {
        violations.add("job " + job.id + " ended in another shard than its own");
      }
      if (outcome.status().equals("DONE")) {
        doneJobWasDone(job, outcome);
      }
    }
  }

  private void doneJobWasDone(Job job, Outcome outcome) {
    Shard shard = log.shard(outcome.shard());
    Dispatch dispatch =
        outcome.dispatchId() == null ? null : shard.dispatches.get(outcome.dispatchId());
    if (dispatch == null || !dispatch.jobs.contains(job.id)) {
      violations.add("job " + job.id + " is done by a dispatch that does not hold it");
      return;
    }
    Completion done = answer(shard, dispatch.id, "DONE");
    if (done == null) {
      violations.add("job " + job.id + " is done, but its dispatch " + dispatch.id + " is not");
    } else if (done.logTimeNs() != outcome.endedAtNs()) {
      violations.add(
          "job %s ended at %d ns, but its dispatch was answered at %d ns of log time"
              .formatted(job.id, outcome.endedAtNs(), done.logTimeNs()));
    }
  }

  /** First answer with the given result; null if the dispatch has none. */
  static @Nullable Completion answer(Shard shard, String dispatchId, String result) {
    return shard.answers().getOrDefault(dispatchId, List.of()).stream()
        .filter(c -> c.result().equals(result))
        .findFirst()
        .orElse(null);
  }

  private void announcedAreRequested(int index, Shard shard) {
    Map<Integer, Long> requested = new TreeMap<>();
    for (Job job : log.jobs.values()) {
      if (job.request != null && job.request.shard() == index) {
        requested.merge(job.request.generator(), 1L, Long::sum);
      }
    }
    shard.announced.forEach(
        (generator, count) -> {
          long found = requested.getOrDefault(generator, 0L);
          if (found != count) {
            violations.add(
                "generator %d announced %d jobs to shard %d, which holds %d"
                    .formatted(generator, count, index, found));
          }
        });
  }

  private void dispatchesRanOnce(int index, Shard shard) {
    for (Map.Entry<String, List<Completion>> entry : shard.answers().entrySet()) {
      Dispatch dispatch = shard.dispatches.get(entry.getKey());
      String name = "dispatch " + index + "/" + entry.getKey();
      if (dispatch == null) {
        violations.add(name + " was answered and never made");
        continue;
      }
      long executions =
          entry.getValue().stream()
              .filter(c -> !c.result().equals("REFUSED"))
              .map(c -> c.executor() + c.incarnation() + "/" + c.lane() + "@" + c.startedAtNs())
              .distinct()
              .count();
      if (executions > 1) {
        violations.add(name + " ran " + executions + " times");
      }
      for (Completion completion : entry.getValue()) {
        startedInTime(name, dispatch, completion);
      }
    }
    for (Dispatch dispatch : shard.dispatches.values()) {
      if (!dispatch.committed) {
        violations.add(
            "dispatch " + index + "/" + dispatch.id + " was shown to executors, never committed");
      }
    }
  }

  private void startedInTime(String name, Dispatch dispatch, Completion completion) {
    if (!completion.executor().equals(dispatch.executor)) {
      violations.add(name + " ran on " + completion.executor() + ", not on " + dispatch.executor);
    }
    Long startedAtNs = completion.startedAtNs();
    for (String id : dispatch.jobs) {
      Job job = log.jobs.get(id);
      Request request = job == null ? null : job.request;
      if (request == null) {
        violations.add(name + " holds job " + id + ", which was never requested");
      } else if (startedAtNs != null
          && startedAtNs
              < request.intendedAtNs()
                  - log.clockOffsetNs.getOrDefault(completion.executor(), 0L)) {
        violations.add(name + " started before the intended arrival of its job " + id);
      }
    }
  }

  private void lanesRanOneBatchAtATime(Shard shard) {
    Map<String, List<Completion>> lanes = new TreeMap<>();
    for (List<Completion> answers : shard.answers().values()) {
      Completion ran = answers.stream().filter(Completion::ran).findFirst().orElse(null);
      if (ran == null) {
        continue;
      }
      Dispatch dispatch = shard.dispatches.get(ran.dispatchId());
      int[] taken = dispatch == null ? new int[] {ran.lane()} : dispatch.lanes;
      for (int lane : taken) {
        lanes
            .computeIfAbsent(
                ran.executor() + "#" + ran.incarnation() + "/" + lane, l -> new ArrayList<>())
            .add(ran);
      }
    }
    lanes.forEach(
        (lane, runs) -> {
          runs.sort(Comparator.comparing(LogChecks::startedAtNs));
          for (int i = 1; i < runs.size(); i++) {
            Long before = runs.get(i - 1).finishedAtNs();
            if (before != null && startedAtNs(runs.get(i)) < before) {
              violations.add(
                  "lane %s ran dispatches %s and %s at once"
                      .formatted(lane, runs.get(i - 1).dispatchId(), runs.get(i).dispatchId()));
            }
          }
        });
  }

  private static long startedAtNs(Completion completion) {
    Long atNs = completion.startedAtNs();
    return atNs == null ? 0 : atNs;
  }

  /**
   * A step of the fold over one executor's tokens. A release comes before the decision that it made
   * room for.
   */
  private record Step(long offset, int order, Runnable act) {}

  private void tokensWereKept(int index, Shard shard) {
    Map<String, Budget> budgets = new HashMap<>();
    List<Step> steps = new ArrayList<>();
    for (Report report : shard.reports) {
      steps.add(
          new Step(
              report.offset(),
              -1,
              () ->
                  budgets.computeIfAbsent(report.executor(), e -> new Budget()).reported(report)));
    }
    for (Completion completion : shard.completions) {
      steps.add(
          new Step(
              completion.offset(),
              -1,
              () ->
                  budgets
                      .computeIfAbsent(completion.executor(), e -> new Budget())
                      .release(completion.dispatchId())));
    }
    for (Dispatch dispatch : shard.dispatches.values()) {
      steps.add(
          new Step(
              dispatch.factOffset,
              dispatch.index,
              () -> {
                Budget budget = budgets.computeIfAbsent(dispatch.executor, e -> new Budget());
                budget.hold(dispatch);
                if (budget.total != null && budget.held > budget.total) {
                  violations.add(
                      "dispatch %d/%s took %s to %d tokens of %d"
                          .formatted(
                              index, dispatch.id, dispatch.executor, budget.held, budget.total));
                }
              }));
    }
    steps.sort(Comparator.comparingLong(Step::offset).thenComparingInt(Step::order));
    steps.forEach(step -> step.act().run());
  }

  /** Memory tokens of one executor. */
  private static final class Budget {
    private final Map<String, Dispatch> holders = new HashMap<>();
    private long incarnation = Long.MIN_VALUE;
    private long held;
    private @Nullable Long total;

    void hold(Dispatch dispatch) {
      if (holders.put(dispatch.id, dispatch) == null) {
        held += dispatch.tokens;
      }
    }

    void release(String id) {
      Dispatch dispatch = holders.remove(id);
      held -= dispatch == null ? 0 : dispatch.tokens;
    }

    /** Frees the tokens of older incarnations, which a newer one does not hold. */
    void reported(Report report) {
      if (report.incarnation() < incarnation) {
        return;
      }
      incarnation = report.incarnation();
      total = report.tokens();
      List.copyOf(holders.values()).stream()
          .filter(dispatch -> dispatch.incarnation < incarnation)
          .forEach(dispatch -> release(dispatch.id));
    }
  }
}
