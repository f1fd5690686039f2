package dev.sluice.harness.simulate;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.folder.FinishedBatch;
import dev.sluice.analytics.folder.FinishedRun;
import dev.sluice.analytics.folder.TableRow;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.scheduling.simulation.Hops.Hop;
import dev.sluice.scheduling.simulation.Hops.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A finished run that was no simulation: the part that a simulation learns from. */
record MeasuredRun(FinishedRun run) {
  /** Half of the log's resolution of 1 ms: an append counts as in the middle of its millisecond. */
  private static final long MIDDLE_NS = 500_000;

  /**
   * Reads a run's folder, or the folders of its repeats.
   *
   * @throws UserMistakeException if a folder is not a run's, or is a simulation's
   */
  static List<MeasuredRun> readAll(Path folder) throws UserMistakeException {
    List<MeasuredRun> runs = new ArrayList<>();
    for (Path single : FinishedRun.folders(folder)) {
      runs.add(read(single));
    }
    return runs;
  }

  /**
   * Reads a run's folder.
   *
   * @throws UserMistakeException if the folder is not a run's, or is a simulation's
   */
  static MeasuredRun read(Path folder) throws UserMistakeException {
    FinishedRun run = FinishedRun.read(folder);
    if (run.isSimulated()) {
      throw new UserMistakeException(
          folder.toString(), "this run was itself a simulation", "you meant a live run");
    }
    return new MeasuredRun(run);
  }

  Path folder() {
    return run.folder();
  }

  JsonNode summary() {
    return run.summary();
  }

  /**
   * Reads the times of the loop from one step to the next, after the warm-up.
   *
   * @throws UserMistakeException if a table cannot be read, or holds too little
   */
  HopsFile hops() throws UserMistakeException {
    List<Hop> hops = new ArrayList<>();
    run.eachJob(
        job -> {
          if (job.says("phase", "measured") && job.says("status", "done")) {
            addRequestHop(job, hops);
          }
        });
    Map<String, List<FinishedBatch>> lanes = new TreeMap<>();
    for (FinishedBatch batch : run.doneBatches()) {
      lanes.computeIfAbsent(batch.laneId(), lane -> new ArrayList<>()).add(batch);
    }
    for (List<FinishedBatch> lane : lanes.values()) {
      for (int i = 1; i < lane.size(); i++) {
        FinishedBatch before = lane.get(i - 1);
        FinishedBatch next = lane.get(i);
        if (next.times().decidedNs() <= before.times().completedNs()
            && before.endedNs() >= run.warmupNs()) {
          hops.add(completionHop(before, next));
        }
      }
    }
    for (Kind kind : Kind.values()) {
      if (hops.stream().noneMatch(hop -> hop.kind() == kind)) {
        throw new UserMistakeException(
            folder().toString(),
            "this run shows no way through the loop that began with a "
                + kind.name().toLowerCase(Locale.ROOT),
            "a run with a load of about 0.7 shows both kinds");
      }
    }
    return new HopsFile("those of " + folder(), hops);
  }

  /** Adds the hop of a done job, if the job was started by its own arrival. */
  private static void addRequestHop(TableRow job, List<Hop> hops) throws UserMistakeException {
    long appendedNs = job.secondsAsNs("appended_time");
    if (job.secondsAsNs("decided_time") > appendedNs) {
      return;
    }
    long intendedNs = job.secondsAsNs("enqueue_time");
    long sentNs = job.secondsAsNs("sent_time");
    long wholeNs = job.secondsAsNs("start_time") - sentNs;
    long appendNs = Math.max(0, Math.min(wholeNs, appendedNs + MIDDLE_NS - sentNs));
    hops.add(
        new Hop(
            intendedNs,
            Kind.REQUEST,
            Math.max(0, sentNs - intendedNs),
            appendNs,
            Math.max(0, wholeNs - appendNs)));
  }

  private static Hop completionHop(FinishedBatch before, FinishedBatch next) {
    long wholeNs = Math.max(0, next.startedNs() - before.endedNs());
    long appendedNs = before.times().completedNs() + MIDDLE_NS;
    long appendNs = Math.max(0, Math.min(wholeNs, appendedNs - before.endedNs()));
    long workNs = before.workNs();
    long lateNs = workNs == Jobs.NONE ? 0 : Math.max(0, before.serviceNs() - workNs);
    return new Hop(
        before.endedNs() - lateNs, Kind.COMPLETION, lateNs, appendNs, wholeNs - appendNs);
  }
}
