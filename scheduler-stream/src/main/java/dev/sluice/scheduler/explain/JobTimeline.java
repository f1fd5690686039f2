package dev.sluice.scheduler.explain;

import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduler.explain.Explanation.Attempt;
import dev.sluice.scheduler.explain.Explanation.Span;
import dev.sluice.scheduling.policy.Choice.Cause;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The states of a job from fact to fact, and their parting into spans.
 *
 * <p>A state holds from its fact's log time to that of the next. Within a dispatch, the times that
 * the executor measured part the span. A measured time, and a log time of whole milliseconds beside
 * it, need not stand in order: each time counts as at least the one before it, and at most the end.
 * So spans are never negative, leave no gap, and sum up exactly.
 */
final class JobTimeline {
  /** States as spans without an end. */
  private final List<Span> states = new ArrayList<>();

  void add(long fromNs, Span.Kind kind) {
    add(fromNs, kind, List.of(), null);
  }

  void waits(long fromNs, List<Cause> causes) {
    add(fromNs, Span.Kind.WAITS, causes, null);
  }

  void held(long fromNs, DispatchId dispatch) {
    add(fromNs, Span.Kind.HELD, List.of(), dispatch);
  }

  private void add(long fromNs, Span.Kind kind, List<Cause> causes, @Nullable DispatchId dispatch) {
    var state = new Span(kind, causes, dispatch, fromNs, fromNs);
    if (states.isEmpty() || !states.get(states.size() - 1).isLike(state)) {
      states.add(state);
    }
  }

  /** Returns the spans up to an end; those that last no time are left out. */
  List<Span> spans(long endNs, List<Attempt> attempts) {
    Map<DispatchId, Attempt> byId = new HashMap<>();
    attempts.forEach(attempt -> byId.put(attempt.dispatch(), attempt));
    var parts = new Parts(states.get(0).fromNs(), endNs);
    for (int i = 0; i < states.size(); i++) {
      Span state = states.get(i);
      long toNs = i + 1 < states.size() ? states.get(i + 1).fromNs() : endNs;
      Attempt attempt = state.dispatch() == null ? null : byId.get(state.dispatch());
      if (attempt == null) {
        parts.add(state.kind(), state.causes(), state.dispatch(), toNs);
      } else if (attempt.outcome() == Explanation.Outcome.DONE) {
        parts.add(attempt, endNs);
        break; // the scheduler may have given it up meanwhile, but its batch ran on
      } else {
        parts.add(attempt, toNs);
      }
    }
    return parts.spans;
  }

  /** Spans under construction. */
  private static final class Parts {
    final List<Span> spans = new ArrayList<>();
    private final long endNs;
    private long atNs;

    Parts(long fromNs, long endNs) {
      this.atNs = fromNs;
      this.endNs = endNs;
    }

    void add(Attempt attempt, long toNs) {
      Long startedNs = attempt.startedNs();
      Long finishedNs = attempt.finishedNs();
      Long loadNs = attempt.loadNs();
      if (startedNs == null || finishedNs == null || loadNs == null) {
        add(Span.Kind.HELD, attempt, toNs);
        return;
      }
      add(Span.Kind.TO_START, attempt, Math.min(startedNs - loadNs, toNs));
      add(Span.Kind.LOADS, attempt, Math.min(startedNs, toNs));
      add(Span.Kind.RUNS, attempt, Math.min(finishedNs, toNs));
      add(Span.Kind.REPORTS, attempt, toNs);
    }

    private void add(Span.Kind kind, Attempt attempt, long toNs) {
      add(kind, List.of(), attempt.dispatch(), toNs);
    }

    void add(Span.Kind kind, List<Cause> causes, @Nullable DispatchId dispatch, long toNs) {
      long untilNs = Math.min(Math.max(atNs, toNs), endNs);
      if (untilNs == atNs) {
        return;
      }
      Span span = new Span(kind, causes, dispatch, atNs, untilNs);
      Span last = spans.isEmpty() ? null : spans.get(spans.size() - 1);
      if (last != null && last.isLike(span)) {
        spans.set(spans.size() - 1, new Span(kind, causes, dispatch, last.fromNs(), untilNs));
      } else {
        spans.add(span);
      }
      atNs = untilNs;
    }
  }
}
