package dev.sluice.planning.plan;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.sluice.planning.plan.PlanningFiles.Asked;
import dev.sluice.planning.split.Plan;
import dev.sluice.planning.split.Plan.PricedStage;
import dev.sluice.planning.split.Plan.Stage;
import dev.sluice.planning.split.PlanOutcome;
import dev.sluice.planning.split.PlanProblem.DeviceType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Answers as JSON: everything that the table shows. A number that is infinite is null. */
final class PlanJson {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private PlanJson() {}

  static String of(Map<String, @Nullable Object> tree) {
    try {
      return JSON.writeValueAsString(tree);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a plan cannot be written", e);
    }
  }

  static Map<String, @Nullable Object> head(PlanRun.Options options, List<String> warnings) {
    Asked asked = options.asked();
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("model", asked.model());
    tree.put("dtype", asked.dtype());
    tree.put("batch_size", asked.batchSize());
    tree.put("buffers_in", asked.buffersIn());
    tree.put("buffers_out", asked.buffersOut());
    tree.put("objective", options.objective().name().toLowerCase(Locale.ROOT));
    tree.put("warnings", warnings);
    return tree;
  }

  static Map<String, @Nullable Object> answer(Answer answer) {
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("status", status(answer));
    tree.put("verdict", answer.verdict());
    tree.put("broken_rules", answer.violations());
    Plan plan = answer.plan();
    tree.put("stages", plan == null ? List.of() : stages(answer, plan));
    if (plan != null) {
      tree.put("bottleneck_s", finite(plan.bottleneckSeconds()));
      tree.put("samples_per_s", finite(Answer.samplesPerSecond(plan, answer.batchSize())));
      tree.put("latency_s", finite(plan.latencySeconds()));
      tree.put("bytes_sent", plan.bytesSent());
    }
    if (answer.outcome() instanceof PlanOutcome.Found found) {
      tree.put("lower_bound_s", finite(found.lowerBoundSeconds()));
      tree.put("gap", finite(found.gap()));
    }
    tree.put("unused_hosts", answer.unusedHosts());
    return tree;
  }

  private static String status(Answer answer) {
    if (answer.outcome() instanceof PlanOutcome.Found found) {
      return found.proved() ? "optimal" : "best_found";
    }
    if (answer.outcome() instanceof PlanOutcome.Impossible) {
      return "impossible";
    }
    if (answer.outcome() instanceof PlanOutcome.NotFound) {
      return "not_found";
    }
    return answer.violations().isEmpty() ? "legal" : "illegal";
  }

  private static List<Map<String, @Nullable Object>> stages(Answer answer, Plan plan) {
    List<Map<String, @Nullable Object>> stages = new ArrayList<>();
    for (PricedStage priced : plan.stages()) {
      Stage stage = priced.stage();
      DeviceType type = answer.problem().types().get(stage.type());
      Map<String, @Nullable Object> tree = new LinkedHashMap<>();
      tree.put("host", answer.problem().hostOf(stage));
      tree.put("type", type.name());
      tree.put("layers", List.of(stage.firstLayer(), stage.lastLayer()));
      tree.put("compute_s", priced.computeSeconds());
      tree.put("transfer_s", finite(priced.transferSeconds()));
      tree.put("memory_bytes", priced.memoryBytes());
      tree.put("memory_there_bytes", type.memoryBytes());
      stages.add(tree);
    }
    return stages;
  }

  private static @Nullable Double finite(double value) {
    return Double.isFinite(value) ? Double.valueOf(value) : null;
  }
}
