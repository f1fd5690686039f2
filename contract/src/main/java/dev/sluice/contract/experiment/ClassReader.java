package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The key {@code classes}: the classes of jobs and their latency promises. */
final class ClassReader {
  static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}_-]{1,50}");

  /** Names that begin figures of their own, which a class's figures must not meet. */
  private static final List<String> RESERVED =
      List.of("all", "overall", "hop", "bubble", "prediction", "emulation");

  private final Problems problems;

  private final Vocabulary vocabulary;

  ClassReader(Problems problems, Vocabulary vocabulary) {
    this.problems = problems;
    this.vocabulary = vocabulary;
  }

  /**
   * The two default classes, with the keys that the file gives them; or, if the file names any
   * other class, exactly the classes that it names.
   */
  List<JobClass> read(Section section) {
    var defaults =
        List.of(
            new JobClass("interactive", 100, 1, true, false),
            new JobClass("batch", 1000, 5, false, true));
    List<String> defaultNames = defaults.stream().map(JobClass::name).toList();
    boolean own = !defaultNames.containsAll(section.keys());
    List<JobClass> classes = new ArrayList<>();
    for (String name : own ? section.keys() : defaultNames) {
      Place place = section.place(name);
      if (!NAME.matcher(name).matches() || RESERVED.contains(name)) {
        problems.error(
            place,
            "classes." + name + " is not a valid name for a class",
            "the name should have letters, digits, underscores and hyphens, and be none of "
                + String.join(", ", RESERVED));
      }
      classes.add(
          jobClass(
              defaultNames.contains(name)
                  ? section.section(name)
                  : section.chosen(name, NAME, RESERVED),
              name,
              defaults.stream().filter(d -> d.name().equals(name)).findFirst().orElse(null)));
    }
    refuseSharedFigures(section, classes);
    return classes;
  }

  /** Refuses names by which a figure of one class would be a figure of another, or of the run. */
  private void refuseSharedFigures(Section section, List<JobClass> classes) {
    Map<String, String> owners = new HashMap<>();
    vocabulary.figures().stream()
        .filter(figure -> !figure.startsWith(ThresholdReader.OF_ALL))
        .forEach(figure -> owners.put(figure, "the whole run"));
    for (JobClass one : classes) {
      for (String figure : vocabulary.figures()) {
        if (figure.startsWith(ThresholdReader.OF_ALL)) {
          String own = one.name() + "_" + figure.substring(ThresholdReader.OF_ALL.length());
          String owner = owners.putIfAbsent(own, "classes." + one.name());
          if (owner != null) {
            problems.error(
                section.place(one.name()),
                "classes."
                    + one.name()
                    + " would have the figure "
                    + own
                    + ", as "
                    + owner
                    + " has",
                "another name was meant, such as " + one.name().replace('_', '-'));
            break;
          }
        }
      }
    }
  }

  private JobClass jobClass(Section section, String name, @Nullable JobClass fallback) {
    Double sloScale = section.numberOrNone("slo_scale", Range.within(0.001, 1e6));
    boolean interactive = section.flag("interactive", fallback != null && fallback.interactive());
    var read =
        new JobClass(
            name,
            sloMs(section, fallback, sloScale),
            sloScale,
            section.whole("priority", fallback == null ? 5 : fallback.priority(), 0, 1_000_000),
            interactive,
            section.flag("microbatch", fallback == null ? !interactive : fallback.microbatch()));
    section.end();
    return read;
  }

  private @Nullable Double sloMs(
      Section section, @Nullable JobClass fallback, @Nullable Double sloScale) {
    Range slo = Range.within(0.001, Ranges.MS_MAX);
    boolean given = section.has("slo_ms");
    double sloMs =
        fallback != null && fallback.sloMs() != null
            ? section.number("slo_ms", fallback.sloMs(), slo)
            : sloScale == null
                ? section.required("slo_ms", slo, "100")
                : section.number("slo_ms", Double.NaN, slo, "you meant a number such as 100");
    if (sloScale != null && !given) {
      return null;
    }
    if (sloScale == null) {
      return sloMs;
    }
    problems.error(
        section.place("slo_scale"),
        section.name("slo_scale")
            + " ("
            + Numbers.text(sloScale)
            + ") is given beside slo_ms ("
            + Numbers.text(sloMs)
            + "): a class has only one of them",
        "one of the two should be removed");
    return null;
  }
}
