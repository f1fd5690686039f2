package dev.sluice.analytics.fold;

import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.row.Batches.BatchRow;
import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.RoleJoined;
import dev.sluice.contract.event.RoleLeft;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.ShardTaken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Disturbances of a run, as its log alone tells; any of them makes the run not comparable.
 *
 * <ol>
 *   <li>A process joined, left, was restarted or took a shard over between the run's beginning and
 *       its last outcome.
 *   <li>A batch was lost, tried again, or answered when its jobs had ended otherwise.
 *   <li>Nothing was appended to a shard, or an executor did not report, for longer than the bound:
 *       ticks and reports are due each heartbeat.
 *   <li>A scheduler stood still: a decision was appended later than the bound after the log time of
 *       the fact that led to it.
 *   <li>A generator stood still: jobs were sent later than the bound, or never.
 * </ol>
 *
 * The bound is max(1 s, 5 heartbeats). Memory grows with faults, not with jobs.
 */
final class LogFaults {
  private static final long BOUND_MS_MIN = 1000;
  private static final int BOUND_HEARTBEATS = 5;
  private static final int SHOWN_OF_A_KIND = 3;

  private final List<Happened> changes = new ArrayList<>();
  private final List<Restart> restarts = new ArrayList<>();
  private final List<Silence> logSilences = new ArrayList<>();
  private final List<Silence> executorSilences = new ArrayList<>();
  private final Map<Integer, ShardLog> shards = new TreeMap<>();
  private final Map<String, ExecutorLog> executors = new TreeMap<>();
  private final Set<Integer> shardsTaken = new HashSet<>();
  private boolean runStarted;

  /** An action that nobody should have taken at that time. */
  private record Happened(String what, long atEpochMs) {}

  private record Restart(
      String executorId, long incarnationBefore, long incarnation, long atEpochMs) {}

  private record Silence(String of, int shard, long fromEpochMs, long toEpochMs) {}

  private static final class ShardLog {
    boolean started;
    long lastFactEpochMs = Long.MAX_VALUE;
    final Set<Integer> generatorsEnded = new HashSet<>();
  }

  private static final class ExecutorLog {
    long incarnation;
    long lastReportEpochMs;
  }

  void onRunRecord(RunRecord entry, long appendedAtEpochMs) {
    if (entry instanceof RunStarted) {
      runStarted = true;
    } else if (entry instanceof RoleJoined joined) {
      if (runStarted) {
        changed(inWords(joined.role(), joined.instance()) + " joined", appendedAtEpochMs);
      }
    } else if (entry instanceof RoleLeft left) {
      if (runStarted) {
        changed(inWords(left.role(), left.instance()) + " left", appendedAtEpochMs);
      }
    } else if (entry instanceof ShardTaken taken) {
      boolean first = shardsTaken.add(taken.shard());
      if (runStarted) {
        changed(
            taken.instance() + (first ? " took shard " : " took over shard ") + taken.shard(),
            appendedAtEpochMs);
      }
    }
  }

  private static String inWords(RoleJoined.Role role, String instance) {
    String name = role.name().toLowerCase(Locale.ROOT);
    return instance.startsWith(name) ? instance : name + " " + instance;
  }

  void onFact(Fact fact, int shard, long appendedAtEpochMs) {
    ShardLog log = shards.computeIfAbsent(shard, any -> new ShardLog());
    if (appendedAtEpochMs - log.lastFactEpochMs > BOUND_MS_MIN) {
      logSilences.add(new Silence("shard " + shard, shard, log.lastFactEpochMs, appendedAtEpochMs));
    }
    log.lastFactEpochMs =
        log.lastFactEpochMs == Long.MAX_VALUE
            ? appendedAtEpochMs
            : Math.max(log.lastFactEpochMs, appendedAtEpochMs);
    if (fact instanceof RunStarted) {
      log.started = true;
    } else if (fact instanceof ExecutorReported report) {
      onReport(report, log, shard, appendedAtEpochMs);
    } else if (fact instanceof ArrivalsEnded arrivals) {
      log.generatorsEnded.add(arrivals.generator());
    }
  }

  private void onReport(ExecutorReported report, ShardLog log, int shard, long appendedAtEpochMs) {
    String id = report.executorId();
    ExecutorLog executor = executors.get(id);
    if (executor == null) {
      executor = new ExecutorLog();
      executors.put(id, executor);
      if (log.started) {
        changed(id + " joined", appendedAtEpochMs);
      }
    } else if (report.incarnation() > executor.incarnation) {
      if (log.started) {
        restarts.add(
            new Restart(id, executor.incarnation, report.incarnation(), appendedAtEpochMs));
      }
    } else if (report.incarnation() < executor.incarnation) {
      return; // sent by a process that has been replaced
    } else if (appendedAtEpochMs - executor.lastReportEpochMs > BOUND_MS_MIN) {
      executorSilences.add(new Silence(id, shard, executor.lastReportEpochMs, appendedAtEpochMs));
    }
    executor.incarnation = report.incarnation();
    executor.lastReportEpochMs = appendedAtEpochMs;
    if (report.leaving() && log.started) {
      changed(id + " left", appendedAtEpochMs);
    }
  }

  private void changed(String what, long atEpochMs) {
    changes.add(new Happened(what, atEpochMs));
  }

  /** The longest time that is not late, for an interval of the reports of executors. */
  static long boundMs(long heartbeatMs) {
    return Math.max(BOUND_MS_MIN, BOUND_HEARTBEATS * heartbeatMs);
  }

  /** All faults as sentences, the first few of each kind. */
  List<String> inWords(
      @Nullable RunStarted started, @Nullable RunEnded ended, RowFaults rows, long boundMs) {
    if (started == null) {
      return List.of();
    }
    long zeroEpochMs = started.timeZeroEpochMs();
    long lastOutcomeEpochMs = zeroEpochMs + rows.lastObservedNs / 1_000_000;
    List<String> words = new ArrayList<>();
    addFirst(
        words,
        changes.stream()
            .filter(change -> change.atEpochMs() <= lastOutcomeEpochMs)
            .map(change -> change.what() + " " + into(change.atEpochMs() - zeroEpochMs))
            .toList());
    addFirst(words, restartsInWords(rows.jobs.batches(), zeroEpochMs, lastOutcomeEpochMs));
    words.addAll(rows.losses());
    addFirst(
        words,
        silences(
            logSilences,
            zeroEpochMs,
            lastOutcomeEpochMs,
            boundMs,
            "nothing was appended to %s for %s from %s on: the broker or the whole run stood"
                + " still"));
    addFirst(
        words,
        silences(
            silentExecutors(),
            zeroEpochMs,
            lastOutcomeEpochMs,
            boundMs,
            "%s did not report for %s from %s on"));
    addFirst(words, rows.lateDecisions());
    words.addAll(rows.lateJobs());
    addFirst(words, rows.jobsNeverSent(ended, started.generators()));
    if (ended != null && ended.failure() == null) {
      addFirst(words, unannounced(started));
    }
    return words;
  }

  /** A time of the run: {@code 1.5 s into the run}. */
  private static String into(long sinceZeroMs) {
    return sinceZeroMs < 0
        ? seconds(-sinceZeroMs) + " before time zero"
        : seconds(sinceZeroMs) + " into the run";
  }

  /** A duration: {@code 1.5 s}. */
  static String seconds(long ms) {
    return String.format(Locale.ROOT, "%.1f s", ms / 1e3);
  }

  /** A number with its noun: {@code 2 batches}. */
  static String count(long count, String one, String many) {
    return count + " " + (count == 1 ? one : many);
  }

  private static void addFirst(List<String> words, List<String> kind) {
    words.addAll(kind.subList(0, Math.min(kind.size(), SHOWN_OF_A_KIND)));
    if (kind.size() > SHOWN_OF_A_KIND) {
      words.add("and " + (kind.size() - SHOWN_OF_A_KIND) + " more of the kind before");
    }
  }

  private List<String> restartsInWords(Batches batches, long zeroEpochMs, long lastOutcomeEpochMs) {
    if (restarts.isEmpty()) {
      return List.of();
    }
    Map<String, TreeMap<Long, Integer>> lost = new HashMap<>();
    for (BatchRow batch : batches.all()) {
      if (batch.isLost()) {
        BatchDispatched.Place place = batch.kind().place();
        lost.computeIfAbsent(place.executorId(), id -> new TreeMap<>())
            .merge(place.incarnation(), 1, Integer::sum);
      }
    }
    List<String> words = new ArrayList<>();
    for (Restart restart : restarts) {
      if (restart.atEpochMs() <= lastOutcomeEpochMs) {
        int lostOnes =
            lost
                .getOrDefault(restart.executorId(), new TreeMap<>())
                .subMap(restart.incarnationBefore(), restart.incarnation())
                .values()
                .stream()
                .mapToInt(Integer::intValue)
                .sum();
        words.add(
            "%s was lost and restarted %s (%s lost)"
                .formatted(
                    restart.executorId(),
                    into(restart.atEpochMs() - zeroEpochMs),
                    count(lostOnes, "batch", "batches")));
      }
    }
    return words;
  }

  /** Sentences on silences within the run that are longer than the bound. */
  private static List<String> silences(
      List<Silence> all, long zeroEpochMs, long lastOutcomeEpochMs, long boundMs, String words) {
    List<String> sentences = new ArrayList<>();
    for (Silence silence : all) {
      long fromMs = Math.max(silence.fromEpochMs(), zeroEpochMs);
      long forMs = Math.min(silence.toEpochMs(), lastOutcomeEpochMs) - fromMs;
      if (forMs > boundMs) {
        sentences.add(words.formatted(silence.of(), seconds(forMs), seconds(fromMs - zeroEpochMs)));
      }
    }
    return sentences;
  }

  /** The silences of executors that are none of the log as a whole. */
  private List<Silence> silentExecutors() {
    List<Silence> all = new ArrayList<>(executorSilences);
    executors.forEach(
        (id, log) -> all.add(new Silence(id, -1, log.lastReportEpochMs, Long.MAX_VALUE)));
    all.removeIf(
        silence ->
            logSilences.stream()
                .anyMatch(
                    log ->
                        (silence.shard() < 0 || log.shard() == silence.shard())
                            && log.fromEpochMs() < silence.toEpochMs()
                            && log.toEpochMs() > silence.fromEpochMs()));
    return all;
  }

  private List<String> unannounced(RunStarted started) {
    List<String> words = new ArrayList<>();
    for (int generator = 0; generator < started.generators(); generator++) {
      int of = generator;
      boolean announced =
          shards.size() >= started.shards()
              && shards.values().stream().allMatch(log -> log.generatorsEnded.contains(of));
      if (!announced) {
        words.add(
            "generator " + generator + " never said that it had sent all: jobs may be missing");
      }
    }
    return words;
  }
}
