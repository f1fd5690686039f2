package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.Threshold;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Schema;
import dev.sluice.contract.file.Section;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The key {@code thresholds}: bounds on figures. */
final class ThresholdReader {
  private static final Pattern BOUND =
      Pattern.compile("(<=|>=|<|>)\\s*(" + Numbers.DECIMAL.pattern() + ")");

  /** Beginning of figures that each class has too. */
  static final String OF_ALL = "all_";

  private final Problems problems;
  private final Vocabulary vocabulary;

  ThresholdReader(Problems problems, Vocabulary vocabulary) {
    this.problems = problems;
    this.vocabulary = vocabulary;
  }

  Map<String, Threshold> read(Section section, List<JobClass> classes) {
    Set<String> figures = figures(classes);
    declare(section.schema());
    Map<String, Threshold> thresholds = new LinkedHashMap<>();
    for (String figure : section.keys()) {
      String written = section.textOrNull(figure);
      if (!figures.contains(figure)) {
        problems.error(
            section.place(figure),
            "thresholds (" + figure + ") is not a figure",
            NearestName.advice(figure, figures, "figures"));
      } else if (written != null) {
        Matcher bound = BOUND.matcher(written);
        double value = bound.matches() ? Double.parseDouble(bound.group(2)) : Double.NaN;
        if (Double.isFinite(value)) {
          thresholds.put(figure, new Threshold(bound.group(1), value));
        } else if (bound.matches()) {
          problems.error(
              section.place(figure),
              "thresholds." + figure + " (" + written + ") is beyond all numbers",
              "the bound has a digit too many in its exponent");
        } else {
          problems.error(
              section.place(figure),
              "thresholds." + figure + " (" + written + ") is not a bound",
              "you meant \"< 100\"; <=, > and >= work as well");
        }
      }
    }
    return thresholds;
  }

  private Set<String> figures(List<JobClass> classes) {
    Set<String> figures = new TreeSet<>(vocabulary.figures());
    for (String figure : vocabulary.figures()) {
      if (figure.startsWith(OF_ALL)) {
        classes.forEach(c -> figures.add(c.name() + "_" + figure.substring(OF_ALL.length())));
      }
    }
    return figures;
  }

  private void declare(Schema schema) {
    vocabulary.figures().forEach(figure -> schema.quoted(figure, BOUND));
    String ofClasses =
        vocabulary.figures().stream()
            .filter(figure -> figure.startsWith(OF_ALL))
            .map(figure -> figure.substring(OF_ALL.length()))
            .collect(Collectors.joining("|"));
    schema.quoted(Pattern.compile(ClassReader.NAME.pattern() + "_(" + ofClasses + ")"), BOUND);
  }
}
