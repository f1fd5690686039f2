package dev.sluice.contract.experiment;

import dev.sluice.contract.experiment.Replay.Source;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.Value.Mapping;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The key {@code arrivals}: the name of a process, or a mapping with {@code process} and the keys
 * of that process.
 */
final class ArrivalsReader {
  private static final String KEY = "arrivals";
  private static final String PROCESS = "process";
  private static final String DEFAULT = "poisson";

  private final Problems problems;
  private final Map<String, ArrivalKeys> processes;

  ArrivalsReader(Problems problems, Vocabulary vocabulary) {
    this.problems = problems;
    this.processes = vocabulary.arrivals();
  }

  /** The names of all processes: those that draw, and those that read a file. */
  static List<String> names(Map<String, ArrivalKeys> drawn) {
    return Stream.concat(
            drawn.keySet().stream(), Stream.of(Source.values()).map(ReplayReader::process))
        .sorted()
        .toList();
  }

  Arrivals read(Section top) {
    Collection<String> names = names(processes);
    if (!(top.find(KEY) instanceof Mapping)) {
      return byName(top, top.oneOf(KEY, DEFAULT, names, KEY));
    }
    Section section = top.section(KEY);
    section.schema().require(PROCESS);
    if (!section.has(PROCESS)) {
      problems.error(
          top.place(KEY),
          "arrivals.process is missing",
          "a line should be added: process: " + DEFAULT);
    }
    String process = section.oneOf(PROCESS, "", names, KEY);
    if (process.isEmpty()) {
      return Arrivals.POISSON; // of an unknown process no key can be told from a wrong one
    }
    Arrivals arrivals =
        ReplayReader.source(process)
            .<Arrivals>map(
                source -> new Arrivals.Replayed(ReplayReader.read(section, problems, source)))
            .orElseGet(() -> drawn(section, process));
    section.end();
    return arrivals;
  }

  private Arrivals byName(Section top, String process) {
    if (ReplayReader.source(process).isPresent()) {
      problems.error(
          top.place(KEY),
          "arrivals (" + process + ") needs a file",
          "you meant arrivals: {process: " + process + ", file: FILE}");
      return Arrivals.POISSON;
    }
    var keys = processes.getOrDefault(process, ArrivalKeys.NONE).keys();
    if (!keys.isEmpty()) {
      problems.error(
          top.place(KEY),
          "arrivals ("
              + process
              + ") needs "
              + keys.stream().map(ArrivalKeys.Key::name).collect(Collectors.joining(", ")),
          "you meant arrivals: {process: "
              + process
              + keys.stream()
                  .map(key -> ", " + key.name() + ": " + Numbers.text(key.example()))
                  .collect(Collectors.joining())
              + "}");
    }
    return Arrivals.drawn(process);
  }

  private Arrivals drawn(Section section, String process) {
    var keys = processes.getOrDefault(process, ArrivalKeys.NONE);
    Map<String, Double> settings = new LinkedHashMap<>();
    for (ArrivalKeys.Key key : keys.keys()) {
      String example = Numbers.text(key.example());
      double value =
          section.number(
              key.name(), Double.NaN, key.range(), "you meant a number such as " + example);
      if (!section.has(key.name())) {
        problems.error(
            section.place(key.name()),
            section.name(key.name()) + " is missing",
            "a line should be added: " + key.name() + ": " + example);
      }
      settings.put(key.name(), value);
    }
    if (settings.values().stream().noneMatch(value -> value.isNaN())) {
      keys.rule()
          .apply(settings)
          .ifPresent(m -> problems.error(section.place(m.key()), m.what(), m.maybe()));
    }
    return new Arrivals.Drawn(process, settings);
  }
}
