package dev.sluice.harness.replay;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.scheduler.explain.Explanation;
import dev.sluice.scheduler.explain.Explanation.Attempt;
import dev.sluice.scheduler.explain.Span;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An explanation as a tree for JSON. */
final class ExplanationJson {
  private ExplanationJson() {}

  static Map<String, Object> of(Explanation explanation) {
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    Explanation.Asked asked = explanation.asked();
    tree.put("source", "log");
    tree.put("job", asked.jobId());
    tree.put("shard", asked.shard());
    tree.put("class", asked.classType());
    tree.put("workload", asked.model().workload());
    tree.put("backend", asked.model().backend());
    tree.put("precision", asked.model().precision());
    tree.put("samples", asked.samples());
    tree.put("lanes", asked.lanes());
    tree.put("slo_ns", asked.sloNs());
    tree.put("status", text(explanation.ending().status()));
    tree.put("reason", explanation.ending().reason());
    tree.put("attempts_counted", explanation.ending().attempts());
    tree.put("intended_ns", asked.intendedAtNs());
    tree.put("sent_ns", asked.sentAtNs());
    tree.put("logged_ns", asked.loggedAtNs());
    tree.put("ended_ns", explanation.ending().endedAtNs());
    tree.put("told_ns", explanation.ending().toldAtNs());
    tree.put("latency_ns", explanation.latencyNs());
    tree.put("spans", explanation.spans().stream().map(ExplanationJson::of).toList());
    Explanation.Tokens tokens = explanation.tokens();
    if (tokens != null) {
      tree.put("tokens", Map.of("needed", tokens.needed(), "free_most", tokens.freeMost()));
    }
    Explanation.Inputs inputs = explanation.inputs();
    if (inputs != null) {
      tree.put("inputs", of(inputs));
    }
    tree.put("overtaken_by", explanation.overtaking().stream().map(ExplanationJson::of).toList());
    tree.put("attempts", explanation.attempts().stream().map(ExplanationJson::of).toList());
    tree.put("differences", explanation.differences());
    return present(tree);
  }

  private static Map<String, Object> of(Span span) {
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("kind", span.kind().text());
    if (!span.causes().isEmpty()) {
      tree.put("cause", text(span.causes().get(0)));
      tree.put("also", span.causes().stream().skip(1).map(ExplanationJson::text).toList());
    }
    tree.put("dispatch", span.dispatch() == null ? null : span.dispatch().toString());
    tree.put("from_ns", span.fromNs());
    tree.put("to_ns", span.toNs());
    return present(tree);
  }

  private static Map<String, Object> of(Explanation.Inputs inputs) {
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("count", inputs.count());
    tree.put("released_ns", inputs.releasedAtNs());
    tree.put(
        "ended",
        inputs.ends().stream()
            .map(
                end -> {
                  Map<String, @Nullable Object> input = new LinkedHashMap<>();
                  input.put("job", end.jobId());
                  input.put("status", text(end.status()));
                  input.put("reason", end.reason());
                  input.put("ended_ns", end.endedAtNs());
                  return present(input);
                })
            .toList());
    return present(tree);
  }

  private static Map<String, Object> of(Explanation.Overtaking overtaking) {
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("job", overtaking.jobId());
    tree.put("class", overtaking.classType());
    tree.put("dispatch", overtaking.dispatchId().toString());
    tree.put("at_ns", overtaking.atNs());
    tree.put("chosen", overtaking.chosen());
    tree.put("score_terms", overtaking.scoreTerms());
    return present(tree);
  }

  private static Map<String, Object> of(Attempt attempt) {
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("dispatch", attempt.dispatchId().toString());
    tree.put("executor", attempt.batch().executorId());
    tree.put("lanes", attempt.batch().lanes());
    tree.put("with", attempt.batch().others());
    tree.put("could_share", attempt.batch().couldShare());
    tree.put("samples", attempt.batch().samples());
    tree.put("decided_ns", attempt.decidedAtNs());
    tree.put("predicted_ns", attempt.prediction().meanNs());
    tree.put("predicted_p95_ns", attempt.prediction().p95Ns());
    tree.put("prediction_source", attempt.prediction().source());
    tree.put("score_terms", attempt.scoreTerms());
    tree.put("outcome", text(attempt.outcome()));
    tree.put("until_ns", attempt.result().toNs());
    tree.put("given_up_ns", attempt.result().givenUpAtNs());
    BatchCompleted completion = attempt.result().completion();
    if (completion != null) {
      tree.put("started_ns", completion.startedAtNs());
      tree.put("finished_ns", completion.finishedAtNs());
      tree.put("service_ns", completion.serviceNs());
      tree.put("load_ns", completion.switchNs());
      tree.put("cause", completion.cause());
    }
    return present(tree);
  }

  private static @Nullable String text(@Nullable Enum<?> value) {
    return value == null ? null : value.name().toLowerCase(Locale.ROOT);
  }

  /** The entries with a value. */
  private static Map<String, Object> present(Map<String, @Nullable Object> tree) {
    Map<String, Object> kept = new LinkedHashMap<>();
    tree.forEach(
        (key, value) -> {
          if (value != null) {
            kept.put(key, value);
          }
        });
    return kept;
  }
}
