package dev.sluice.scheduler.explain;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.scheduler.explain.Explanation.Attempt;
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
  private final List<State> states = new ArrayList<>();

  private record State(
      long fromNs, Span.Kind kind, List<Cause> causes, @Nullable DispatchId dispatch) {
    boolean isLike(State that) {
      return kind == that.kind
          && causes.equals(that.causes)
          && (dispatch == null ? that.dispatch == null : dispatch.equals(that.dispatch));
    }
  }

  void add(long fromNs, Span.Kind kind) {
    add(new State(fromNs, kind, List.of(), null));
  }

  void waits(long fromNs, List<Cause> causes) {
    add(new State(fromNs, Span.Kind.WAITS, causes, null));
  }

  void held(long fromNs, DispatchId dispatch) {
    add(new State(fromNs, Span.Kind.HELD, List.of(), dispatch));
  }

  private void add(State state) {
    if (states.isEmpty() || !states.get(states.size() - 1).isLike(state)) {
      states.add(state);
    }
  }

  /** Returns the spans up to an end; those that last no time are left out. */
  List<Span> spans(long endNs, List<Attempt> attempts) {
    Map<DispatchId, Attempt> byId = new HashMap<>();
    attempts.forEach(attempt -> byId.put(attempt.dispatchId(), attempt));
    var parts = new Parts(endNs);
    for (int i = 0; i < states.size(); i++) {
      State state = states.get(i);
      long toNs = i + 1 < states.size() ? states.get(i + 1).fromNs() : endNs;
      Attempt attempt = state.dispatch() == null ? null : byId.get(state.dispatch());
      if (i == 0) {
        parts.begin(state.fromNs());
      }
      if (attempt == null) {
        parts.add(state.kind(), state.causes(), state.dispatch(), toNs);
      } else {
        boolean endsTheJob = attempt.outcome() == Attempt.Outcome.DONE;
        parts.add(attempt, endsTheJob ? endNs : toNs);
        if (endsTheJob) {
          break; // the scheduler may have given it up meanwhile, but its batch ran on
        }
      }
    }
    return parts.spans;
  }

  /** Spans under construction. */
  private static final class Parts {
    final List<Span> spans = new ArrayList<>();
    private final long endNs;
    private long atNs;

    Parts(long endNs) {
      this.endNs = endNs;
    }

    void begin(long fromNs) {
      atNs = fromNs;
    }

    void add(Attempt attempt, long toNs) {
      DispatchId id = attempt.dispatchId();
      BatchCompleted completion = attempt.result().completion();
      Long startedAtNs = completion == null ? null : completion.startedAtNs();
      Long finishedAtNs = completion == null ? null : completion.finishedAtNs();
      if (completion == null || startedAtNs == null || finishedAtNs == null) {
        add(Span.Kind.HELD, List.of(), id, toNs);
        return;
      }
      long loadsAtNs = startedAtNs - completion.switchNs();
      add(Span.Kind.TO_START, List.of(), id, Math.min(loadsAtNs, toNs));
      add(Span.Kind.LOADS, List.of(), id, Math.min(startedAtNs, toNs));
      add(Span.Kind.RUNS, List.of(), id, Math.min(finishedAtNs, toNs));
      add(Span.Kind.REPORTS, List.of(), id, toNs);
    }

    void add(Span.Kind kind, List<Cause> causes, @Nullable DispatchId dispatch, long toNs) {
      long untilNs = Math.min(Math.max(atNs, toNs), endNs);
      if (untilNs == atNs) {
        return;
      }
      Span span = new Span(kind, causes, dispatch, atNs, untilNs);
      Span last = spans.isEmpty() ? null : spans.get(spans.size() - 1);
      if (last != null && last.continues(span)) {
        spans.set(spans.size() - 1, new Span(kind, causes, dispatch, last.fromNs(), untilNs));
      } else {
        spans.add(span);
      }
      atNs = untilNs;
    }
  }
}
