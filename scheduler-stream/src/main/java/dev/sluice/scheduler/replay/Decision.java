package dev.sluice.scheduler.replay;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.Dispatch;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.scheduler.replay.Difference.Kind;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.SchedulerState;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A decision, recorded or made again. */
public sealed interface Decision {
  /**
   * A batch starts.
   *
   * @param jobIds its jobs, the chosen one first
   * @param scoreTerms terms of the chosen job's score, in their order; may be empty
   */
  record Started(
      DispatchId id,
      String executorId,
      List<Integer> lanes,
      ModelKey model,
      List<String> jobIds,
      int samples,
      Map<String, Double> scoreTerms)
      implements Decision {
    static Started of(BatchDispatched dispatch) {
      return new Started(
          dispatch.dispatchId(),
          dispatch.executorId(),
          dispatch.lanes(),
          dispatch.work().model(),
          dispatch.jobs().stream().map(BatchDispatched.DispatchedJob::jobId).toList(),
          dispatch.samples(),
          dispatch.decision().scoreTerms());
    }
  }

  /** A lane releases models from its memory, then loads others. */
  record Prepared(String laneId, List<String> releases, List<String> loads) implements Decision {}

  /** Any other decision, in words. */
  record Other(String text) implements Decision {}

  /** The decision that nothing starts, without its cause. */
  Decision NOTHING = new Other("nothing");

  /** Returns a policy's answer, with the name that its dispatch would have. */
  static Decision of(DispatchId id, Choice answer) {
    if (answer instanceof Choice.Start start) {
      JobSpec first = start.batch().get(0).spec();
      return new Started(
          id,
          start.lanes().get(0).executorId(),
          start.lanes().stream().map(SchedulerState.Lane::index).toList(),
          new ModelKey(first.workload(), first.backend(), first.precision()),
          start.batch().stream().map(job -> job.spec().id()).toList(),
          start.batch().stream().mapToInt(job -> job.spec().samples()).sum(),
          start.scoreTerms());
    }
    if (answer instanceof Choice.Prepare prepare) {
      return new Prepared(
          prepare.lane().executorId() + "/" + prepare.lane().index(),
          prepare.release().stream().map(SchedulerState.Resident::toString).toList(),
          prepare.load().stream()
              .map(set -> new ModelKey(set.workload(), set.backend(), set.precision()).toString())
              .toList());
    }
    return answer instanceof Choice.Nothing nothing
        ? new Other("nothing, held up by " + nothing.cause().name().toLowerCase(Locale.ROOT))
        : NOTHING;
  }

  static Decision of(Dispatch dispatch) {
    if (dispatch instanceof BatchDispatched batch) {
      return Started.of(batch);
    }
    LanePrepared prepared = (LanePrepared) dispatch;
    return new Prepared(
        prepared.executorId() + "/" + prepared.lane(),
        prepared.releases().stream().map(ModelKey::toString).toList(),
        prepared.loads().stream().map(ModelKey::toString).toList());
  }

  /** Returns how a choice differs from the recorded one; null: both start the same or nothing. */
  static @Nullable Kind difference(Decision then, Decision now) {
    if (then instanceof Prepared || now instanceof Prepared) {
      return then.equals(now) ? null : Kind.FIELDS;
    }
    if (!(then instanceof Started recorded)) {
      return now instanceof Started ? Kind.STARTED : null;
    }
    if (!(now instanceof Started own)) {
      return Kind.NOT_STARTED;
    }
    if (!recorded.jobIds.equals(own.jobIds)) {
      return Kind.JOBS;
    }
    boolean isSame = recorded.executorId.equals(own.executorId) && recorded.lanes.equals(own.lanes);
    return isSame ? null : Kind.LANE;
  }

  static Decision dropped(String jobId, @Nullable String reason) {
    return new Other("drops " + jobId + " as " + reason);
  }

  static Decision of(Outcome event) {
    if (event instanceof JobEnded end) {
      return new Other(
          "%s ends %s%s%s, attempt %d, at %s s"
              .formatted(
                  end.jobId(),
                  end.status().name().toLowerCase(Locale.ROOT),
                  end.reason() == null ? "" : " (" + end.reason() + ")",
                  end.dispatchId() == null ? "" : " in " + end.dispatchId(),
                  end.attempt(),
                  seconds(end.endedAtNs())));
    }
    Blocked span = (Blocked) event;
    return new Other(
        "lanes idle from %s to %s s by %s"
            .formatted(seconds(span.fromNs()), seconds(span.toNs()), span.cause()));
  }

  static Decision unreadable(byte[] bytes) {
    String beginning = new String(bytes, 0, Math.min(bytes.length, 80), UTF_8);
    return new Other("bytes that are no decision: " + beginning.replaceAll("\\p{Cntrl}", "?"));
  }

  private static String seconds(long ns) {
    return String.format(Locale.ROOT, "%.3f", ns / 1e9);
  }
}
