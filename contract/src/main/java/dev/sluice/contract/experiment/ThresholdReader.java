package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.Jobs;
import dev.sluice.contract.experiment.Experiment.Threshold;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Entry;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Scalar;
import dev.sluice.contract.file.Written;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The key {@code thresholds}: bounds on figures, each a text, or a mapping of {@code bound} and
 * {@code abort}. A figure of a class and workload is named by its path in summary.json, with dots
 * or as mappings.
 */
final class ThresholdReader {
  static final Pattern BOUND =
      Pattern.compile("(<=|>=|<|>)\\s*(" + Numbers.DECIMAL.pattern() + ")");

  static final String BY_CLASS_WORKLOAD = "by_class_workload";
  static final String BOUND_KEY = "bound";
  static final String ABORT_KEY = "abort";

  private final Problems problems;
  private final Vocabulary vocabulary;
  private final Map<String, Threshold> thresholds = new LinkedHashMap<>();

  ThresholdReader(Problems problems, Vocabulary vocabulary) {
    this.problems = problems;
    this.vocabulary = vocabulary;
  }

  Map<String, Threshold> read(Section section, Jobs jobs) {
    Set<String> figures = figures(jobs);
    section.ignore(BY_CLASS_WORKLOAD);
    for (String key : section.keys()) {
      Value value = section.find(key);
      if (value != null) { // else it is noted that the key has no value
        read(key, value, section.place(key), figures);
      }
    }
    return thresholds;
  }

  /** The bound of one figure, written in whatever form. */
  static @Nullable Threshold parse(String written) {
    Matcher bound = BOUND.matcher(written);
    return bound.matches()
        ? new Threshold(bound.group(1), Double.parseDouble(bound.group(2)))
        : null;
  }

  private void read(String figure, Value value, Place place, Set<String> figures) {
    if (value instanceof Mapping below && isPathTo(figure)) {
      below
          .entries()
          .forEach((key, e) -> read(figure + "." + key, e.value(), e.keyPlace(), figures));
      return;
    }
    if (!figures.contains(figure)) {
      problems.error(
          place,
          "thresholds (" + Written.of(figure) + ") is not a figure",
          NearestName.advice(figure, figures, "figures"));
      return;
    }
    boolean abort = false;
    Value bound = value;
    if (value instanceof Mapping mapping) {
      abort = abort(figure, mapping);
      Entry entry = mapping.entries().get(BOUND_KEY);
      bound = entry == null ? new Scalar(mapping.place(), "", true, true) : entry.value();
    }
    Threshold read = bound(figure, bound);
    if (read != null) {
      thresholds.put(figure, new Threshold(read.comparison(), read.value(), abort));
    }
  }

  /** Whether further names may follow: a class, then a workload, then a figure. */
  private static boolean isPathTo(String name) {
    return name.equals(BY_CLASS_WORKLOAD)
        || (name.startsWith(BY_CLASS_WORKLOAD + ".")
            && name.chars().filter(letter -> letter == '.').count() < 3);
  }

  private boolean abort(String figure, Mapping mapping) {
    boolean abort = false;
    for (Map.Entry<String, Entry> entry : mapping.entries().entrySet()) {
      Value value = entry.getValue().value();
      String written = value instanceof Scalar scalar ? scalar.text() : "a list or a mapping";
      if (entry.getKey().equals(ABORT_KEY)) {
        if (!List.of("true", "false").contains(written)) {
          problems.error(
              value.place(),
              "thresholds." + figure + ".abort (" + Written.of(written) + ") must be true or false",
              "true is meant, to end the run once the bound cannot hold any more");
        }
        abort = written.equals("true");
      } else if (!entry.getKey().equals(BOUND_KEY)) {
        problems.error(
            entry.getValue().keyPlace(),
            "thresholds." + figure + "." + Written.of(entry.getKey()) + " is unknown",
            NearestName.advice(entry.getKey(), List.of(BOUND_KEY, ABORT_KEY), "keys"));
      }
    }
    return abort;
  }

  private @Nullable Threshold bound(String figure, Value value) {
    String written =
        value instanceof Scalar scalar
            ? (scalar.missing() ? "nothing" : scalar.text())
            : "a list or a mapping";
    String named = "thresholds." + figure + " (" + Written.of(written) + ")";
    Threshold bound = value instanceof Scalar s && !s.missing() ? parse(written) : null;
    if (bound == null) {
      problems.error(
          value.place(),
          named + " is not a bound",
          "you meant \"< 100\"; <=, > and >= work as well");
    } else if (!Double.isFinite(bound.value())) {
      problems.error(
          value.place(),
          named + " is beyond all numbers",
          "the bound has a digit too many in its exponent");
      return null;
    }
    return bound;
  }

  private Set<String> figures(Jobs jobs) {
    Set<String> figures = new TreeSet<>(vocabulary.figures());
    for (String own : vocabulary.figuresOfClasses()) {
      for (JobClass one : jobs.classes()) {
        figures.add(one.name() + "_" + own);
        for (WorkloadChoice workload : jobs.workloads()) {
          figures.add(String.join(".", BY_CLASS_WORKLOAD, one.name(), workload.name(), own));
        }
      }
    }
    return figures;
  }
}
