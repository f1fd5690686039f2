package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Experiment.Load;
import dev.sluice.contract.experiment.Experiment.Scenario;
import dev.sluice.contract.experiment.LoadShape.Diurnal;
import dev.sluice.contract.experiment.LoadShape.Rates;
import dev.sluice.contract.experiment.LoadShape.Step;
import dev.sluice.contract.experiment.LoadShape.Steps;
import dev.sluice.contract.experiment.Replay.Column;
import dev.sluice.contract.experiment.Replay.Dropped;
import dev.sluice.contract.experiment.Replay.Mapped;
import dev.sluice.contract.experiment.Replay.Names;
import dev.sluice.contract.experiment.Replay.Scale;
import dev.sluice.contract.experiment.Replay.Source;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Scalar;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The keys of the load, which stand at the top of the file, and those below {@code arrivals} and
 * {@code load}.
 */
record LoadReader(Problems problems, Map<String, ArrivalKeys> processes) {
  private static final String DEFAULT_PROCESS = "poisson";
  private static final Range RATES = Range.within(1e-6, 1e6);
  private static final Range RECORDED_SECONDS = Range.within(0, 1e9);
  private static final Pattern MAPPED = Pattern.compile("([a-z_]+):(.+)=([^=]+)");
  private static final Pattern DROPPED = Pattern.compile("([a-z_]+):(.+)");
  private static final String NO_EFFECT_ADVICE =
      "the line should be left out, or scenario: server is meant";

  Load read(Section top) {
    Arrivals arrivals = arrivals(top);
    Double offered = top.numberOrNull(ExperimentFile.OFFERED_LOAD, Range.within(0.001, 100));
    var read =
        new Load(
            top.required("duration_seconds", Range.within(0.001, Ranges.SECONDS_MAX), "60"),
            top.number("warmup_seconds", 0, Ranges.SECONDS),
            top.number("tail_seconds", 30, Ranges.SECONDS),
            rate(top, offered, arrivals),
            arrivals,
            shape(top),
            Scenario.of(top.oneOf("scenario", Scenario.SERVER.key(), Scenario.keys(), "scenarios")),
            top.whole("generators", 1, 1, 1000),
            offered);
    checkScenario(top, read);
    checkWarmUp(top, read);
    checkNumberOfJobs(top, read);
    return read;
  }

  /** The rate; NaN: it is still to be found, or a file says when requests come. */
  private static double rate(Section top, @Nullable Double offered, Arrivals arrivals) {
    String key = ExperimentFile.RATE;
    double rate = top.number(key, Double.NaN, RATES, "you meant a number such as 10");
    if (offered == null && !(arrivals instanceof Replay) && !top.has(key)) {
      top.missing(key, "10, or offered_load: 0.5");
    } else if (offered != null && top.has(key)) {
      top.error(
          ExperimentFile.OFFERED_LOAD,
          "offered_load (%s) and arrival_rate_jobs_per_sec both say how many jobs arrive"
              .formatted(Numbers.text(offered)),
          "one of the two lines should be left out");
    }
    return rate;
  }

  private static void checkScenario(Section top, Load load) {
    if (load.scenario() == Scenario.SERVER) {
      return;
    }
    String scenario = "scenario (" + load.scenario().key() + ")";
    if (!load.arrivals().equals(Arrivals.POISSON)) {
      top.error(
          "arrivals",
          "arrivals (%s) has no effect under %s".formatted(load.arrivals().words(), scenario),
          NO_EFFECT_ADVICE);
    }
    if (!load.shape().equals(LoadShape.even())) {
      top.error(
          "load",
          "load (%s) has no effect under %s".formatted(load.shape().name(), scenario),
          NO_EFFECT_ADVICE);
    }
    if (load.offeredLoad() != null) {
      top.error(
          ExperimentFile.OFFERED_LOAD,
          "offered_load (%s) has no meaning under %s: its jobs do not arrive over time"
              .formatted(Numbers.text(load.offeredLoad()), scenario),
          "arrival_rate_jobs_per_sec is meant, whose product with duration_seconds is the number of"
              + " jobs");
    }
    if (load.scenario() == Scenario.OFFLINE && load.warmupSeconds() > 0) {
      top.error(
          "warmup_seconds",
          "warmup_seconds (%s) must be 0 under %s: all jobs arrive at time zero, and none would be measured"
              .formatted(Numbers.text(load.warmupSeconds()), scenario),
          "the line should be left out, for its default, 0");
    }
    if (load.scenario() == Scenario.SINGLE_STREAM && load.generators() > 1) {
      top.error(
          "generators",
          "generators (%s) must be 1 under %s".formatted(load.generators(), scenario),
          "the line should be left out, for its default, 1");
    }
  }

  private static void checkWarmUp(Section top, Load load) {
    double warmupNs = Math.rint(load.warmupSeconds() * 1e9);
    if (warmupNs >= Math.rint(load.durationSeconds() * 1e9)) {
      top.error(
          top.has("warmup_seconds") ? "warmup_seconds" : "duration_seconds",
          "warmup_seconds (%s) must be less than duration_seconds (%s)%s: nothing would be measured"
              .formatted(
                  Numbers.text(load.warmupSeconds()),
                  Numbers.text(load.durationSeconds()),
                  load.warmupSeconds() < load.durationSeconds() ? " by a nanosecond" : ""),
          "the warm-up should be a tenth of the duration");
    }
  }

  private static void checkNumberOfJobs(Section top, Load load) {
    double jobs = load.askedJobs();
    if (jobs > Ranges.JOBS_MAX) {
      boolean server = load.scenario() == Scenario.SERVER;
      boolean even = load.shape().equals(LoadShape.even());
      top.error(
          ExperimentFile.RATE,
          "arrival_rate_jobs_per_sec × %s%s asks for about %s jobs, more than %s"
              .formatted(
                  server ? "(duration_seconds + tail_seconds)" : "duration_seconds",
                  even ? "" : " under load." + load.shape().name(),
                  Numbers.text(Math.rint(jobs)),
                  Numbers.text(Ranges.JOBS_MAX)),
          "duration_seconds or the rate should be less: the rows of more jobs do not fit in"
              + " memory");
    }
  }

  private LoadShape shape(Section top) {
    Section section = top.section("load");
    Diurnal diurnal = diurnal(section.section("diurnal"), section.has("diurnal"));
    List<Step> steps = steps(section, "steps", Range.within(0, 1000), problems);
    String rates = section.textOrNull("rates");
    section.end();
    List<String> given = Stream.of("diurnal", "steps", "rates").filter(section::has).toList();
    if (given.size() > 1) {
      section.error(
          given.get(1),
          "load has " + String.join(" and ", given) + ", and a rate has one shape",
          "one of them should be removed");
    } else if (top.has("load") && section.keys().isEmpty()) {
      top.error(
          "load",
          "load has no shape",
          "you meant load: {diurnal: {period_seconds: 60, depth: 0.5}}");
    }
    if (section.has("diurnal")) {
      return diurnal;
    }
    return rates != null ? new Rates(rates) : steps.isEmpty() ? LoadShape.even() : new Steps(steps);
  }

  private static Diurnal diurnal(Section section, boolean given) {
    var read =
        given
            ? new Diurnal(
                section.required("period_seconds", Range.within(0.001, Ranges.SECONDS_MAX), "60"),
                section.required("depth", Range.within(0, 1), "0.5"))
            : new Diurnal(1, 0);
    section.end();
    return read;
  }

  /** The list under a key of changes by time, apart. */
  static List<Step> steps(Section section, String key, Range factor, Problems problems) {
    List<Step> steps =
        section.list(
            key,
            List.of(),
            true,
            value -> {
              if (!(value instanceof Mapping mapping)) {
                problems.error(
                    value.place(),
                    "an entry of " + section.name(key) + " must be a mapping",
                    "you meant {at_seconds: 60, factor: 1.5}");
                return null;
              }
              Section entry = section.item(key, mapping);
              var step =
                  new Step(
                      entry.required("at_seconds", Ranges.SECONDS, "60"),
                      entry.required("factor", factor, "1.5"),
                      entry.number("over_seconds", 0, Ranges.SECONDS));
              entry.end();
              return step;
            });
    for (int i = 1; i < steps.size(); i++) {
      double endsAtSeconds = steps.get(i - 1).atSeconds() + steps.get(i - 1).overSeconds();
      if (steps.get(i).atSeconds() < endsAtSeconds) {
        section.error(
            key,
            "%s (at_seconds %s) begins before the change above it ends, at %s"
                .formatted(
                    section.name(key),
                    Numbers.text(steps.get(i).atSeconds()),
                    Numbers.text(endsAtSeconds)),
            "the entries should be ordered by time, each after the end of the one before");
      }
    }
    return steps;
  }

  /** The names of all processes: those that draw, and those that read a file. */
  static List<String> processes(Map<String, ArrivalKeys> drawn) {
    return Stream.concat(drawn.keySet().stream(), Stream.of(Source.values()).map(Source::key))
        .sorted()
        .toList();
  }

  /** The name of a process, or a mapping with {@code process} and the keys of that process. */
  private Arrivals arrivals(Section top) {
    List<String> names = processes(processes);
    if (!(top.find("arrivals") instanceof Mapping)) {
      return byName(top, top.oneOf("arrivals", DEFAULT_PROCESS, names, "arrivals"));
    }
    Section section = top.section("arrivals");
    if (!section.has("process")) {
      top.error(
          "arrivals",
          "arrivals.process is missing",
          "a line should be added: process: " + DEFAULT_PROCESS);
    }
    String process = section.oneOf("process", "", names, "arrivals");
    if (process.isEmpty()) {
      return Arrivals.POISSON; // of an unknown process no key can be told from a wrong one
    }
    Arrivals arrivals =
        Source.of(process)
            .<Arrivals>map(source -> replay(section, source))
            .orElseGet(() -> drawn(section, process));
    section.end();
    return arrivals;
  }

  private Arrivals byName(Section top, String process) {
    List<ArrivalKeys.Key> keys = keysOf(process).keys();
    if (Source.of(process).isPresent()) {
      top.error(
          "arrivals",
          "arrivals (" + process + ") needs a file",
          "you meant arrivals: {process: " + process + ", file: FILE}");
      return Arrivals.POISSON;
    }
    if (!keys.isEmpty()) {
      top.error(
          "arrivals",
          keys.stream()
              .map(ArrivalKeys.Key::name)
              .collect(Collectors.joining(", ", "arrivals (" + process + ") needs ", "")),
          keys.stream()
              .map(key -> ", " + key.name() + ": " + Numbers.text(key.example()))
              .collect(Collectors.joining("", "you meant arrivals: {process: " + process, "}")));
    }
    return Arrivals.drawn(process);
  }

  private ArrivalKeys keysOf(String process) {
    return processes.getOrDefault(process, ArrivalKeys.NONE);
  }

  private Arrivals drawn(Section section, String process) {
    ArrivalKeys keys = keysOf(process);
    Map<String, Double> settings = new LinkedHashMap<>();
    for (ArrivalKeys.Key key : keys.keys()) {
      String name = key.name();
      String example = Numbers.text(key.example());
      settings.put(
          name,
          section.number(name, Double.NaN, key.range(), "you meant a number such as " + example));
      if (!section.has(name)) {
        section.missing(name, example);
      }
    }
    if (settings.values().stream().noneMatch(value -> value.isNaN())) {
      keys.rule().apply(settings).ifPresent(m -> section.error(m.key(), m.what(), m.maybe()));
    }
    return new Arrivals.Drawn(process, settings);
  }

  private Replay replay(Section section, Source source) {
    boolean trace = source == Source.TRACE;
    String file = section.text("file", "");
    if (file.isEmpty() && !section.has("file")) {
      section.missing("file", trace ? "monday.csv" : "../results/quickstart/log.jsonl.gz");
    }
    return new Replay(
        source,
        file,
        !trace && section.flag("salvage", false),
        scale(section, trace),
        new Names(
            pairs(
                section,
                "map",
                MAPPED,
                "ATTRIBUTE:RECORDED=HERE",
                "workload:mobile=vit_tiny",
                m -> new Mapped(m.group(1), m.group(2), m.group(3))),
            pairs(
                section,
                "drop",
                DROPPED,
                "ATTRIBUTE:RECORDED",
                "class:test",
                m -> new Dropped(m.group(1), m.group(2))),
            section
                .oneOf("slo", "recorded", List.of("recorded", "config"), "promises")
                .equals("config")),
        trace ? columns(section.section("columns")) : Map.of(),
        trace && section.flag("spread", false));
  }

  private static Scale scale(Section section, boolean trace) {
    double speed =
        section.number("speed", 1, Range.within(1e-6, 1e9), "you meant 2, for twice as fast");
    Double rate = trace ? section.numberOrNull("rate", RATES) : null;
    if (rate != null && section.has("speed")) {
      section.error(
          "rate",
          section.name("rate") + " is given beside speed, and each of them says how fast to play",
          "one of the two should be removed");
    }
    double from = section.number("from", 0, RECORDED_SECONDS);
    Double to = section.numberOrNull("to", Range.within(1e-6, 1e9));
    if (to != null && to <= from) {
      section.error(
          "to",
          "%s (%s) is not after from (%s)"
              .formatted(section.name("to"), Numbers.text(to), Numbers.text(from)),
          "both are seconds of the recording");
    }
    return new Scale(speed, rate, from, to);
  }

  private static Map<String, Column> columns(Section below) {
    Map<String, Column> columns = new LinkedHashMap<>();
    for (String attribute : Replay.ATTRIBUTES) {
      Value value = below.find(attribute);
      String text = value instanceof Mapping ? null : below.textOrNull(attribute);
      if (value instanceof Mapping || value == null) {
        Section of = below.section(attribute);
        String from = value == null ? of.textOrNull("from") : of.requiredText("from", "func");
        boolean stripe = of.flag("stripe", false);
        if (stripe && !Replay.NAMED.contains(attribute)) {
          of.error(
              "stripe",
              of.name("stripe") + " deals out names, and " + attribute + " is a number",
              "you meant one of " + String.join(", ", Replay.NAMED));
        }
        of.end();
        if (value != null && from != null) {
          columns.put(attribute, new Column(from, stripe));
        }
      } else if (text != null) {
        columns.put(attribute, new Column(text, false));
      }
    }
    below.end();
    return columns;
  }

  private <T> List<T> pairs(
      Section section,
      String key,
      Pattern pattern,
      String form,
      String example,
      Function<Matcher, T> read) {
    return section.list(
        key,
        List.of(),
        false,
        value -> {
          String text = value instanceof Scalar s ? s.text() : Section.written(value);
          Matcher matcher = pattern.matcher(text);
          if (!matcher.matches()) {
            problems.error(
                value.place(),
                "%s (%s) is not of the form %s".formatted(section.name(key), text, form),
                "you meant " + example);
            return null;
          }
          if (!Replay.NAMED.contains(matcher.group(1))) {
            problems.error(
                value.place(),
                "%s (%s) begins with an unknown attribute".formatted(section.name(key), text),
                NearestName.advice(matcher.group(1), Replay.NAMED, "attributes"));
            return null;
          }
          return read.apply(matcher);
        });
  }
}
