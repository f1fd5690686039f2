package dev.sluice.sweep.workspace;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.QuotedText;
import dev.sluice.contract.file.Range;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.Tree;
import dev.sluice.contract.file.Tree.Limits;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Scalar;
import dev.sluice.contract.file.Value.Sequence;
import dev.sluice.sweep.workspace.Grid.Axis;
import dev.sluice.sweep.workspace.Grid.Capacity;
import dev.sluice.sweep.workspace.Grid.Group;
import dev.sluice.sweep.workspace.Grid.KeyValue;
import dev.sluice.sweep.workspace.Grid.League;
import dev.sluice.sweep.workspace.Grid.Mode;
import dev.sluice.sweep.workspace.Grid.Named;
import dev.sluice.sweep.workspace.Grid.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the file of a sweep of experiments. */
public final class GridFile {
  /** Most cells of a sweep. */
  public static final int CELLS_MAX = 10_000;

  private static final int SLOTS_MAX = 1024;
  private static final List<String> MODES =
      Stream.of(Mode.values()).map(Mode::key).collect(Collectors.toList());
  private static final List<String> FIGURES_OF_RUNS =
      List.of("all_p99_e2e_ms", "all_goodput_jobs_sec");
  private static final List<String> FIGURES_OF_CAPACITY =
      List.of("capacity_of_bound", "capacity_jobs_sec", "bound_jobs_sec");
  private static final double GOOD_SHARE = 0.99;
  private static final List<Double> SHARES_OF_BOUND = List.of(0.5, 0.9, 1.2);
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_.+/-]+");

  private final Path file;
  private final @Nullable Path otherBase;
  private final Problems problems;
  private final List<Axis> axes = new ArrayList<>();

  private GridFile(Path file, @Nullable Path otherBase) {
    this.file = file;
    this.otherBase = otherBase;
    problems = new Problems(file.toString());
  }

  /**
   * Reads a sweep.
   *
   * @param otherBase the experiment that cells rest on; null: the one that the file names
   * @param simulatedAtOnce slots of a sweep that simulates and names none
   * @throws UserMistakeException with every mistake found; the base is not read
   */
  public static Grid read(Path file, @Nullable Path otherBase, int simulatedAtOnce)
      throws UserMistakeException {
    return new GridFile(file, otherBase).read(simulatedAtOnce);
  }

  private Grid read(int simulatedAtOnce) throws UserMistakeException {
    Value root;
    try (Tree tree = Tree.open(file, "./sluice sweep --help shows a grid's file", Limits.BY_HAND)) {
      root = tree.whole(problems);
    }
    if (!(root instanceof Mapping mapping)) {
      throw new UserMistakeException(
          root == null ? file.toString() : root.place().toString(),
          root == null ? "the file is empty" : "a grid is a mapping of keys to values",
          "it should begin with base: experiment.yaml");
    }
    var top = Section.strict(mapping, problems, new TreeMap<>());
    Path base = base(top);
    Mode mode =
        Mode.valueOf(
            top.oneOf("mode", Mode.SIMULATE.key(), MODES, "modes").toUpperCase(Locale.ROOT));
    int slots = top.whole("slots", mode == Mode.RUN ? 1 : simulatedAtOnce, 1, SLOTS_MAX);
    readAxes(top);
    List<Map<String, String>> excluded = excluded(top);
    String repeatOver = top.textOrNull("repeat_over");
    if (repeatOver != null && Axis.of(axes, repeatOver).isEmpty() && !axes.isEmpty()) {
      noKey(top.place("repeat_over"), "repeat_over", repeatOver);
    }
    List<Named> figures =
        figures(top, mode == Mode.CAPACITY ? FIGURES_OF_CAPACITY : FIGURES_OF_RUNS);
    Capacity capacity = capacity(top, mode);
    League league = league(top, mode, repeatOver);
    top.end();
    var grid =
        new Grid(
            file,
            base,
            top.place("base"),
            mode,
            slots,
            axes,
            excluded,
            repeatOver,
            figures,
            capacity,
            league);
    problems.throwIfAny();
    return grid;
  }

  private Path base(Section top) throws UserMistakeException {
    if (otherBase != null) {
      top.ignore("base");
      if (!Files.exists(otherBase)) {
        throw new UserMistakeException(
            "--base", "the file (" + otherBase + ") does not exist", "another file was meant");
      }
      return otherBase;
    }
    String base = top.requiredText("base", "configs/emulated_accelerator.yaml");
    Path path = file.toAbsolutePath().resolveSibling(base).normalize();
    if (!base.isEmpty() && !Files.exists(path)) {
      problems.error(
          top.place("base"),
          "base (" + base + ") does not exist",
          Files.exists(Path.of(base))
              ? "its path counts from the grid's own folder: " + relative(Path.of(base))
              : "the path counts from the grid's own folder, and another file was meant");
    }
    return path;
  }

  private Path relative(Path fromHere) {
    Path folder = file.toAbsolutePath().normalize().getParent();
    Path target = fromHere.toAbsolutePath().normalize();
    return folder == null ? target : folder.relativize(target);
  }

  private void readAxes(Section top) {
    Section grid = top.section("grid");
    if (!top.has("grid") || grid.keys().isEmpty()) {
      problems.error(
          top.place("grid"),
          "grid names no key to cross",
          "you meant grid: {scheduler_name: [fifo, dynamic]}");
      return;
    }
    for (String key : grid.keys()) {
      List<Setting> values = new ArrayList<>();
      if (grid.find(key) instanceof Mapping named) {
        named.entries().forEach((name, entry) -> addNamed(key, name, entry, values));
        addAxis(key, values);
        continue;
      }
      Set<String> seen = new LinkedHashSet<>();
      Sequence list = grid.sequence(key);
      for (Value item : list == null ? List.<Value>of() : list.items()) {
        String text = text(item, true);
        if (text.isEmpty()) {
          problems.error(
              item.place(), "grid." + key + " has an empty value", "the value was forgotten");
        } else if (!seen.add(text)) {
          problems.error(
              item.place(),
              "grid." + key + " (" + text + ") stands in the list twice",
              "one of the two should be removed");
        } else {
          values.add(new Setting(text, List.of(new KeyValue(key, text, item.place()))));
        }
      }
      if (list != null && list.items().isEmpty()) {
        problems.error(
            list.place(), "grid." + key + " ([]) is an empty list", "the line should be left out");
      }
      addAxis(key, values);
    }
    long cells = 1;
    for (Axis axis : axes) {
      cells = Math.min(Integer.MAX_VALUE, cells * axis.values().size());
    }
    if (cells > CELLS_MAX) {
      problems.error(
          top.place("grid"),
          "grid has more cells than a sweep takes (" + cells + " of " + CELLS_MAX + ")",
          "several sweeps, each of a part, will do");
    }
  }

  private void addAxis(String key, List<Setting> values) {
    if (!values.isEmpty()) {
      axes.add(new Axis(key, values));
    }
  }

  /** Adds a name of several keys with their values. */
  private void addNamed(String axis, String name, Value.Entry entry, List<Setting> values) {
    if (!(entry.value() instanceof Mapping mapping)) {
      problems.error(
          entry.value().place(),
          "grid." + axis + "." + name + " must be a mapping of keys of an experiment to values",
          "you meant " + axis + ": {" + name + ": {lanes.num_lanes: 4}}, or a list of values");
      return;
    }
    List<KeyValue> overrides = new ArrayList<>();
    mapping
        .entries()
        .forEach(
            (key, one) ->
                overrides.add(new KeyValue(key, text(one.value(), true), one.value().place())));
    values.add(new Setting(name, overrides));
  }

  private List<Map<String, String>> excluded(Section top) {
    List<Map<String, String>> excluded = new ArrayList<>();
    Sequence list = top.sequence("exclude");
    for (Value item : list == null ? List.<Value>of() : list.items()) {
      if (!(item instanceof Mapping mapping) || mapping.entries().isEmpty()) {
        problems.error(
            item.place(),
            "exclude (" + Section.written(item) + ") must be a mapping of keys of grid to values",
            "you meant exclude: [{scheduler_name: fifo}]");
        continue;
      }
      Map<String, String> cell = new LinkedHashMap<>();
      mapping.entries().forEach((key, entry) -> excluded(key, entry, cell));
      excluded.add(cell);
    }
    return excluded;
  }

  private void excluded(String key, Value.Entry entry, Map<String, String> cell) {
    Optional<Axis> axis = Axis.of(axes, key);
    if (axis.isEmpty()) {
      noKey(entry.keyPlace(), "exclude", key);
      return;
    }
    String text = text(entry.value(), true);
    List<String> known = axis.get().texts();
    if (!known.contains(text)) {
      problems.error(
          entry.value().place(),
          "exclude." + key + " (" + text + ") is no value of grid." + key,
          NearestName.of(text, known)
              .map(near -> "you meant " + near)
              .orElse("you meant one of " + String.join(", ", known)));
    }
    cell.put(key, text);
  }

  private Capacity capacity(Section top, Mode mode) {
    if (top.has("capacity") && mode != Mode.CAPACITY) {
      problems.error(
          top.place("capacity"),
          "capacity means nothing in mode (" + mode.key() + ")",
          "mode: capacity is meant");
    }
    Section section = top.section("capacity");
    double goodShare = section.number("good_share", GOOD_SHARE, Range.within(0.5, 1));
    List<Double> shares =
        section.numbers("shares_of_bound", SHARES_OF_BOUND, Range.within(0.01, 10));
    section.end();
    return new Capacity(goodShare, shares);
  }

  private List<Named> figures(Section top, List<String> fallback) {
    if (!top.has("figures")) {
      return fallback.stream().map(name -> new Named(name, top.place("figures"))).toList();
    }
    List<Named> named = new ArrayList<>();
    for (Named figure :
        top.list(
            "figures",
            List.<Named>of(),
            true,
            item ->
                item instanceof Scalar scalar && !scalar.missing()
                    ? new Named(scalar.text(), scalar.place())
                    : notAName(item))) {
      if (named.stream().anyMatch(other -> other.name().equals(figure.name()))) {
        problems.error(
            figure.place(),
            "figures (" + figure.name() + ") stands in the list twice",
            "one of the two should be removed");
      }
      named.add(figure);
    }
    return named;
  }

  private @Nullable Named notAName(Value item) {
    problems.error(
        item.place(),
        "figures (" + Section.written(item) + ") must be names of figures",
        "you meant [" + String.join(", ", FIGURES_OF_RUNS) + "]");
    return null;
  }

  /** The comparison; null if the grid names none, or the part has a mistake. */
  private @Nullable League league(Section top, Mode mode, @Nullable String repeatOver) {
    Section section = top.section("league");
    if (!top.has("league")) {
      return null;
    }
    Place place = top.place("league");
    if (mode != Mode.CAPACITY || repeatOver == null) {
      problems.error(
          place,
          "a league compares capacities, repeat by repeat",
          "mode: capacity is meant, and repeat_over: seed");
    }
    String cells = section.requiredText("cells", "setting");
    String policies = section.requiredText("policies", "scheduler_name");
    String ours = section.requiredText("ours", "slack");
    Set<String> words = new LinkedHashSet<>();
    valuesOf(section, "cells", cells).forEach(name -> words.addAll(League.words(name)));
    List<String> names = valuesOf(section, "policies", policies);
    check(section.place("ours"), "league.ours", ours, names, "policies of the grid");
    List<String> others = section.texts("others");
    others.forEach(
        other ->
            check(section.place("others"), "league.others", other, names, "policies of the grid"));
    if (others.isEmpty() || others.contains(ours)) {
      problems.error(
          section.place("others"),
          "league.others must name the policies that " + ours + " is compared with",
          "you meant others: [fifo, dynamic]");
    }
    String shown = section.text("shown", "");
    if (!shown.isEmpty()) {
      check(section.place("shown"), "league.shown", shown, words, "words of cells' names");
    }
    List<Group> groups = new ArrayList<>();
    Section grouped = section.section("groups");
    for (String name : grouped.keys()) {
      Section group = grouped.section(name);
      groups.add(new Group(name, known(group, "all", words), known(group, "any", words)));
      group.end();
    }
    section.end();
    return new League(cells, policies, ours, others, shown, groups);
  }

  private Set<String> known(Section group, String key, Set<String> words) {
    Set<String> known = new LinkedHashSet<>(group.texts(key));
    known.forEach(
        word -> check(group.place(key), group.name(key), word, words, "words of cells' names"));
    return known;
  }

  private List<String> valuesOf(Section section, String key, String name) {
    Optional<Axis> axis = Axis.of(axes, name);
    if (axis.isEmpty() && !axes.isEmpty()) {
      noKey(section.place(key), "league." + key, name);
    }
    return axis.map(Axis::texts).orElse(List.of());
  }

  private void noKey(Place place, String key, String name) {
    List<String> keys = axes.stream().map(Axis::key).toList();
    problems.error(
        place,
        key + " (" + name + ") is no key of grid",
        NearestName.advice(name, keys, "keys of grid"));
  }

  private void check(
      Place place, String key, String name, Collection<String> known, String plural) {
    if (!known.isEmpty() && !known.contains(name)) {
      problems.error(
          place, key + " (" + name + ") is unknown", NearestName.advice(name, known, plural));
    }
  }

  /**
   * A value as an override writes it: a text as it stands, a list or a mapping in brackets.
   *
   * @param outermost whether the value is a whole one, which needs quotes only if it had them
   */
  private static String text(Value value, boolean outermost) {
    if (value instanceof Sequence list) {
      return list.items().stream()
          .map(item -> text(item, false))
          .collect(Collectors.joining(", ", "[", "]"));
    }
    if (value instanceof Mapping mapping) {
      return mapping.entries().entrySet().stream()
          .map(entry -> quoted(entry.getKey()) + ": " + text(entry.getValue().value(), false))
          .collect(Collectors.joining(", ", "{", "}"));
    }
    Scalar scalar = (Scalar) value;
    if (scalar.missing()) {
      return "";
    }
    boolean plain = !scalar.quoted() && (outermost || PLAIN.matcher(scalar.text()).matches());
    return plain ? scalar.text() : QuotedText.of(scalar.text());
  }

  private static String quoted(String text) {
    return PLAIN.matcher(text).matches() ? text : QuotedText.of(text);
  }
}
