package dev.sluice.contract.experiment;

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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The keys below {@code arrivals} of a file that is replayed. */
public final class ReplayReader {
  private static final Range SECONDS = Range.within(0, 1e9);
  private static final Pattern MAPPED = Pattern.compile("([a-z_]+):(.+)=([^=]+)");
  private static final Pattern DROPPED = Pattern.compile("([a-z_]+):(.+)");

  private static final String FORM_MAP = "ATTRIBUTE:RECORDED=HERE";
  private static final String FORM_DROP = "ATTRIBUTE:RECORDED";

  private final Section section;
  private final Problems problems;

  private ReplayReader(Section section, Problems problems) {
    this.section = section;
    this.problems = problems;
  }

  /** Returns the process of a name; empty if it replays no file. */
  public static Optional<Source> source(String process) {
    return switch (process) {
      case "replay" -> Optional.of(Source.REPLAY);
      case "trace" -> Optional.of(Source.TRACE);
      default -> Optional.empty();
    };
  }

  /** Returns the process as a file writes it. */
  public static String process(Source source) {
    return source.name().toLowerCase(Locale.ROOT);
  }

  /** Reads the section of {@code arrivals}, except its key {@code process}. */
  public static Replay read(Section section, Problems problems, Source source) {
    return new ReplayReader(section, problems).read(source);
  }

  private Replay read(Source source) {
    boolean trace = source == Source.TRACE;
    String file = section.text("file", "");
    if (file.isEmpty() && !section.has("file")) {
      problems.error(
          section.place("file"),
          section.name("file") + " is missing",
          "a line should be added: file: "
              + (trace ? "monday.csv" : "../results/quickstart/log.jsonl.gz"));
    }
    return new Replay(
        source,
        file,
        !trace && section.flag("salvage", false),
        scale(trace),
        new Names(
            pairs("map", MAPPED, "workload:mobile=vit_tiny", this::mapped),
            pairs("drop", DROPPED, "class:test", this::dropped),
            section
                .oneOf("slo", "recorded", List.of("recorded", "config"), "promises")
                .equals("config")),
        trace ? columns() : Map.of(),
        trace && section.flag("spread", false));
  }

  private Scale scale(boolean trace) {
    double speed =
        section.number("speed", 1, Range.within(1e-6, 1e9), "you meant 2, for twice as fast");
    Double rate = trace ? section.numberOrNull("rate", Range.within(1e-6, 1e6)) : null;
    if (rate != null && section.has("speed")) {
      problems.error(
          section.place("rate"),
          section.name("rate") + " is given beside speed, and each of them says how fast to play",
          "one of the two should be removed");
    }
    double from = section.number("from", 0, SECONDS);
    Double to = section.numberOrNull("to", Range.within(1e-6, 1e9));
    if (to != null && to <= from) {
      problems.error(
          section.place("to"),
          "%s (%s) is not after from (%s)"
              .formatted(section.name("to"), Numbers.text(to), Numbers.text(from)),
          "both are seconds of the recording");
    }
    return new Scale(speed, rate, from, to);
  }

  private Map<String, Column> columns() {
    Map<String, Column> columns = new LinkedHashMap<>();
    Section below = section.section("columns");
    for (String attribute : Replay.ATTRIBUTES) {
      Value value = below.find(attribute);
      String text = value instanceof Mapping ? null : below.textOrNull(attribute);
      if (value instanceof Mapping || value == null) {
        Section of = below.section(attribute);
        String from = value == null ? of.textOrNull("from") : of.requiredText("from", "func");
        boolean stripe = of.flag("stripe", false);
        if (stripe && !Replay.NAMED.contains(attribute)) {
          problems.error(
              of.place("stripe"),
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
      String key, Pattern form, String example, Function<Matcher, @Nullable T> read) {
    return new ArrayList<>(
        section.list(
            key,
            List.of(),
            false,
            value -> {
              String text = value instanceof Scalar s ? s.text() : Section.written(value);
              Matcher matcher = form.matcher(text);
              if (!matcher.matches()) {
                problems.error(
                    value.place(),
                    "%s (%s) is not of the form %s"
                        .formatted(section.name(key), text, form == MAPPED ? FORM_MAP : FORM_DROP),
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
            }));
  }

  private Mapped mapped(Matcher matcher) {
    return new Mapped(matcher.group(1), matcher.group(2), matcher.group(3));
  }

  private Dropped dropped(Matcher matcher) {
    return new Dropped(matcher.group(1), matcher.group(2));
  }
}
