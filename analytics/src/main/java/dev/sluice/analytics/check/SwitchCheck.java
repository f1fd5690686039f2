package dev.sluice.analytics.check;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.check.ScheduleLog.Execution;
import dev.sluice.contract.workflow.Model;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks the length of each switch against the model that its GPUs held: 0 for the same model, the
 * load time on an empty GPU, else (old GB + new GB) / bandwidth + overhead. A log that names no
 * switches must leave room for them. Where the nodes really ran, a switch took some time if it was
 * needed, and none if not; the log does not tell of attempts that were not done.
 */
final class SwitchCheck {
  private static final double GB_PER_SECOND = 16;
  private static final double OVERHEAD_SECONDS = 2;

  private final double gbPerSecond;
  private final double overheadSeconds;
  private final boolean firstGpuDecides;
  private final boolean reallyRan;
  private final boolean saysAllThatRan;
  private final Map<String, Model> models;
  private final Findings findings;
  private final Map<Integer, Execution> lastByGpu = new HashMap<>();

  /**
   * @param summary overrides of the default bandwidth, overhead and gang switch
   */
  SwitchCheck(JsonNode summary, Map<String, Model> models, Findings findings) {
    this.gbPerSecond = summary.path("bandwidth_gb_per_s").asDouble(GB_PER_SECOND);
    this.overheadSeconds = summary.path("switch_overhead_s").asDouble(OVERHEAD_SECONDS);
    this.firstGpuDecides = summary.path("gang_switch").asText().equals("first");
    this.reallyRan = summary.path("simulate").asBoolean(false);
    this.saysAllThatRan = summary.path("attempts_not_done").asInt() == 0;
    this.models = models;
    this.findings = findings;
  }

  /**
   * @param executions all rows, by time
   */
  void check(List<Execution> executions) {
    if (reallyRan && !saysAllThatRan) {
      findings.leaveOut(Rule.SWITCH, "attempts that were not done may have left models");
      return;
    }
    for (Execution row : executions) {
      Model model = models.get(row.modelName());
      if (model != null) {
        findings.looked(Rule.SWITCH, 1);
        if (reallyRan) {
          checkMeasured(row);
        } else {
          check(row, model);
        }
      }
      for (int gpu : row.gpus()) {
        lastByGpu.put(gpu, row);
      }
    }
  }

  private void checkMeasured(Execution row) {
    List<String> held =
        row.gpus().stream()
            .map(lastByGpu::get)
            .map(last -> last == null ? "nothing" : last.modelName())
            .toList();
    boolean needed = held.stream().anyMatch(model -> !model.equals(row.modelName()));
    if (!Double.isNaN(row.switchTime()) && row.switchTime() > 0 != needed) {
      findings.fault(
          Rule.SWITCH,
          row.where(),
          "switch_time is (%s), and its GPUs held %s before (%s)"
              .formatted(row.switchTime(), held, row.modelName()));
    }
  }

  private void check(Execution row, Model model) {
    double expected = 0;
    for (int i = 0; i < row.gpus().size(); i++) {
      Execution last = lastByGpu.get(row.gpus().get(i));
      double seconds = seconds(last == null ? null : models.get(last.modelName()), model);
      if (i == 0 || !firstGpuDecides) {
        expected = Math.max(expected, seconds);
      }
      if (Double.isNaN(row.switchTime())
          && Seconds.before(row.start(), (last == null ? 0 : last.end()) + seconds)) {
        findings.fault(
            Rule.SWITCH,
            row.where(),
            "it starts at (%s), (%s) after the one before it on GPU (%d), and the switch takes (%s)"
                .formatted(
                    row.start(),
                    row.start() - (last == null ? 0 : last.end()),
                    row.gpus().get(i),
                    seconds));
      }
    }
    if (!Seconds.same(row.switchTime(), expected)) {
      Execution last = lastByGpu.get(row.gpus().get(0));
      findings.fault(
          Rule.SWITCH,
          row.where(),
          "switch_time is (%s), and from (%s) to (%s) it takes (%s)"
              .formatted(
                  row.switchTime(),
                  last == null ? "nothing" : last.modelName(),
                  row.modelName(),
                  expected));
    }
  }

  private double seconds(@Nullable Model old, Model next) {
    if (old == null) {
      return next.loadTimeSeconds();
    }
    return old.id().equals(next.id())
        ? 0
        : (old.memoryGb() + next.memoryGb()) / gbPerSecond + overheadSeconds;
  }
}
