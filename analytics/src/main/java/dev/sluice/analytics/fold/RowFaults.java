package dev.sluice.analytics.fold;

import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.row.JobPhase;
import dev.sluice.analytics.row.Jobs;
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
  static List<String> losses(Jobs jobs, Batches batches) {
    List<String> words = new ArrayList<>();
    long lost = 0;
    long unanswered = 0;
    long again = 0;
    long superseded = 0;
    for (int i = 0; i < batches.size(); i++) {
      int batch = batches.at(i);
      boolean isLost = batches.isLost(batch);
      lost += isLost ? 1 : 0;
      unanswered += isLost && !batches.isCompleted(batch) ? 1 : 0;
      again += batches.attempt(batch) > 1 ? 1 : 0;
      superseded += batches.isSuperseded(batch) ? 1 : 0;
    }
    if (lost > 0) {
      words.add(
          FaultWords.count(lost, "batch was", "batches were")
              + " lost"
              + (unanswered == 0
                  ? ""
                  : ", " + unanswered + " never answered, whose busy time is not in lane_use"));
    }
    if (again > 0) {
      words.add(FaultWords.count(again, "batch was", "batches were") + " tried again");
    }
    if (superseded > 0) {
      words.add(
          FaultWords.count(superseded, "completion", "completions")
              + " came after another attempt had ended the jobs");
    }
    long failed = 0;
    for (int i = 0; i < jobs.size(); i++) {
      int job = jobs.at(i);
      failed += jobs.isFailed(job) && Reason.LANE_LOST.is(jobs.reason(job)) ? 1 : 0;
    }
    if (failed > 0) {
      words.add(FaultWords.count(failed, "job", "jobs") + " failed as " + Reason.LANE_LOST);
    }
    return words;
  }

  /** A decision: log time of its fact, and its own append time. */
  private record Decision(int shard, long atNs, long appendedAtNs) {}

  /** How long a scheduler decided later than the bound, a sentence for each shard. */
  static List<String> lateDecisions(Jobs jobs, Batches batches, long boundMs) {
    List<Decision> late = new ArrayList<>();
    for (int i = 0; i < batches.size(); i++) {
      int batch = batches.at(i);
      long decidedAtNs = batches.decidedAtNs(batch);
      long appendedAtNs = batches.appendedAtNs(batch);
      if (appendedAtNs - decidedAtNs > boundMs * 1_000_000) {
        late.add(new Decision(batches.shard(batch), decidedAtNs, appendedAtNs));
      }
    }
    for (int i = 0; i < jobs.size(); i++) {
      int job = jobs.at(i);
      long endedAtNs = jobs.endedAtNs(job);
      long observedAtNs = jobs.observedAtNs(job);
      if (endedAtNs != Jobs.NONE && observedAtNs - endedAtNs > boundMs * 1_000_000) {
        late.add(new Decision(jobs.shard(job), endedAtNs, observedAtNs));
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
  static List<String> lateJobs(Jobs jobs, long boundMs) {
    long count = 0;
    long mostNs = 0;
    for (int i = 0; i < jobs.size(); i++) {
      long lateNs = jobs.latenessNs(jobs.at(i));
      if (lateNs > boundMs * 1_000_000) {
        count++;
        mostNs = Math.max(mostNs, lateNs);
      }
    }
    return count == 0
        ? List.of()
        : List.of(
            FaultWords.count(count, "job was", "jobs were")
                + " sent more than "
                + FaultWords.seconds(boundMs)
                + " late, up to "
                + FaultWords.seconds(mostNs / 1_000_000));
  }

  /**
   * Jobs of the request list that were left out before the last one that had to be sent. Jobs of
   * the tail may be left out: each generator stops by itself when the arrivals end. Those that were
   * left out after it, while no generator ran, only the run's end tells.
   */
  static List<String> jobsNeverSent(Jobs jobs, @Nullable RunEnded ended, int generators) {
    var sent = new BitSet();
    int last = -1;
    for (int i = 0; i < jobs.size(); i++) {
      int job = jobs.at(i);
      int index = Math.toIntExact(jobs.index(job));
      sent.set(index);
      last = jobs.phase(job) == JobPhase.TAIL ? last : Math.max(last, index);
    }
    if (ended == null || ended.interrupted()) {
      last -= generators; // each generator stops by itself
    }
    Long neverSent = ended == null ? null : ended.jobsNeverSent();
    long unsaid = neverSent == null ? 0 : neverSent;
    if (sent.nextClearBit(0) > last && unsaid == 0) {
      return List.of();
    }
    Map<Integer, Long> intendedAtNs = new HashMap<>();
    for (int i = 0; i < jobs.size(); i++) {
      int job = jobs.at(i);
      intendedAtNs.put(Math.toIntExact(jobs.index(job)), jobs.intendedAtNs(job));
    }
    long lastNs = intendedAtNs.getOrDefault(sent.previousSetBit(Math.max(last, 0)), 0L);
    List<String> words = new ArrayList<>();
    for (int from = sent.nextClearBit(0); from <= last; ) {
      int to = sent.nextSetBit(from);
      words.add(
          neverSent(
              to - from,
              FaultWords.seconds(intendedAtNs.getOrDefault(from - 1, 0L) / 1_000_000)
                  + " to "
                  + FaultWords.seconds(intendedAtNs.getOrDefault(to, 0L) / 1_000_000)));
      unsaid -= to - from;
      from = sent.nextClearBit(to);
    }
    if (unsaid > 0) {
      words.add(neverSent(unsaid, "after " + FaultWords.seconds(lastNs / 1_000_000)));
    }
    return words;
  }

  private static String neverSent(long count, String meantFor) {
    return FaultWords.count(count, "job", "jobs")
        + " meant for "
        + meantFor
        + (count == 1 ? " was" : " were")
        + " never sent";
  }
}
