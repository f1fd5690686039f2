package dev.sluice.analytics.check;

import dev.sluice.contract.file.UserMistakeException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks that the tables of a run's folder, live or simulated, show a legal schedule. */
public final class RunCheck {
  private static final List<BiConsumer<RunFolder, Findings>> RULES =
      List.of(
          (folder, findings) -> new JobRules(folder, findings).check(),
          (folder, findings) -> new BatchRules(folder, findings).check(),
          (folder, findings) -> new LaneRules(folder, findings).check(),
          (folder, findings) -> new WindowRule(folder, findings).check(),
          (folder, findings) -> new ConfigRules(folder, findings).check(),
          (folder, findings) -> new RequestRule(folder, findings).check());

  /** Rules that a run's folder has. */
  public static final Set<Rule> OF_RUNS =
      Collections.unmodifiableSet(
          EnumSet.complementOf(
              EnumSet.of(
                  Rule.NODE_ONCE,
                  Rule.GPU_OVERLAP,
                  Rule.GANG,
                  Rule.MODEL_FITS,
                  Rule.SWITCH,
                  Rule.DURATION)));

  /** Rules that the folder of a run has whose lanes hold all models. */
  private static final Set<Rule> WITHOUT_MEMORY =
      OF_RUNS.stream()
          .filter(rule -> rule != Rule.MEMORY && rule != Rule.RESIDENT)
          .collect(Collectors.toUnmodifiableSet());

  private RunCheck() {}

  /**
   * Checks a run. Rules are applied in parallel.
   *
   * @throws UserMistakeException if no run has finished in the folder
   */
  public static CheckReport of(Path path) throws UserMistakeException {
    Findings findings = new Findings();
    RunFolder folder = RunFolder.read(path, findings);
    Findings ofLog = new Findings();
    var log = CompletableFuture.supplyAsync(() -> new LogRule(folder, ofLog).check());
    Stream.concat(
            Stream.<BiConsumer<RunFolder, Findings>>of(
                (f, own) -> new Recount(f, own).check(log::join)),
            RULES.stream())
        .map(rule -> CompletableFuture.supplyAsync(() -> apply(rule, folder)))
        .toList()
        .forEach(found -> findings.add(found.join()));
    findings.add(ofLog);
    return findings.report(
        "run %s: %d jobs, %d dispatches"
            .formatted(
                folder.summary().path("run_id").asText(),
                folder.jobs().size(),
                folder.batches().size()),
        folder.config().hasMemory() ? OF_RUNS : WITHOUT_MEMORY);
  }

  private static Findings apply(BiConsumer<RunFolder, Findings> rule, RunFolder folder) {
    Findings own = new Findings();
    rule.accept(folder, own);
    return own;
  }
}
