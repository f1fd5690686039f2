package dev.sluice.analytics.abort;

import dev.sluice.analytics.abort.BoundWatch.EndOfJob;
import dev.sluice.analytics.abort.BoundWatch.Scope;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.LogFold;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.experiment.Experiment.Threshold;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.DispatchId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The fold of a run's records into its thresholds with {@code abort}: it tells the moment at which
 * one of them cannot be met any more, however all jobs end that have no end in the log yet. A job
 * whose end is not proven by a completion counts as one to come.
 *
 * <p>Memory grows with the jobs under way, and with a bit for each job. One thread uses it; {@link
 * #lost} may be called from any.
 */
public final class AbortFold implements LogFold {
  private final List<BoundWatch> watches;
  private final Map<String, JobRequested> open = new HashMap<>();
  private final BitSet requested = new BitSet();
  private final Map<Key, Batch> batches = new HashMap<>();
  private volatile @Nullable String lost;

  private record Key(int shard, DispatchId id) {}

  /** A dispatch: its completion, and how many of its jobs have no end yet. */
  private static final class Batch {
    @Nullable BatchCompleted completion;
    int jobsLeft;
  }

  private AbortFold(List<BoundWatch> watches) {
    this.watches = watches;
  }

  /**
   * The fold for an experiment's thresholds with {@code abort}.
   *
   * @param planned jobs that the run may ask for
   * @return null if the experiment has no such threshold
   * @throws UserMistakeException if such a threshold can never be decided early, never be decided
   *     at all, or never be met
   */
  public static @Nullable AbortFold of(ParsedExperiment parsed, Iterable<JobRequested> planned)
      throws UserMistakeException {
    check(parsed);
    List<BoundWatch> watches = new ArrayList<>();
    for (Map.Entry<String, Threshold> entry : ending(parsed).entrySet()) {
      watches.add(watch(parsed, entry.getKey(), entry.getValue(), planned));
    }
    return watches.isEmpty() ? null : new AbortFold(watches);
  }

  /**
   * Refuses thresholds that can never be decided early, before the jobs of a run are known.
   *
   * @throws UserMistakeException if there is one
   */
  public static void check(ParsedExperiment parsed) throws UserMistakeException {
    for (Map.Entry<String, Threshold> entry : ending(parsed).entrySet()) {
      String name = entry.getKey();
      String why =
          BoundWatch.refusal(Scope.of(name, parsed.experiment()).figure(), entry.getValue());
      if (why != null) {
        throw mistake(
            parsed,
            name,
            "thresholds." + name + ".abort (true) has no effect: " + why,
            "abort should be left out, or a count, a rate or a percentile of jobs is meant, such as"
                + " slo_violation_rate");
      }
    }
  }

  /** Thresholds that end the run, by name. */
  private static Map<String, Threshold> ending(ParsedExperiment parsed) {
    var ending = new TreeMap<>(parsed.experiment().thresholds());
    ending.values().removeIf(threshold -> !threshold.abort());
    return ending;
  }

  private static BoundWatch watch(
      ParsedExperiment parsed, String name, Threshold threshold, Iterable<JobRequested> planned)
      throws UserMistakeException {
    var watch = new BoundWatch(name, threshold, parsed.experiment(), planned);
    String written = "thresholds." + name + " (" + threshold.text() + ")";
    if (watch.planned() < watch.least()) {
      throw mistake(
          parsed,
          name,
          written
              + " can never be decided: at most "
              + watch.planned()
              + " jobs are measured, and it needs "
              + watch.least(),
          "duration_seconds or arrival_rate_jobs_per_sec should be higher");
    }
    if (!watch.canHold()) {
      throw mistake(
          parsed, name, written + " never holds, however the jobs end", "another bound is meant");
    }
    return watch;
  }

  private static UserMistakeException mistake(
      ParsedExperiment parsed, String name, String what, String maybe) {
    return new UserMistakeException(parsed.location("thresholds." + name), what, maybe);
  }

  /** Why the first threshold that cannot be met any more is lost; null: all can be met. */
  public @Nullable String lost() {
    return lost;
  }

  @Override
  public void onFact(Fact fact, int shard, long appendedAtEpochMs) {
    if (fact instanceof JobRequested request) {
      int index = Math.toIntExact(request.index());
      if (!requested.get(index)) { // facts come at least once
        requested.set(index);
        open.put(request.jobId(), request);
      }
    } else if (fact instanceof BatchCompleted completion) {
      Batch batch =
          batches.computeIfAbsent(new Key(shard, completion.dispatchId()), k -> new Batch());
      if (batch.completion == null) {
        batch.completion = completion;
      }
    }
  }

  @Override
  public void onDispatch(BatchDispatched dispatch, int shard, long appendedAtEpochMs) {
    Batch batch = batches.computeIfAbsent(new Key(shard, dispatch.dispatchId()), k -> new Batch());
    batch.jobsLeft = dispatch.work().jobs().size();
  }

  @Override
  public void onOutcome(Outcome outcome, int shard, long appendedAtEpochMs) {
    if (!(outcome instanceof JobEnded end)) {
      return;
    }
    JobRequested request = open.remove(end.jobId());
    if (request == null) {
      return; // a second outcome, or one of an unknown job: the report names them
    }
    BatchCompleted completion =
        end.dispatchId() == null ? null : completion(new Key(shard, end.dispatchId()));
    EndOfJob job = ended(request, end, completion);
    if (job == null || lost != null) {
      return;
    }
    for (BoundWatch watch : watches) {
      watch.take(job);
      if (!watch.canHold()) {
        lost =
            String.format(
                Locale.ROOT, "%s, at %.1f s of the run", watch.why(), end.endedAtNs() / 1e9);
        return;
      }
    }
  }

  private static @Nullable EndOfJob ended(
      JobRequested request, JobEnded end, @Nullable BatchCompleted completion) {
    if (end.status() != JobEnded.Status.DONE) {
      return new EndOfJob(request, end.status(), 0, 0, 0);
    }
    if (completion == null || completion.result() != BatchCompleted.Result.DONE) {
      return null; // not proven: the report says so
    }
    Long startedAtNs = completion.startedAtNs();
    Long finishedAtNs = completion.finishedAtNs();
    return startedAtNs == null || finishedAtNs == null
        ? null
        : new EndOfJob(request, end.status(), startedAtNs, finishedAtNs, completion.serviceNs());
  }

  private @Nullable BatchCompleted completion(Key key) {
    Batch batch = batches.get(key);
    if (batch == null) {
      return null;
    }
    batch.jobsLeft--;
    if (batch.jobsLeft <= 0) {
      batches.remove(key);
    }
    return batch.completion;
  }
}
