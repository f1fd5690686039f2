package dev.sluice.planning.plan;

import dev.sluice.analytics.report.TextTable;
import dev.sluice.contract.file.QuotedText;
import dev.sluice.planning.split.Plan;
import dev.sluice.planning.split.Plan.PricedStage;
import dev.sluice.planning.split.Plan.Stage;
import dev.sluice.planning.split.PlanOutcome;
import dev.sluice.planning.split.PlanProblem;
import dev.sluice.planning.split.PlanProblem.DeviceType;
import dev.sluice.planning.split.Pricing;
import dev.sluice.planning.split.SearchSettings.Objective;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** An answer as lines for people. */
final class PlanTable {
  private static final int BAR = 6;
  private static final int HOSTS_LISTED_MAX = 20;

  private PlanTable() {}

  static List<String> lines(Answer answer) {
    List<String> lines = new ArrayList<>();
    Plan plan = answer.plan();
    if (plan == null) {
      return List.of(answer.verdict());
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("host", "type", "layers", "compute, s", "transfer, s", "memory, MiB"));
    for (PricedStage priced : plan.stages()) {
      Stage stage = priced.stage();
      DeviceType type = answer.problem().types().get(stage.type());
      rows.add(
          List.of(
              answer.problem().hostOf(stage),
              type.name(),
              stage.firstLayer() + "-" + stage.lastLayer(),
              bar('#', priced.computeSeconds(), plan),
              bar('=', priced.transferSeconds(), plan),
              Pricing.mib(priced.memoryBytes())
                  + " of "
                  + Math.round(type.memoryBytes() / (1 << 20))));
    }
    TextTable.fitted(rows, Set.of(0, 1, 2, 3, 4, 5)).lines().forEach(lines::add);
    lines.add("");
    lines.addAll(figures(answer, plan));
    answer.violations().forEach(fault -> lines.add("broken rule   " + fault));
    return lines;
  }

  /** The figures of a plan, a line each. */
  static List<String> figures(Answer answer, Plan plan) {
    List<String> lines = new ArrayList<>();
    lines.add("bottleneck    " + seconds(plan.bottleneckSeconds()));
    lines.add(
        String.format(
            Locale.ROOT,
            "throughput    %.3f samples/s",
            Answer.samplesPerSecond(plan, answer.batchSize())));
    lines.add("latency       " + seconds(plan.latencySeconds()));
    lines.add(String.format(Locale.ROOT, "sent          %,d bytes", plan.bytesSent()));
    if (answer.outcome() instanceof PlanOutcome.Found found) {
      lines.add(
          "lower bound   %s of the %s, %s"
              .formatted(
                  seconds(found.lowerBoundSeconds()),
                  found.objective() == Objective.LATENCY ? "latency" : "bottleneck",
                  answer.verdict()));
    } else {
      lines.add("verdict       " + answer.verdict());
    }
    List<String> unused = answer.unusedHosts();
    int more = unused.size() - HOSTS_LISTED_MAX;
    lines.add(
        "unused hosts  "
            + (unused.isEmpty()
                ? "none"
                : String.join(", ", unused.subList(0, Math.min(unused.size(), HOSTS_LISTED_MAX))))
            + (more > 0 ? " and " + more + " more" : ""));
    return lines;
  }

  static List<String> compared(Answer here, Answer there, String change) {
    List<String> lines = new ArrayList<>();
    Plan one = here.plan();
    Plan two = there.plan();
    lines.add("what if       " + change);
    if (one == null || two == null) {
      lines.add(
          "as it is      " + (one == null ? here.verdict() : seconds(one.bottleneckSeconds())));
      lines.add(
          "then          " + (two == null ? there.verdict() : seconds(two.bottleneckSeconds())));
      return lines;
    }
    lines.add(pair("bottleneck, s", one.bottleneckSeconds(), two.bottleneckSeconds()));
    lines.add(
        pair(
            "samples/s",
            Answer.samplesPerSecond(one, here.batchSize()),
            Answer.samplesPerSecond(two, there.batchSize())));
    lines.add(pair("latency, s", one.latencySeconds(), two.latencySeconds()));
    lines.add(
        String.format(
            Locale.ROOT, "%-14s%12d -> %12d", "hosts", one.stages().size(), two.stages().size()));
    lines.add("proof         " + here.verdict() + " -> " + there.verdict());
    YamlList.of(there.problem(), two).lines().forEach(lines::add);
    return lines;
  }

  private static String pair(String name, double one, double two) {
    return String.format(
        Locale.ROOT, "%-14s%12.6f -> %12.6f  (%+.1f %%)", name, one, two, 100 * (two / one - 1));
  }

  private static String bar(char filled, double seconds, Plan plan) {
    double share = plan.bottleneckSeconds() == 0 ? 0 : seconds / plan.bottleneckSeconds();
    int cells = Double.isNaN(share) ? BAR : (int) (BAR * Math.min(1, share) + 1e-9);
    return String.valueOf(filled).repeat(cells)
        + ".".repeat(BAR - cells)
        + String.format(Locale.ROOT, " %.4f", seconds);
  }

  private static String seconds(double seconds) {
    return String.format(Locale.ROOT, "%.6f s", seconds);
  }

  /** A plan as a list of YAML: a line for each stage, {@code - host: [first, last]}. */
  static final class YamlList {
    /** Names that YAML takes as they are, unless they are one of its words. */
    private static final Pattern PLAIN =
        Pattern.compile("[A-Za-z_]([A-Za-z0-9_.:/+-]*[A-Za-z0-9_+-])?|[0-9]+(\\.[0-9]+){2,}");

    private static final Set<String> WORDS =
        Set.of("y", "n", "yes", "no", "true", "false", "on", "off", "null");

    private YamlList() {}

    static String of(PlanProblem problem, Plan plan) {
      var text = new StringBuilder();
      for (Plan.PricedStage priced : plan.stages()) {
        Stage stage = priced.stage();
        text.append("- ")
            .append(name(problem.hostOf(stage)))
            .append(": [")
            .append(stage.firstLayer())
            .append(", ")
            .append(stage.lastLayer())
            .append("]\n");
      }
      return text.toString();
    }

    /** A name that YAML reads as just that text. */
    static String name(String host) {
      if (PLAIN.matcher(host).matches() && !WORDS.contains(host.toLowerCase(Locale.ROOT))) {
        return host;
      }
      if (host.chars().noneMatch(Character::isISOControl)) {
        return "'" + host.replace("'", "''") + "'";
      }
      return QuotedText.of(host);
    }
  }
}
