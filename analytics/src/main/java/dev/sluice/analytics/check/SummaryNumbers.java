package dev.sluice.analytics.check;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/** What summary.json says of its own figures and of the run as a whole. */
final class SummaryNumbers extends Numbers {
  SummaryNumbers(RunFolder folder) {
    super(folder);
  }

  @Override
  void check() {
    thresholds();
    interruption();
  }

  /** A threshold's value is the figure that it names. */
  private void thresholds() {
    for (Map.Entry<String, JsonNode> threshold : folder.summary().path("thresholds").properties()) {
      String name = threshold.getKey();
      String figure = folder.summary().has(name) ? name : name.replace('.', '/');
      equal("thresholds/" + escaped(name) + "/value", statedNumber(figure));
    }
  }

  /** An interruption shortens the window: a run that says so may not pass for comparable. */
  private void interruption() {
    boolean said = false;
    for (JsonNode reason : folder.summary().path("not_comparable")) {
      said |= reason.asText().equals("interrupted");
    }
    if (folder.wasInterrupted() && !said) {
      differs("not_comparable", "it lacks (interrupted), which the run was");
    }
  }
}
