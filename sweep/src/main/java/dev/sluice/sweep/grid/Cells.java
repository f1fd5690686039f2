package dev.sluice.sweep.grid;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.experiment.Vocabulary;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.UserMistakeException.Problem;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.harness.frame.ExperimentFiles;
import dev.sluice.harness.frame.LiveExperiment;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.simulate.ExperimentBound;
import dev.sluice.harness.simulate.SimulatedCapacity;
import dev.sluice.harness.simulate.SimulatedExperiment;
import dev.sluice.sweep.grid.CellResult.CellBounds;
import dev.sluice.sweep.grid.SweepFolder.BuildDigest;
import dev.sluice.sweep.workspace.Grid;
import dev.sluice.sweep.workspace.Grid.KeyValue;
import dev.sluice.sweep.workspace.Grid.Mode;
import dev.sluice.sweep.workspace.Grid.Setting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The cells of a grid, all of which are sound experiments.
 *
 * @param excluded number of cells that the grid leaves out
 */
record Cells(Grid grid, ParsedExperiment base, List<Cell> cells, int excluded) {
  private static final int LISTED_MAX = 50;
  private static final String OF_ALL = "all_";

  /**
   * One experiment of a sweep.
   *
   * @param values value of each axis, in the order of the grid
   * @param overrides overrides of the base, as the command line takes them
   * @param key digest of all that decides the outcome: equal keys, equal cells
   */
  record Cell(Map<String, String> values, List<String> overrides, String key) {
    private static final int ID_VALUES_MAX = 120;
    private static final int ID_KEY_LENGTH = 12;

    /** The cell in words: each key with its value. */
    String name() {
      return name(values);
    }

    static String name(Map<String, String> values) {
      return values.entrySet().stream()
          .map(entry -> entry.getKey() + "=" + entry.getValue())
          .collect(Collectors.joining(", "));
    }

    String id() {
      String joined =
          values.values().stream()
              .map(value -> value.replaceAll("[^A-Za-z0-9._]+", "_"))
              .collect(Collectors.joining("-"))
              .replaceFirst("^[^A-Za-z0-9]+", "");
      String cut = joined.substring(0, Math.min(ID_VALUES_MAX, joined.length()));
      return (cut.isEmpty() ? "cell" : cut) + "-" + key.substring(0, ID_KEY_LENGTH);
    }

    /** The values without one key's: equal for the repeats of one measurement. */
    Map<String, String> without(String repeated) {
      Map<String, String> others = new LinkedHashMap<>(values);
      others.remove(repeated);
      return others;
    }
  }

  /**
   * A cell that was checked.
   *
   * @param problems its mistakes; none: the cell has its key
   * @param figures figures that its experiment has beside those of all
   */
  private record Checked(Cell cell, List<Problem> problems, Set<String> figures) {}

  /**
   * Reads and checks every cell as a command would before it begins.
   *
   * @throws UserMistakeException with every mistake of every cell, each once; if nothing is left
   */
  static Cells of(Grid grid, Vocabulary vocabulary) throws UserMistakeException {
    ParsedExperiment base = ExperimentFile.read(grid.base(), List.of(), vocabulary);
    List<Map<String, Setting>> crossed = Grid.crossed(grid.axes());
    List<Map<String, Setting>> left =
        crossed.stream().filter(cell -> !isExcluded(cell, grid)).toList();
    if (left.isEmpty()) {
      throw new UserMistakeException(
          grid.file().toString(),
          "exclude leaves no cell of " + crossed.size(),
          "one of its entries should go");
    }
    List<Cell> cells = new ArrayList<>();
    Map<Problem, List<String>> mistakes = new LinkedHashMap<>();
    boolean searches = grid.mode() == Mode.CAPACITY;
    Set<String> figures =
        new TreeSet<>(
            searches
                ? SimulatedCapacity.figures(grid.capacity().sharesOfBound())
                : vocabulary.figures());
    String build = build(grid);
    Set<Map<String, Setting>> tried = ConcurrentHashMap.newKeySet();
    Stream<Map<String, Setting>> each =
        grid.mode() == Mode.RUN ? left.stream() : left.parallelStream();
    for (Checked checked : each.map(c -> checked(grid, vocabulary, build, c, tried)).toList()) {
      figures.addAll(checked.figures());
      if (checked.problems().isEmpty()) {
        cells.add(checked.cell());
      }
      for (Problem problem : checked.problems()) {
        mistakes.computeIfAbsent(problem, found -> new ArrayList<>()).add(checked.cell().name());
      }
    }
    List<Problem> problems = new ArrayList<>();
    mistakes.forEach((problem, in) -> problems.add(named(problem, in, left.size())));
    if (cells.size() == left.size()) {
      addUnknownFigures(grid, figures, problems);
    }
    if (!problems.isEmpty()) {
      throw new UserMistakeException(problems.subList(0, Math.min(LISTED_MAX, problems.size())));
    }
    return new Cells(grid, base, cells, crossed.size() - left.size());
  }

  /**
   * Checks a cell.
   *
   * @param tried cells without their seed whose files were read; what they are, no seed changes
   */
  private static Checked checked(
      Grid grid,
      Vocabulary vocabulary,
      String build,
      Map<String, Setting> settings,
      Set<Map<String, Setting>> tried) {
    Map<String, String> values = Grid.texts(settings);
    List<String> overrides =
        settings.values().stream()
            .flatMap(setting -> setting.overrides().stream().map(KeyValue::written))
            .toList();
    var unkeyed = new Cell(values, overrides, "");
    try {
      ParsedExperiment parsed = ExperimentFile.read(grid.base(), overrides, vocabulary);
      Map<String, Setting> seedless = new LinkedHashMap<>(settings);
      seedless.remove("seed");
      if (tried.add(seedless)) {
        check(grid, parsed);
      }
      Set<String> figures = new TreeSet<>();
      if (grid.mode() != Mode.CAPACITY) {
        addFigures(parsed.experiment(), vocabulary, figures);
      }
      return new Checked(new Cell(values, overrides, key(build, grid, parsed)), List.of(), figures);
    } catch (UserMistakeException e) {
      List<Problem> placed = e.problems().stream().map(p -> placed(p, settings)).toList();
      return new Checked(unkeyed, placed, Set.of());
    }
  }

  private static void check(Grid grid, ParsedExperiment parsed) throws UserMistakeException {
    if (grid.mode() == Mode.CAPACITY) {
      var unused = new SimulatedCapacity(parsed);
      return;
    }
    if (CellBounds.areAskedBy(grid)) {
      var unused = ExperimentBound.of(parsed, null);
      if (grid.mode() == Mode.RUN && !parsed.experiment().lanes().emulated()) {
        throw new UserMistakeException(
            parsed.location("lanes"),
            "real lanes take any time, so that figures of bounds have none in mode (run)",
            "mode: simulate is meant, or lanes.kind: emulated");
      }
    }
    if (grid.mode() == Mode.SIMULATE) {
      var unused = SimulatedExperiment.read(parsed, null);
    } else {
      LaneSource.of(
              LiveExperiment.withRate(parsed, "each cell of a sweep would find a rate of its own"))
          .close();
    }
  }

  private static boolean isExcluded(Map<String, Setting> cell, Grid grid) {
    Set<Map.Entry<String, String>> values = Grid.texts(cell).entrySet();
    return grid.excluded().stream().anyMatch(all -> values.containsAll(all.entrySet()));
  }

  /** A mistake of an override is a mistake of the grid's line. */
  private static Problem placed(Problem problem, Map<String, Setting> settings) {
    for (Setting setting : settings.values()) {
      for (KeyValue override : setting.overrides()) {
        if (problem.location().equals(Place.override(override.written()).toString())) {
          return new Problem(override.place().toString(), problem.what(), problem.maybe());
        }
      }
    }
    return problem;
  }

  /** Names a cell where not all of them have the mistake. */
  private static Problem named(Problem problem, List<String> in, int cells) {
    if (in.size() == cells) {
      return problem;
    }
    int more = in.size() - 1;
    String which = in.get(0) + (more == 0 ? "" : ", and " + more + " more");
    return new Problem(problem.location(), problem.what() + ", in cell " + which, problem.maybe());
  }

  private static void addFigures(
      Experiment experiment, Vocabulary vocabulary, Set<String> figures) {
    for (String bounded : CellBounds.NAMES) {
      figures.add(OF_ALL + bounded);
      experiment.jobs().classes().forEach(c -> figures.add(c.name() + "_" + bounded));
    }
    for (String figure : vocabulary.figures()) {
      if (figure.startsWith(OF_ALL)) {
        String ofClass = figure.substring(OF_ALL.length());
        experiment.jobs().classes().forEach(c -> figures.add(c.name() + "_" + ofClass));
      }
    }
  }

  private static void addUnknownFigures(Grid grid, Set<String> known, List<Problem> problems) {
    for (Grid.Named figure : grid.figures()) {
      if (!known.contains(figure.name())) {
        problems.add(
            new Problem(
                figure.place().toString(),
                "figures (" + figure.name() + ") is not a figure",
                NearestName.advice(figure.name(), known, "figures")));
      }
    }
  }

  /** The version of Sluice, and a digest that tells builds of one version apart. */
  private static String build(Grid grid) throws UserMistakeException {
    try {
      return SluiceVersion.current() + ' ' + BuildDigest.current();
    } catch (IOException e) {
      throw new UserMistakeException(
          grid.file().toString(),
          "Sluice's own classes cannot be read (" + UserMistakeException.reason(e) + ")",
          "Sluice was built anew just now; the same command works",
          e);
    }
  }

  /** The digest of all that decides a cell's outcome, with the files that its config names. */
  private static String key(String build, Grid grid, ParsedExperiment parsed)
      throws UserMistakeException {
    var text = new StringBuilder();
    text.append(build).append('\n').append(grid.mode().key()).append('\n');
    if (grid.mode() == Mode.CAPACITY) {
      text.append(grid.capacity()).append('\n');
    }
    text.append(ResolvedConfig.write(parsed.experiment()));
    files(parsed).forEach((name, digest) -> text.append(name).append(' ').append(digest));
    return Sha256.hex(text.toString().getBytes(StandardCharsets.UTF_8));
  }

  /** Digests of the files that an experiment names, by the name that it gives them. */
  static Map<String, String> files(ParsedExperiment parsed) throws UserMistakeException {
    Map<String, String> digests = new TreeMap<>();
    for (ExperimentFiles.Named file : ExperimentFiles.of(parsed).values()) {
      String digest = file.digest();
      digests.put(file.named(), digest == null ? "none" : digest);
    }
    return digests;
  }
}
