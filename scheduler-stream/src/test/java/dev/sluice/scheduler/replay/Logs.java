package dev.sluice.scheduler.replay;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.LogOrder;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.scheduler.topology.RecordedRun;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Logs in memory, in the order of a recording. */
final class Logs {
  private Logs() {}

  /** Returns the log that a run with one shard would leave. */
  static List<RecordedEntry> of(RecordedRun run) {
    return of(run, 0);
  }

  private static List<RecordedEntry> of(RecordedRun run, int shard) {
    List<RecordedEntry> entries = new ArrayList<>();
    List<Long> latestMs = new ArrayList<>();
    long ms = Long.MIN_VALUE;
    for (int i = 0; i < run.facts().size(); i++) {
      RecordedRun.Dated dated = run.facts().get(i);
      ms = Math.max(ms, dated.appendedAtEpochMs());
      latestMs.add(ms);
      entries.add(
          new RecordedEntry(
              "facts", shard, i, dated.appendedAtEpochMs(), EventCodec.FACTS.write(dated.fact())));
    }
    for (int i = 0; i < run.dispatches().size(); i++) {
      BatchDispatched dispatch = run.dispatches().get(i);
      entries.add(
          new RecordedEntry(
              "dispatches",
              shard,
              2L * i, // as behind markers of transactions
              latestMs.get((int) dispatch.dispatchId().factOffset()) + i % 3,
              EventCodec.DISPATCHES.write(dispatch)));
    }
    for (int i = 0; i < run.outcomes().size(); i++) {
      Outcome outcome = run.outcomes().get(i);
      long atNs = outcome instanceof JobEnded end ? end.endedAtNs() : ((Blocked) outcome).toNs();
      entries.add(
          new RecordedEntry(
              "outcomes",
              shard,
              2L * i,
              timeZeroMs(run) + atNs / 1_000_000 + i % 2,
              EventCodec.OUTCOMES.write(outcome)));
    }
    return sorted(entries);
  }

  private static long timeZeroMs(RecordedRun run) {
    return run.facts().stream()
        .map(RecordedRun.Dated::fact)
        .filter(RunStarted.class::isInstance)
        .map(RunStarted.class::cast)
        .findFirst()
        .orElseThrow()
        .timeZeroEpochMs();
  }

  /** Returns the logs of two shards as one log. */
  static List<RecordedEntry> ofShards(RecordedRun first, RecordedRun second) {
    return sorted(Stream.concat(of(first, 0).stream(), of(second, 1).stream()).toList());
  }

  private static List<RecordedEntry> sorted(List<RecordedEntry> entries) {
    long[][] latestMs = new long[LogOrder.TOPICS.size()][2];
    record Placed(long ms, RecordedEntry entry) {}
    List<Placed> placed = new ArrayList<>();
    for (RecordedEntry entry : entries) {
      long[] ofTopic = latestMs[LogOrder.rank(entry.topic())];
      ofTopic[entry.partition()] = Math.max(ofTopic[entry.partition()], entry.appendedAtEpochMs());
      placed.add(new Placed(ofTopic[entry.partition()], entry));
    }
    placed.sort(
        Comparator.comparingLong(Placed::ms)
            .thenComparingInt(p -> LogOrder.rank(p.entry().topic()))
            .thenComparingInt(p -> p.entry().partition())
            .thenComparingLong(p -> p.entry().offset()));
    return placed.stream().map(Placed::entry).toList();
  }

  /** Replays a whole log. */
  static DecisionReplay replay(ReplaySettings settings, List<RecordedEntry> log)
      throws UserMistakeException {
    return replay(new DecisionReplay(settings, null), log);
  }

  static DecisionReplay replay(DecisionReplay replay, List<RecordedEntry> log)
      throws UserMistakeException {
    for (RecordedEntry entry : log) {
      if (!replay.take(entry)) {
        return replay;
      }
    }
    replay.finish(false);
    return replay;
  }
}
