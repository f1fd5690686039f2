package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The key {@code classes}: the classes of jobs and their latency promises. */
final class ClassReader {
  static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}_-]{1,50}");

  /** Names that begin figures of their own, which a class's figures must not meet. */
  private static final List<String> RESERVED =
      List.of("all", "overall", "hop", "bubble", "prediction", "emulation");

  private final Problems problems;

  ClassReader(Problems problems) {
    this.problems = problems;
  }

  /**
   * The two default classes with what the file says of them; or, once it names another class, those
   * that it names.
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
            "classes." + name + " is no name for a class",
            "letters, digits, underscore and hyphen will do, but none of "
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
    return classes;
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
                : section.number("slo_ms", Double.NaN, slo, "a number such as 100 will do");
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
            + ") stands beside slo_ms ("
            + Numbers.text(sloMs)
            + "): a class promises one of them",
        "one of the two should be removed");
    return null;
  }
}
