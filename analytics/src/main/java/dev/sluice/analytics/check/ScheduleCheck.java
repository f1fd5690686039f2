package dev.sluice.analytics.check;

import dev.sluice.analytics.check.ScheduleLog.Execution;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.workflow.WorkflowFiles;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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

  private ScheduleCheck() {}

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
    ScheduleLog log = ScheduleLog.read(file, findings);
    Set<Integer> gpus = new HashSet<>();
    log.summary().path("gpus").forEach(gpu -> gpus.add(gpu.asInt()));
    WorkflowFiles files =
        system == null || requests == null
            ? null
            : WorkflowFiles.read(
                system, requests, gpus.isEmpty() ? Integer.MAX_VALUE : gpus.size(), true);
    findings.rows(log.executions().size());
    findings.looked(Rule.MEASURED, log.executions().size());
    if (log.executions().isEmpty()) {
      findings.fault(Rule.MEASURED, file.toString(), "no node ran");
    }
    List<Execution> executions = new Gangs(log.executions(), files, findings).merged();
    Schedule schedule = Schedule.of(log.summary(), gpus, files, executions);
    new PlaceCheck(schedule, findings).check();
    new RequestCheck(schedule, findings).check();
    new ScheduleSummary(schedule, findings).check();
    return findings.report(
        "execution log: %d executions of %d requests on %s"
            .formatted(
                log.executions().size(),
                schedule.byRequest().size(),
                gpus.isEmpty() ? "unnamed GPUs" : gpus.size() + " GPUs"),
        OF_LOGS);
  }
}
