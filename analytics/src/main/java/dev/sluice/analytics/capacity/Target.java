package dev.sluice.analytics.capacity;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.Threshold;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.UserMistakeException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A target that a load may break: an upper bound on a figure of jobs.
 *
 * @param figure name of the figure, without a class
 * @param scopes jobs that the target is of, each of which has to keep it
 */
public record Target(String figure, Threshold bound, List<Scope> scopes) {
  private static final String OPTION = "--target";
  private static final Pattern FORM =
      Pattern.compile("\\s*([^\\s<>=]+)\\s*(<=|>=|<|>)\\s*(" + Numbers.DECIMAL.pattern() + ")\\s*");
  private static final String RATE = "slo_violation_rate";
  private static final List<String> FIGURES =
      List.of(RATE, "p50_e2e_ms", "p95_e2e_ms", "p99_e2e_ms", "avg_e2e_ms", "avg_wait_ms");

  /**
   * Jobs of a class and workload.
   *
   * @param classType empty: of all classes
   * @param workload empty: of all workloads
   */
  public record Scope(String classType, String workload) {
    /** Returns whether jobs of a class and workload are among these. */
    public boolean holds(String ofClass, String ofWorkload) {
      return (classType.isEmpty() || classType.equals(ofClass))
          && (workload.isEmpty() || workload.equals(ofWorkload));
    }

    public String text() {
      return (classType.isEmpty() ? "all" : classType) + (workload.isEmpty() ? "" : "." + workload);
    }
  }

  public Target {
    scopes = List.copyOf(scopes);
  }

  /**
   * Reads a target such as {@code slo_violation_rate < 0.01}. A figure without a class means every
   * class and workload.
   *
   * @throws UserMistakeException if it is no upper bound on such a figure, or always or never holds
   */
  public static Target of(String text, Experiment experiment) throws UserMistakeException {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new UserMistakeException(
          OPTION,
          "the value (" + text + ") is no target",
          "you meant \"slo_violation_rate < 0.01\"");
    }
    String name = matcher.group(1);
    var bound = new Threshold(matcher.group(2), Double.parseDouble(matcher.group(3)));
    for (String figure : FIGURES) {
      List<Scope> scopes = scopes(name, figure, experiment);
      if (!scopes.isEmpty()) {
        check(text, figure, bound);
        return new Target(figure, bound, scopes);
      }
    }
    throw new UserMistakeException(
        OPTION,
        "the figure (" + name + ") is none that a load can break",
        NearestName.advice(name, FIGURES, "figures")
            + "; each may have a class, all or by_class_workload.CLASS.WORKLOAD before it");
  }

  private static void check(String text, String figure, Threshold bound)
      throws UserMistakeException {
    if (!bound.isUpper()) {
      throw new UserMistakeException(
          OPTION,
          "the target (" + text + ") is broken by no load: " + figure + " rises with it",
          "you meant < in place of >");
    }
    if (!bound.holds(0)) {
      throw new UserMistakeException(
          OPTION, "the target (" + text + ") never holds", "a bound above 0 is meant");
    }
    if (bound.value() == 0) {
      throw new UserMistakeException(
          OPTION,
          "the target (" + text + ") is shown to hold by no number of runs",
          "a bound above 0 is meant, such as 0.001");
    }
    if (figure.equals(RATE) && bound.holds(1)) {
      throw new UserMistakeException(
          OPTION,
          "the target (" + text + ") always holds: " + figure + " is never above 1",
          "a share such as 0.01 is meant");
    }
  }

  private static List<Scope> scopes(String name, String figure, Experiment experiment) {
    List<Scope> scopes = new ArrayList<>();
    for (JobClass one : experiment.jobs().classes()) {
      if (name.equals(one.name() + "_" + figure)) {
        return List.of(new Scope(one.name(), ""));
      }
      for (WorkloadChoice workload : experiment.jobs().workloads()) {
        var scope = new Scope(one.name(), workload.name());
        if (name.equals("by_class_workload." + scope.text() + "." + figure)) {
          return List.of(scope);
        }
        scopes.add(scope);
      }
    }
    return name.equals("all_" + figure)
        ? List.of(new Scope("", ""))
        : name.equals(figure) ? scopes : List.of();
  }

  /** True if the target is a bound on the share of jobs that break something. */
  public boolean isShare() {
    return !figure.startsWith("avg_");
  }

  /** Bound on the mean of the series that runs give: on the share of jobs, or on their mean. */
  public double limit() {
    return switch (figure) {
      case "p50_e2e_ms" -> 0.5;
      case "p95_e2e_ms" -> 0.05;
      case "p99_e2e_ms" -> 0.01;
      default -> bound.value();
    };
  }

  /** Time within which a job does not break the target, in ns; null: within its own promise. */
  public @Nullable Long promiseNs() {
    return figure.equals(RATE) ? null : Long.valueOf((long) Math.ceil(bound.value() * 1e6));
  }

  double value(boolean violates, boolean done, double endToEndMs, double waitMs) {
    return switch (figure) {
      case RATE -> violates ? 1 : 0;
      case "avg_e2e_ms" -> endToEndMs;
      case "avg_wait_ms" -> waitMs;
      default -> done && bound.holds(endToEndMs) ? 0 : 1;
    };
  }

  /** The target for people, with the jobs that it is of. */
  public String words() {
    return text()
        + (scopes.size() > 1 ? " in each class and workload" : " of " + scopes.get(0).text());
  }

  public String text() {
    return figure + " " + bound.text();
  }
}
