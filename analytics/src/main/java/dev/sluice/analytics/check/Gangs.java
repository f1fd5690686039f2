package dev.sluice.analytics.check;

import dev.sluice.analytics.check.ScheduleLog.Execution;
import dev.sluice.contract.workflow.Model;
import dev.sluice.contract.workflow.WorkflowFiles;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds all GPUs of each gang, and checks that they are neighbors, taken together. A log names the
 * GPUs of a gang in one row, or in a row for each, or names the first alone.
 */
final class Gangs {
  private final List<Execution> rows;
  private final @Nullable WorkflowFiles files;
  private final Findings findings;

  Gangs(List<Execution> rows, @Nullable WorkflowFiles files, Findings findings) {
    this.rows = rows;
    this.files = files;
    this.findings = findings;
  }

  /** One row for each gang, in the order of the log. */
  List<Execution> merged() {
    List<Execution> merged = new ArrayList<>(rows.size());
    Map<String, Map<String, List<Execution>>> split = new LinkedHashMap<>();
    for (Execution row : rows) {
      if (!row.listsGpus() && gpusRequired(row) > 1) {
        split
            .computeIfAbsent(row.requestId(), id -> new LinkedHashMap<>())
            .computeIfAbsent(row.nodeId(), id -> new ArrayList<>())
            .add(row);
      } else {
        merged.add(row);
        if (row.gpus().size() > 1) {
          checkNeighbors(row);
        }
      }
    }
    split.values().forEach(byNode -> byNode.values().forEach(gang -> merged.add(join(gang))));
    findings.looked(Rule.GANG, merged.stream().filter(row -> row.gpus().size() > 1).count());
    return merged;
  }

  private int gpusRequired(Execution row) {
    Model model = files == null ? null : files.models().get(row.modelName());
    return model == null ? 1 : model.gpusRequired();
  }

  private Execution join(List<Execution> gang) {
    Execution first = gang.get(0);
    if (gang.size() == 1) {
      int from = first.gpus().get(0);
      return first.on(IntStream.range(from, from + gpusRequired(first)).boxed().toList());
    }
    for (Execution row : gang) {
      if (!Seconds.same(row.takenFrom(), first.takenFrom())
          || !Seconds.same(row.end(), first.end())) {
        findings.fault(
            Rule.GANG,
            first.where() + ", " + row.where(),
            "one GPU of the gang is taken in [%s, %s), another in [%s, %s)"
                .formatted(first.takenFrom(), first.end(), row.takenFrom(), row.end()));
      }
    }
    Execution joined = first.on(gang.stream().map(row -> row.gpus().get(0)).sorted().toList());
    checkNeighbors(joined);
    return joined;
  }

  private void checkNeighbors(Execution row) {
    for (int i = 1; i < row.gpus().size(); i++) {
      if (row.gpus().get(i) != row.gpus().get(i - 1) + 1) {
        findings.fault(Rule.GANG, row.where(), "GPUs %s are no neighbors".formatted(row.gpus()));
        return;
      }
    }
  }
}
