package dev.sluice.analytics.fold;

import dev.sluice.analytics.row.Batches.BatchRow;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.row.Jobs.JobPhase;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.row.Jobs.JobStatus;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.value.Reason;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Faults of a run that show in its rows, counted, and told as sentences. */
final class RowFaults {
  final Jobs jobs;
  private final long boundMs;
  private final long boundNs;

  long failed;

  /** Number of jobs without a whole account of their end. */
  long open;

  long failedBatches;

  /** Append of the last outcome, since time zero; that of time zero without an outcome. */
  long lastObservedNs = Jobs.NONE;

  private long failedAsLaneLost;
  private long lateJobs;
  private long latenessNsMost;
  private long lost;
  private long unanswered;
  private long again;
  private long superseded;
  private final List<Decision> late = new ArrayList<>();

  /** Places in the list of requests of the jobs that were sent. */
  private final BitSet sent = new BitSet();

  /** The last such place before the tail; below 0: none. */
  private int lastSent = -1;

  RowFaults(Jobs jobs, long boundMs) {
    this.jobs = jobs;
    this.boundMs = boundMs;
    boundNs = boundMs * 1_000_000;
    jobs.batches().all().forEach(this::takeBatch);
    jobs.all().forEach(this::takeJob);
    lastObservedNs = lastObservedNs == Jobs.NONE ? 0 : lastObservedNs;
  }

  private void takeJob(JobRow job) {
    JobStatus status = job.status();
    open += status == JobStatus.OPEN ? 1 : 0;
    failed += status == JobStatus.FAILED ? 1 : 0;
    failedAsLaneLost += status == JobStatus.FAILED && Reason.LANE_LOST.is(job.reason()) ? 1 : 0;
    if (job.isEnded()) {
      lastObservedNs = Math.max(lastObservedNs, job.observedAtNs());
      addIfLate(job.shard(), job.endedAtNs(), job.observedAtNs());
    }
    if (job.latenessNs() > boundNs) {
      lateJobs++;
      latenessNsMost = Math.max(latenessNsMost, job.latenessNs());
    }
    sent.set(job.index());
    if (job.phase() != JobPhase.TAIL) {
      lastSent = Math.max(lastSent, job.index());
    }
  }

  private void takeBatch(BatchRow batch) {
    failedBatches += batch.isFailed() ? 1 : 0;
    if (batch.isLost()) {
      lost++;
      unanswered += batch.isCompleted() ? 0 : 1;
    }
    again += batch.attempt() > 1 ? 1 : 0;
    superseded += batch.isSuperseded() ? 1 : 0;
    addIfLate(batch.shard(), batch.decidedAtNs(), batch.appendedAtNs());
  }

  private void addIfLate(int shard, long atNs, long appendedAtNs) {
    if (appendedAtNs - atNs > boundNs) {
      late.add(new Decision(shard, atNs, appendedAtNs));
    }
  }

  /** Batches that were lost, tried again or superseded, and the jobs that failed as a result. */
  List<String> losses() {
    String unheard =
        unanswered == 0
            ? ""
            : ", " + unanswered + " never answered, whose busy time is not in lane_use";
    List<String> words = new ArrayList<>();
    addIfAny(words, lost, "batch was", "batches were", " lost" + unheard);
    addIfAny(words, again, "batch was", "batches were", " tried again");
    addIfAny(
        words,
        superseded,
        "completion",
        "completions",
        " came after another attempt had ended the jobs");
    addIfAny(words, failedAsLaneLost, "job", "jobs", " failed as " + Reason.LANE_LOST);
    return words;
  }

  private static void addIfAny(
      List<String> words, long count, String one, String many, String what) {
    if (count > 0) {
      words.add(LogFaults.count(count, one, many) + what);
    }
  }

  /** A decision: log time of its fact, and its own append time. */
  private record Decision(int shard, long atNs, long appendedAtNs) {}

  /** How long a scheduler decided later than the bound, a sentence for each shard. */
  List<String> lateDecisions() {
    late.sort(Comparator.comparingLong(Decision::atNs));
    Map<Integer, List<Decision>> byShard = new TreeMap<>();
    late.forEach(one -> byShard.computeIfAbsent(one.shard(), s -> new ArrayList<>()).add(one));
    return byShard.values().stream().map(RowFaults::lateDecisions).toList();
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
    return "the scheduler of shard %d decided up to %s late for %s%s, from %s on (%s)"
        .formatted(
            late.get(0).shard(),
            LogFaults.seconds(mostNs / 1_000_000),
            LogFaults.seconds(allNs / 1_000_000),
            stretches == 1 ? "" : " in " + stretches + " stretches",
            LogFaults.seconds(late.get(0).atNs() / 1_000_000),
            LogFaults.count(late.size(), "decision", "decisions"));
  }

  /** Jobs that were sent later than the bound. */
  List<String> lateJobs() {
    return lateJobs == 0
        ? List.of()
        : List.of(
            "%s sent more than %s late, up to %s"
                .formatted(
                    LogFaults.count(lateJobs, "job was", "jobs were"),
                    LogFaults.seconds(boundMs),
                    LogFaults.seconds(latenessNsMost / 1_000_000)));
  }

  /**
   * Jobs of the request list that were left out before the last one that had to be sent. Jobs of
   * the tail may be left out: each generator stops by itself when the arrivals end. Those that were
   * left out after it, while no generator ran, only the run's end tells.
   */
  List<String> jobsNeverSent(@Nullable RunEnded ended, int generators) {
    int last = lastSent;
    if (ended == null || ended.interrupted()) {
      last -= generators; // each generator stops by itself
    }
    Long neverSent = ended == null ? null : ended.jobsNeverSent();
    long unsaid = neverSent == null ? 0 : neverSent;
    if (sent.nextClearBit(0) > last && unsaid == 0) {
      return List.of();
    }
    Map<Integer, Long> intendedAtNs = new HashMap<>();
    for (JobRow job : jobs.all()) {
      intendedAtNs.put(job.index(), job.intendedAtNs());
    }
    long lastNs = intendedAtNs.getOrDefault(sent.previousSetBit(Math.max(last, 0)), 0L);
    List<String> words = new ArrayList<>();
    for (int from = sent.nextClearBit(0); from <= last; ) {
      int to = sent.nextSetBit(from);
      words.add(
          neverSent(
              to - from,
              LogFaults.seconds(intendedAtNs.getOrDefault(from - 1, 0L) / 1_000_000)
                  + " to "
                  + LogFaults.seconds(intendedAtNs.getOrDefault(to, 0L) / 1_000_000)));
      unsaid -= to - from;
      from = sent.nextClearBit(to);
    }
    if (unsaid > 0) {
      words.add(neverSent(unsaid, "after " + LogFaults.seconds(lastNs / 1_000_000)));
    }
    return words;
  }

  private static String neverSent(long count, String meantFor) {
    return LogFaults.count(count, "job", "jobs")
        + " meant for "
        + meantFor
        + (count == 1 ? " was" : " were")
        + " never sent";
  }
}
