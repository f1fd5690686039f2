package dev.sluice.analytics.check;

import dev.sluice.contract.file.UserMistakeException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Checks that the tables of a run's folder, live or simulated, show a legal schedule. */
public final class RunCheck {
  /** Rules that only a log of executions on GPUs has. */
  private static final EnumSet<Rule> OF_GPUS =
      EnumSet.of(
          Rule.NODE_ONCE, Rule.GPU_OVERLAP, Rule.GANG, Rule.MODEL_FITS, Rule.SWITCH, Rule.DURATION);

  private RunCheck() {}

  /**
   * Checks a run. Rules are applied in parallel.
   *
   * @throws UserMistakeException if no run has finished in the folder
   */
  public static CheckReport of(Path path) throws UserMistakeException {
    Findings findings = new Findings();
    RunFolder folder = RunFolder.read(path, findings);
    LogRule log = new LogRule(folder);
    CompletableFuture<Findings> ofLog = CompletableFuture.supplyAsync(log::found);
    Recount recount =
        new Recount(
            folder,
            () -> {
              ofLog.join();
              return log;
            });
    Stream.of(
            recount,
            new JobRules(folder),
            new BatchRules(folder),
            new LaneRules(folder),
            new WindowRule(folder),
            new RequestRule(folder))
        .map(rules -> CompletableFuture.supplyAsync(rules::found))
        .toList()
        .forEach(found -> findings.add(found.join()));
    findings.add(ofLog.join());
    Set<Rule> rules = EnumSet.complementOf(OF_GPUS);
    if (!folder.config().hasMemory()) {
      rules.removeAll(Set.of(Rule.MEMORY, Rule.RESIDENT));
    }
    return findings.report(
        "run %s: %d jobs, %d dispatches"
            .formatted(
                folder.summary().path("run_id").asText(),
                folder.jobs().size(),
                folder.batches().size()),
        rules);
  }
}
