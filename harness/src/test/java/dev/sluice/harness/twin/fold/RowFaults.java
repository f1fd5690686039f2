package dev.sluice.harness.twin.fold;

import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.value.Reason;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Faults of a run that show in its rows, as sentences. */
final class RowFaults {
  private RowFaults() {}

  /** Batches that were lost, tried again or superseded, and the jobs that failed as a result. */
  static List<String> losses(List<JobRow> jobs, List<DispatchRow> dispatches) {
    List<String> words = new ArrayList<>();
    long lost = dispatches.stream().filter(DispatchRow::isLost).count();
    long unanswered =
        dispatches.stream().filter(row -> row.isLost() && row.completion() == null).count();
    if (lost > 0) {
      words.add(
          FaultWords.count(lost, "batch was", "batches were")
              + " lost"
              + (unanswered == 0
                  ? ""
                  : ", " + unanswered + " never answered, whose busy time is not in lane_use"));
    }
    long again = dispatches.stream().filter(row -> row.dispatch().work().attempt() > 1).count();
    if (again > 0) {
      words.add(FaultWords.count(again, "batch was", "batches were") + " tried again");
    }
    long superseded = dispatches.stream().filter(DispatchRow::isSuperseded).count();
    if (superseded > 0) {
      words.add(
          FaultWords.count(superseded, "completion", "completions")
              + " came after another attempt had ended the jobs");
    }
    long failed = jobs.stream().filter(job -> Reason.LANE_LOST.is(job.reason())).count();
    if (failed > 0) {
      words.add(FaultWords.count(failed, "job", "jobs") + " failed as " + Reason.LANE_LOST);
    }
    return words;
  }

  /** A decision: log time of its fact, and its own append time. */
  private record Decision(int shard, long atNs, long appendedAtNs) {}

  /** How long a scheduler decided later than the bound, a sentence for each shard. */
  static List<String> lateDecisions(List<JobRow> jobs, List<DispatchRow> dispatches, long boundMs) {
    List<Decision> late = new ArrayList<>();
    for (DispatchRow row : dispatches) {
      addIfLate(
          new Decision(row.shard(), row.dispatch().decision().decidedAtNs(), row.appendedAtNs()),
          boundMs,
          late);
    }
    for (JobRow job : jobs) {
      Long endedAtNs = job.endedAtNs();
      Long observedAtNs = job.observedAtNs();
      if (endedAtNs != null && observedAtNs != null) {
        addIfLate(new Decision(job.shard(), endedAtNs, observedAtNs), boundMs, late);
      }
    }
    late.sort(Comparator.comparingInt(Decision::shard).thenComparingLong(Decision::atNs));
    List<String> words = new ArrayList<>();
    for (int from = 0; from < late.size(); ) {
      int to = from;
      while (to < late.size() && late.get(to).shard() == late.get(from).shard()) {
        to++;
      }
      words.add(lateDecisions(late.subList(from, to)));
      from = to;
    }
    return words;
  }

  private static void addIfLate(Decision decision, long boundMs, List<Decision> late) {
    if (decision.appendedAtNs() - decision.atNs() > boundMs * 1_000_000) {
      late.add(decision);
    }
  }

  /**
   * Tells of the late decisions of one shard, by time. Those that overlap are one stretch, from the
   * log time of the first to the append of the last.
   */
  private static String lateDecisions(List<Decision> late) {
    long mostNs = 0;
    long allNs = 0;
    long untilNs = Long.MIN_VALUE;
    int stretches = 0;
    for (Decision decision : late) {
      mostNs = Math.max(mostNs, decision.appendedAtNs() - decision.atNs());
      boolean goesOn = decision.atNs() <= untilNs;
      stretches += goesOn ? 0 : 1;
      allNs += Math.max(0, decision.appendedAtNs() - (goesOn ? untilNs : decision.atNs()));
      untilNs = Math.max(untilNs, decision.appendedAtNs());
    }
    return "the scheduler of shard "
        + late.get(0).shard()
        + " decided up to "
        + FaultWords.seconds(mostNs / 1_000_000)
        + " late for "
        + FaultWords.seconds(allNs / 1_000_000)
        + (stretches == 1 ? "" : " in " + stretches + " stretches")
        + ", from "
        + FaultWords.seconds(late.get(0).atNs() / 1_000_000)
        + " on ("
        + FaultWords.count(late.size(), "decision", "decisions")
        + ")";
  }

  /** Jobs that were sent later than the bound. */
  static List<String> lateJobs(List<JobRow> jobs, long boundMs) {
    long[] lateNs =
        jobs.stream()
            .mapToLong(job -> job.request().sentAtNs() - job.request().intendedAtNs())
            .filter(ns -> ns > boundMs * 1_000_000)
            .sorted()
            .toArray();
    return lateNs.length == 0
        ? List.of()
        : List.of(
            FaultWords.count(lateNs.length, "job was", "jobs were")
                + " sent more than "
                + FaultWords.seconds(boundMs)
                + " late, up to "
                + FaultWords.seconds(lateNs[lateNs.length - 1] / 1_000_000));
  }

  /**
   * Jobs of the request list that were left out before the last one that had to be sent. Jobs of
   * the tail may be left out: each generator stops by itself when the arrivals end. Those that were
   * left out after it, while no generator ran, only the run's end tells.
   */
  static List<String> jobsNeverSent(List<JobRow> jobs, @Nullable RunEnded ended, int generators) {
    var sent = new BitSet();
    Map<Integer, Long> intendedAtNs = new HashMap<>();
    int last = -1;
    for (JobRow job : jobs) {
      int index = Math.toIntExact(job.request().index());
      sent.set(index);
      intendedAtNs.put(index, job.request().intendedAtNs());
      last = job.phase() == JobRow.Phase.TAIL ? last : Math.max(last, index);
    }
    if (ended == null || ended.interrupted()) {
      last -= generators; // each generator stops by itself
    }
    long lastNs = intendedAtNs.getOrDefault(sent.previousSetBit(Math.max(last, 0)), 0L);
    Long neverSent = ended == null ? null : ended.jobsNeverSent();
    long unsaid = neverSent == null ? 0 : neverSent;
    List<String> words = new ArrayList<>();
    for (int from = sent.nextClearBit(0); from <= last; ) {
      int to = sent.nextSetBit(from);
      words.add(
          FaultWords.count(to - from, "job", "jobs")
              + " meant for "
              + FaultWords.seconds(intendedAtNs.getOrDefault(from - 1, 0L) / 1_000_000)
              + " to "
              + FaultWords.seconds(intendedAtNs.getOrDefault(to, 0L) / 1_000_000)
              + (to - from == 1 ? " was" : " were")
              + " never sent");
      unsaid -= to - from;
      from = sent.nextClearBit(to);
    }
    if (unsaid > 0) {
      words.add(
          FaultWords.count(unsaid, "job", "jobs")
              + " meant for after "
              + FaultWords.seconds(lastNs / 1_000_000)
              + (unsaid == 1 ? " was" : " were")
              + " never sent");
    }
    return words;
  }
}
