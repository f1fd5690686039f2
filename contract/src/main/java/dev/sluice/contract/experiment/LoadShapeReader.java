package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.LoadShape.Diurnal;
import dev.sluice.contract.experiment.LoadShape.Rates;
import dev.sluice.contract.experiment.LoadShape.Step;
import dev.sluice.contract.experiment.LoadShape.Steps;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Mapping;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The key {@code load}: the shape of the rate over time. */
final class LoadShapeReader {
  private static final String DIURNAL = "diurnal";
  private static final String STEPS = "steps";
  private static final String RATES = "rates";
  private static final Range FACTOR = Range.within(0, 1000);

  private final Problems problems;

  LoadShapeReader(Problems problems) {
    this.problems = problems;
  }

  LoadShape read(Section top) {
    Section section = top.section("load");
    Diurnal diurnal = diurnal(section.section(DIURNAL), section.has(DIURNAL));
    List<Step> steps = section.list(STEPS, List.of(), true, value -> step(section, value));
    String rates = section.textOrNull(RATES);
    section.end();
    List<String> given = List.of(DIURNAL, STEPS, RATES).stream().filter(section::has).toList();
    if (given.size() > 1) {
      problems.error(
          section.place(given.get(1)),
          "load has " + String.join(" and ", given) + ", and a rate has one shape",
          "one of them should be removed");
    } else if (top.has("load") && given.isEmpty() && section.keys().isEmpty()) {
      problems.error(
          top.place("load"),
          "load has no shape",
          "you meant load: {diurnal: {period_seconds: 60, depth: 0.5}}");
    }
    checkOrder(section, steps);
    if (section.has(DIURNAL)) {
      return diurnal;
    }
    return rates != null ? new Rates(rates) : steps.isEmpty() ? LoadShape.even() : new Steps(steps);
  }

  private static Diurnal diurnal(Section section, boolean given) {
    Range period = Range.within(0.001, Ranges.SECONDS_MAX);
    Range depth = Range.within(0, 1);
    var read =
        given
            ? new Diurnal(
                section.required("period_seconds", period, "60"),
                section.required("depth", depth, "0.5"))
            : new Diurnal(1, 0);
    section.end();
    return read;
  }

  private @Nullable Step step(Section load, Value value) {
    if (!(value instanceof Mapping mapping)) {
      problems.error(
          value.place(),
          "an entry of load.steps must be a mapping",
          "you meant {at_seconds: 60, factor: 1.5}");
      return null;
    }
    var section = load.item(STEPS, mapping);
    var read =
        new Step(
            section.required("at_seconds", Ranges.SECONDS, "60"),
            section.required("factor", FACTOR, "1.5"),
            section.number("over_seconds", 0, Ranges.SECONDS));
    section.end();
    return read;
  }

  private void checkOrder(Section section, List<Step> steps) {
    for (int i = 1; i < steps.size(); i++) {
      double endsAtSeconds = steps.get(i - 1).atSeconds() + steps.get(i - 1).overSeconds();
      if (steps.get(i).atSeconds() < endsAtSeconds) {
        problems.error(
            section.place(STEPS),
            "load.steps (at_seconds "
                + Numbers.text(steps.get(i).atSeconds())
                + ") begins before the change above it ends, at "
                + Numbers.text(endsAtSeconds),
            "the entries should be ordered by time, each after the end of the one before");
      }
    }
  }
}
