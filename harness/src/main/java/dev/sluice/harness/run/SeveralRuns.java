package dev.sluice.harness.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sluice.analytics.report.TextTable;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.Signals;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Different experiments one after the other, each in a process of its own, and a table of all. */
public record SeveralRuns(List<RunSettings> each, boolean processes, Console console) {
  /** Runs all, also after one that failed, and returns the worst exit status. */
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    Map<String, RunSettings> byId = new LinkedHashMap<>();
    for (RunSettings settings : each) { // mistakes in any are found before the first begins
      ParsedExperiment parsed = settings.check(processes);
      byId.put(newId(settings.runIdFor(parsed.experiment()), byId.keySet()), settings);
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("verdict", "policy", "done", "p99 ms", "over SLO", "goodput/s", "run"));
    ArrayNode summaries = JsonNodeFactory.instance.arrayNode();
    int worst = ExitStatus.DONE;
    for (Map.Entry<String, RunSettings> run : byId.entrySet()) {
      RunSettings settings = run.getValue();
      var child = new ChildRuns(settings, processes, console);
      console.step("Experiment " + settings.config() + ", " + rows.size() + " of " + byId.size());
      int status;
      try (var signals = Signals.listen(child::stop, child::kill)) {
        status = child.run(settings.results(), run.getKey(), List.of());
        if (signals.received()) {
          tell(rows, summaries);
          return signals.exitStatus();
        }
      }
      worst = ExitStatus.worst(worst, status);
      Path folder = settings.results().resolve(run.getKey());
      if (FinishedRun.isFolder(folder)) {
        JsonNode summary = FinishedRun.of(folder).summary();
        summaries.add(summary);
        rows.add(row(run.getKey(), verdict(status), summary));
      } else {
        rows.add(List.of(verdict(status), "", "", "", "", "", run.getKey()));
      }
    }
    tell(rows, summaries);
    return worst;
  }

  private static String newId(String wanted, Set<String> taken) {
    String id = wanted;
    for (int again = 2; taken.contains(id); again++) {
      id = wanted + "-" + again;
    }
    return id;
  }

  private static String verdict(int status) {
    return switch (status) {
      case ExitStatus.DONE -> "sound";
      case ExitStatus.MISSED -> "missed";
      case ExitStatus.INCONCLUSIVE -> "inconclusive";
      default -> "failed";
    };
  }

  private static List<String> row(String id, String verdict, JsonNode summary) {
    JsonNode p99 = summary.path("all_p99_e2e_ms");
    return List.of(
        verdict,
        summary.path("scheduler_name").asText(),
        summary.path("all_done").asText() + " of " + summary.path("all_count").asText(),
        p99.isNumber() ? Decimals.short3(p99.asDouble()) : "none",
        String.format(
            Locale.ROOT, "%.1f %%", 100 * summary.path("all_slo_violation_rate").asDouble()),
        Decimals.short3(summary.path("all_goodput_jobs_sec").asDouble()),
        id);
  }

  private void tell(List<List<String>> rows, ArrayNode summaries) {
    console.result(summaries.toPrettyString() + "\n");
    console.line("");
    console.line(TextTable.fitted(rows, Set.of(0, 1, 6)).stripTrailing());
  }
}
