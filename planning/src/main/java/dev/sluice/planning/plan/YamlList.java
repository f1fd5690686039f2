package dev.sluice.planning.plan;

import dev.sluice.contract.file.QuotedText;
import dev.sluice.planning.split.Plan;
import dev.sluice.planning.split.PlanProblem;
import dev.sluice.planning.split.Stage;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** A plan as a list of YAML: a line for each stage, {@code - host: [first, last]}. */
final class YamlList {
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
