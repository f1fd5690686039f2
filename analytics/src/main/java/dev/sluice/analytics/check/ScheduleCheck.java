package dev.sluice.analytics.check;

import dev.sluice.analytics.check.Schedule.Execution;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.workflow.Workflow;
import dev.sluice.contract.workflow.WorkflowFiles;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Checks a log of executions on GPUs, by itself and as an answer to the workflow files that it came
 * from. A GPU counts as taken from the beginning of the switch until the end.
 */
public final class ScheduleCheck {
  /** Rules that a log of executions has. */
  private static final Set<Rule> OF_LOGS =
      EnumSet.of(
          Rule.MEASURED,
          Rule.FORMAT,
          Rule.TIME,
          Rule.NODE_ONCE,
          Rule.ORDER,
          Rule.GPU_OVERLAP,
          Rule.GANG,
          Rule.MODEL_FITS,
          Rule.SWITCH,
          Rule.DURATION,
          Rule.COMPATIBLE,
          Rule.SUMMARY);

  private final Schedule schedule;
  private final @Nullable WorkflowFiles files;
  private final Findings findings;

  private ScheduleCheck(Schedule schedule, Findings findings) {
    this.schedule = schedule;
    this.findings = findings;
    this.files = schedule.files();
  }

  /**
   * Checks a log.
   *
   * @param system models and workflows; null: the rules that need them are left out, with a note
   * @param requests requests of the log; null only together with {@code system}
   * @throws UserMistakeException if a file cannot be read
   */
  public static CheckReport of(Path file, @Nullable Path system, @Nullable Path requests)
      throws UserMistakeException {
    Findings findings = new Findings();
    Schedule schedule = Schedule.read(file, system, requests, findings);
    findings.rows(schedule.rows());
    findings.looked(Rule.MEASURED, schedule.rows());
    if (schedule.rows() == 0) {
      findings.fault(Rule.MEASURED, file.toString(), "no node ran");
    }
    new ScheduleCheck(schedule, findings).check();
    new RequestCheck(schedule, findings).check();
    new ScheduleSummary(schedule, findings).check();
    Set<Integer> gpus = schedule.gpus();
    return findings.report(
        "execution log: %d executions of %d requests on %s"
            .formatted(
                schedule.rows(),
                schedule.byRequest().size(),
                gpus.isEmpty() ? "unnamed GPUs" : gpus.size() + " GPUs"),
        OF_LOGS);
  }

  /** Checks the log by itself: each row adds up, and no GPU is taken twice. */
  private void check() {
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
    } else if (!Schedule.same(row.start() + row.executionTime(), row.end())) {
      wrong =
          "start_time (%s) + execution_time (%s) is not end_time (%s)"
              .formatted(row.start(), row.executionTime(), row.end());
    } else if (row.switchTime() < 0) {
      wrong = "switch_time (%s) is negative".formatted(row.switchTime());
    } else if (Schedule.before(row.waitingTime(), 0)) {
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
    schedule
        .byGpu()
        .forEach(
            (gpu, rows) -> {
              Execution last = null;
              for (Execution row : Schedule.sortedByTime(rows)) {
                if (row.end() <= row.takenFrom()) {
                  continue;
                }
                if (last != null
                    && Schedule.before(row.takenFrom(), last.end())
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
    Map<Double, List<Execution>> batches =
        schedule.executions().stream()
            .filter(row -> !Double.isNaN(row.batchId()))
            .collect(Collectors.groupingBy(Execution::batchId, TreeMap::new, Collectors.toList()));
    findings.looked(Rule.COMPATIBLE, batches.size());
    batches.values().forEach(this::checkBatch);
  }

  private void checkBatch(List<Execution> rows) {
    Execution first = rows.get(0);
    for (Execution row : rows) {
      if (!row.modelName().equals(first.modelName())
          || !row.gpus().equals(first.gpus())
          || !Schedule.same(row.start(), first.start())
          || !Schedule.same(row.end(), first.end())) {
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
