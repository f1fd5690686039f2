package dev.sluice.analytics.check;

import static dev.sluice.analytics.check.Row.NONE;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Checks that batches joined only jobs that may be joined, and that each began when its set was
 * full or held a job that had waited its window. Log time has whole milliseconds: of two events in
 * one millisecond either may have been first, and the check assumes the order that favors the run.
 */
final class WindowRule extends RunRules {
  private final double maxBatch = config.number("microbatch", "max_batch");
  private final long windowNs = Math.round(config.number("microbatch", "window_ms") * 1e6);
  private final boolean ignoresClass = folder.decides("sets_of_all_classes");
  private final boolean joins = config.joinsJobs();

  WindowRule(RunFolder folder) {
    super(folder);
  }

  /** Attributes that the jobs of one batch have in common. */
  private record SetKey(
      long shard, String classType, String workload, String backend, String precision) {}

  private SetKey setOf(Job job) {
    return new SetKey(
        job.shard, ignoresClass ? "" : job.classType, job.workload, job.backend, job.precision);
  }

  @Override
  void check() {
    Map<SetKey, List<Batch>> batchesBySet = new LinkedHashMap<>();
    for (Batch batch : folder.batches()) {
      List<Job> jobs = batch.jobs;
      if (!jobs.isEmpty()) {
        looked(Rule.COMPATIBLE);
        checkCompatible(batch, jobs);
        batchesBySet.computeIfAbsent(setOf(jobs.get(0)), key -> new ArrayList<>()).add(batch);
      }
    }
    if (!joins) {
      findings.leaveOut(Rule.WINDOW, "the run joined no jobs");
      return;
    }
    if (folder.decides("joining")) {
      findings.leaveOut(Rule.WINDOW, "the policy joins jobs at times of its own choice");
      return;
    }
    folder.jobs().stream()
        .filter(this::mayShare)
        .sorted(Comparator.comparingLong(job -> job.appendedNs))
        .collect(Collectors.groupingBy(this::setOf))
        .forEach((key, jobs) -> checkSet(jobs, batchesBySet.getOrDefault(key, List.of())));
  }

  private boolean mayShare(Job job) {
    return job.samples <= maxBatch && config.sharesBatches(job.classType);
  }

  private void checkCompatible(Batch batch, List<Job> jobs) {
    if (jobs.size() == 1) {
      return;
    }
    Job first = jobs.get(0);
    String wrong = null;
    if (!joins) {
      wrong = "it joins %d jobs, and this run joined none".formatted(jobs.size());
    } else if (batch.samples > maxBatch) {
      wrong = "samples (%s) exceed max_batch (%.0f)".formatted(batch.samples, maxBatch);
    }
    for (Job job : jobs) {
      if (!setOf(job).equals(setOf(first))) {
        wrong = "jobs (%s) and (%s) are not alike".formatted(first.id, job.id);
      } else if (!mayShare(job)) {
        wrong = "job (%s) may share no batch".formatted(job.id);
      }
    }
    if (wrong != null) {
      fault(Rule.COMPATIBLE, batch, "%s", wrong);
    }
  }

  /** Goes through the decisions of one set, with the jobs that may have waited at each of them. */
  private void checkSet(List<Job> jobs, List<Batch> batches) {
    Deque<Job> toCome = new ArrayDeque<>(jobs);
    PriorityQueue<Job> byAge = new PriorityQueue<>(Comparator.comparingLong(job -> job.appendedNs));
    Set<String> waiting = new HashSet<>();
    long samples = 0;
    List<Batch> inOrder = new ArrayList<>(batches);
    inOrder.sort(
        Comparator.comparingLong((Batch batch) -> batch.offset)
            .thenComparingLong(batch -> batch.place));
    for (Batch batch : inOrder) {
      long decided = batch.decidedNs;
      while (!toCome.isEmpty() && toCome.element().appendedNs <= decided) {
        Job job = toCome.remove();
        samples += job.samples;
        waiting.add(job.id);
        byAge.add(job);
      }
      while (!byAge.isEmpty() && hasLeft(byAge.element(), decided, waiting)) {
        Job left = byAge.remove();
        if (waiting.remove(left.id)) {
          samples -= left.samples;
        }
      }
      List<Job> own = batch.jobs;
      if (own.isEmpty() || !mayShare(own.get(0))) {
        continue;
      }
      looked(Rule.WINDOW);
      Job oldest = byAge.peek();
      long since = oldest == null ? NONE : decided - oldest.appendedNs;
      if (samples < maxBatch && since < windowNs - APPEND_GRAIN_NS / 2) {
        fault(
            Rule.WINDOW,
            batch,
            "(%s) was decided at (%s) with (%d) of (%.0f) samples, the oldest for (%.0f) ms"
                .formatted(
                    batch.id,
                    seconds(decided),
                    samples,
                    maxBatch,
                    since == NONE ? -1.0 : ms(since)));
      }
      boolean cameBack = !batch.isDone() && !batch.result.equals("failed");
      for (Job job : own) {
        if (!cameBack && waiting.remove(job.id)) {
          samples -= job.samples;
        }
      }
    }
  }

  /** True if a job has left the queue: started since, or dropped before. */
  private static boolean hasLeft(Job job, long atNs, Set<String> waiting) {
    return !waiting.contains(job.id) || (job.status.equals("dropped") && job.observedNs < atNs);
  }
}
