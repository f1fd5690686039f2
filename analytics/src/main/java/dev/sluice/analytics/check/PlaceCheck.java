package dev.sluice.analytics.check;

import dev.sluice.analytics.check.ScheduleLog.Execution;
import dev.sluice.contract.workflow.Workflow;
import dev.sluice.contract.workflow.WorkflowFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Checks a log by itself: each row adds up, and no GPU is taken twice. */
final class PlaceCheck {
  private final Schedule schedule;
  private final @Nullable WorkflowFiles files;
  private final Findings findings;

  PlaceCheck(Schedule schedule, Findings findings) {
    this.schedule = schedule;
    this.findings = findings;
    this.files = schedule.files();
  }

  void check() {
    schedule.executions().forEach(this::checkTimes);
    findings.looked(Rule.TIME, schedule.executions().size());
    checkGpusAreKnown();
    checkOverlap();
    checkBatches();
  }

  private void checkTimes(Execution row) {
    String wrong = null;
    if (row.start() < 0) {
      wrong = "start_time (%s) is before time zero".formatted(row.start());
    } else if (row.executionTime() < 0) {
      wrong = "execution_time (%s) is negative".formatted(row.executionTime());
    } else if (!Seconds.same(row.start() + row.executionTime(), row.end())) {
      wrong =
          "start_time (%s) + execution_time (%s) is not end_time (%s)"
              .formatted(row.start(), row.executionTime(), row.end());
    } else if (row.switchTime() < 0) {
      wrong = "switch_time (%s) is negative".formatted(row.switchTime());
    } else if (Seconds.before(row.waitingTime(), 0)) {
      wrong = "waiting_time (%s) is negative".formatted(row.waitingTime());
    }
    if (wrong != null) {
      findings.fault(Rule.TIME, row.where(), wrong);
    }
  }

  private void checkGpusAreKnown() {
    if (schedule.gpus().isEmpty() && files == null) {
      findings.leaveOut(Rule.MODEL_FITS, "the summary names no gpus");
      return;
    }
    findings.looked(Rule.MODEL_FITS, schedule.executions().size());
    for (Execution row : schedule.executions()) {
      for (int gpu : row.gpus()) {
        if (!schedule.gpus().isEmpty() && !schedule.gpus().contains(gpu)) {
          findings.fault(
              Rule.MODEL_FITS,
              row.where(),
              "GPU (%d) is none of the summary's %s".formatted(gpu, schedule.gpus()));
        }
      }
    }
  }

  private void checkOverlap() {
    findings.looked(Rule.GPU_OVERLAP, schedule.executions().size());
    Map<Integer, List<Execution>> byGpu = new TreeMap<>();
    for (Execution row : schedule.executions()) {
      if (row.end() > row.takenFrom()) {
        for (int gpu : row.gpus()) {
          byGpu.computeIfAbsent(gpu, g -> new ArrayList<>()).add(row);
        }
      }
    }
    byGpu.forEach(
        (gpu, rows) -> {
          Execution last = null;
          for (Execution row : Schedule.sortedByTime(rows)) {
            if (last != null
                && Seconds.before(row.takenFrom(), last.end())
                && !row.sharesBatchWith(last)) {
              findings.fault(
                  Rule.GPU_OVERLAP,
                  last.where() + ", " + row.where(),
                  "GPU (%d) is taken from (%s) until (%s), and again from (%s)"
                      .formatted(gpu, last.takenFrom(), last.end(), row.takenFrom()));
            }
            if (last == null || row.end() > last.end()) {
              last = row;
            }
          }
        });
  }

  /** Checks that rows of one batch ran one model at one time in one place, and were allowed to. */
  private void checkBatches() {
    Map<Double, List<Execution>> batches = new TreeMap<>();
    for (Execution row : schedule.executions()) {
      if (!Double.isNaN(row.batchId())) {
        batches.computeIfAbsent(row.batchId(), id -> new ArrayList<>()).add(row);
      }
    }
    if (!batches.isEmpty()) {
      findings.looked(Rule.COMPATIBLE, batches.size());
    }
    batches.values().forEach(this::checkBatch);
  }

  private void checkBatch(List<Execution> rows) {
    Execution first = rows.get(0);
    for (Execution row : rows) {
      if (!row.modelName().equals(first.modelName())
          || !row.gpus().equals(first.gpus())
          || !Seconds.same(row.start(), first.start())
          || !Seconds.same(row.end(), first.end())) {
        findings.fault(
            Rule.COMPATIBLE,
            first.where() + ", " + row.where(),
            "one batch is to be (%s) on %s in [%s, %s), and (%s) on %s in [%s, %s)"
                .formatted(
                    first.modelName(),
                    first.gpus(),
                    first.start(),
                    first.end(),
                    row.modelName(),
                    row.gpus(),
                    row.start(),
                    row.end()));
      }
      Workflow workflow = files == null ? null : files.workflows().get(row.workflowId());
      if (workflow != null && !workflow.joined()) {
        findings.fault(
            Rule.COMPATIBLE,
            row.where(),
            "it shares a batch, and workflow (%s) does not say microbatch: true"
                .formatted(workflow.id()));
      }
    }
    if (files != null && rows.size() > files.microbatch().maxBatch()) {
      findings.fault(
          Rule.COMPATIBLE,
          first.where(),
          "(%d) nodes share its batch, at most (%d) may"
              .formatted(rows.size(), files.microbatch().maxBatch()));
    }
  }
}
