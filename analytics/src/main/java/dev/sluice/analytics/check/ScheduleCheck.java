package dev.sluice.analytics.check;

import dev.sluice.analytics.check.ScheduleLog.Execution;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.workflow.Model;
import dev.sluice.contract.workflow.WorkflowFiles;
import dev.sluice.contract.workflow.WorkflowFiles.Skipped;
import dev.sluice.contract.workflow.WorkflowRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.Stream;
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
   * Checks a log. Files are read in parallel, and so are rules applied.
   *
   * @param system models and workflows; null: the rules that need them are left out, with a note
   * @param requests requests of the log; null only together with {@code system}
   * @throws UserMistakeException if a file cannot be read
   */
  public static CheckReport of(Path file, @Nullable Path system, @Nullable Path requests)
      throws UserMistakeException {
    CompletableFuture<Optional<WorkflowFiles>> reading =
        CompletableFuture.supplyAsync(() -> files(system, requests));
    Findings findings = new Findings();
    ScheduleLog log = ScheduleLog.read(file, findings);
    Set<Integer> gpus = new HashSet<>();
    log.summary().path("gpus").forEach(gpu -> gpus.add(gpu.asInt()));
    WorkflowFiles files =
        read(reading).map(all -> gpus.isEmpty() ? all : feasible(all, gpus.size())).orElse(null);
    findings.rows(log.executions().size());
    findings.looked(Rule.MEASURED, log.executions().size());
    if (log.executions().isEmpty()) {
      findings.fault(Rule.MEASURED, file.toString(), "no node ran");
    }
    List<Execution> executions = new Gangs(log.executions(), files, findings).merged();
    Schedule schedule = Schedule.of(log.summary(), gpus, files, executions);
    Stream.<Supplier<Findings>>of(
            new PlaceCheck(schedule)::check,
            new RequestCheck(schedule)::check,
            new ScheduleSummary(schedule)::check)
        .map(CompletableFuture::supplyAsync)
        .toList()
        .forEach(found -> findings.add(found.join()));
    return findings.report(
        "execution log: %d executions of %d requests on %s"
            .formatted(
                log.executions().size(),
                schedule.byRequest().size(),
                gpus.isEmpty() ? "unnamed GPUs" : gpus.size() + " GPUs"),
        OF_LOGS);
  }

  /**
   * Reads the files with all requests, whatever number of GPUs these need; empty if no files were
   * named.
   */
  private static Optional<WorkflowFiles> files(@Nullable Path system, @Nullable Path requests) {
    try {
      return system == null || requests == null
          ? Optional.empty()
          : Optional.of(WorkflowFiles.read(system, requests, Integer.MAX_VALUE, true));
    } catch (UserMistakeException e) {
      throw new CompletionException(e);
    }
  }

  private static Optional<WorkflowFiles> read(CompletableFuture<Optional<WorkflowFiles>> reading)
      throws UserMistakeException {
    try {
      return reading.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof UserMistakeException mistake) {
        throw mistake;
      }
      throw e;
    }
  }

  /** Leaves out the requests that need more GPUs at once than there are. */
  private static WorkflowFiles feasible(WorkflowFiles files, int gpus) {
    Set<String> tooLarge = new HashSet<>();
    for (Model model : files.models().values()) {
      if (model.gpusRequired() > gpus) {
        tooLarge.add(model.id());
      }
    }
    if (tooLarge.isEmpty()) {
      return files;
    }
    List<Skipped> skipped = new ArrayList<>(files.skipped());
    List<WorkflowRequest> requests = new ArrayList<>();
    for (WorkflowRequest request : files.requests()) {
      if (request.workflow().nodes().stream().noneMatch(n -> tooLarge.contains(n.model()))) {
        requests.add(request);
      } else {
        skipped.add(new Skipped(request.id(), request.workflow().id(), "it needs more GPUs"));
      }
    }
    return new WorkflowFiles(
        files.models(),
        files.workflows(),
        files.microbatch(),
        requests,
        skipped,
        files.requestsFile());
  }
}
