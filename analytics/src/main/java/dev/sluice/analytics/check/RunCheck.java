package dev.sluice.analytics.check;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.contract.file.UserMistakeException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
    List<Numbers> numbers =
        List.of(
            new LogRule(folder), // takes longest
            new JobNumbers(folder),
            new LoadNumbers(folder),
            new LaneNumbers(folder),
            new PredictionNumbers(folder),
            new SummaryNumbers(folder));
    List<CompletableFuture<Findings>> found =
        Stream.concat(
                numbers.stream(),
                Stream.of(
                    new JobRules(folder),
                    new BatchRules(folder),
                    new LaneRules(folder),
                    new WindowRule(folder),
                    new RequestRule(folder)))
            .map(rules -> CompletableFuture.supplyAsync(rules::found))
            .toList();
    found.stream().skip(1).forEach(one -> findings.add(one.join()));
    findings.add(found.get(0).join());
    Set<String> counted = new HashSet<>();
    numbers.forEach(part -> counted.addAll(part.counted));
    nameTheRest("", folder.summary(), counted, findings);
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

  /** Names each number that no part has counted. */
  private static void nameTheRest(
      String path, JsonNode node, Set<String> counted, Findings findings) {
    if (node.isNumber() && !counted.contains(path)) {
      findings.rests(path.substring(1).replace('/', '.'));
    }
    for (Map.Entry<String, JsonNode> field : node.properties()) {
      nameTheRest(
          path + "/" + Numbers.escaped(field.getKey()), field.getValue(), counted, findings);
    }
    for (int i = 0; node.isArray() && i < node.size(); i++) {
      nameTheRest(path + "/" + i, node.get(i), counted, findings);
    }
  }
}
