package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.Threshold;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Schema;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.Value;
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
  private static final String OF_ALL = "all_";

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
      Value value = section.find(figure);
      String written = value == null ? null : section.textOf("thresholds." + figure, value);
      if (!figures.contains(figure)) {
        problems.error(
            section.place(figure),
            "thresholds (" + figure + ") names no figure",
            NearestName.advice(figure, figures, "figures"));
      } else if (written != null) {
        Matcher bound = BOUND.matcher(written);
        if (bound.matches()) {
          thresholds.put(figure, new Threshold(bound.group(1), Double.parseDouble(bound.group(2))));
        } else {
          problems.error(
              section.place(figure),
              "thresholds." + figure + " (" + written + ") is no bound",
              "you meant \"< 100\"; <=, > and >= are known as well");
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
