package dev.sluice.contract.experiment;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.Tree;
import dev.sluice.contract.file.Tree.Limits;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Utf8;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Entry;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Scalar;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads experiment files: UTF-8 YAML, with or without a byte order mark. */
public final class ExperimentFile {
  /** Key of what a run adds to its config.yaml; readers of experiments take paths from it alone. */
  public static final String RECORDED = "recorded";

  /** Key, below {@link #RECORDED}, of the folder that relative paths count from. */
  public static final String PATHS_FROM = "paths_from";

  /** Key, below {@link #RECORDED}, of the files that the experiment names. */
  public static final String FILES = "files";

  /** Key, below each of {@link #FILES}, of its SHA-256 in hex. */
  public static final String DIGEST = "sha256";

  static final String RATE = "arrival_rate_jobs_per_sec";
  static final String OFFERED_LOAD = "offered_load";

  private static final int BYTES_MAX = 1 << 20;

  private ExperimentFile() {}

  /**
   * Reads, completes and checks an experiment.
   *
   * @param overrides {@code key=value}, the key dotted as in {@code lanes.num_lanes=4}, the value
   *     as in the file, lists in brackets; the last one of a key counts, and of a rate and an
   *     offered load
   */
  public static ParsedExperiment read(Path file, List<String> overrides, Vocabulary vocabulary)
      throws UserMistakeException {
    return read(text(file), file.toString(), file, overrides, vocabulary);
  }

  /**
   * Reads the resolved experiment that a recording holds. Paths in it are those of the machine that
   * recorded it.
   *
   * @throws UserMistakeException with every mistake found; a newer Sluice's keys are such
   */
  public static ParsedExperiment recorded(Path recording, String text, Vocabulary vocabulary)
      throws UserMistakeException {
    String name = recording + ", experiment";
    try {
      return read(text, name, recording, List.of(), vocabulary);
    } catch (UserMistakeException e) {
      List<UserMistakeException.Problem> problems = new ArrayList<>(e.problems());
      problems.add(
          0,
          new UserMistakeException.Problem(
              recording.toString(),
              "the recorded experiment has what this Sluice does not know",
              "a newer Sluice recorded it, and that one reads it"));
      throw new UserMistakeException(problems);
    }
  }

  private static ParsedExperiment read(
      String text, String name, Path file, List<String> overrides, Vocabulary vocabulary)
      throws UserMistakeException {
    var problems = new Problems(name);
    Value root = yaml(text, line -> new Place(name, line), problems);
    if (root == null || (root instanceof Scalar scalar && scalar.missing())) {
      throw new UserMistakeException(
          name, "the file is empty", "it should begin with arrival_rate_jobs_per_sec: 10");
    }
    if (!(root instanceof Mapping mapping)) {
      throw new UserMistakeException(
          root.place().toString(),
          "an experiment file is a mapping of keys to values, and this is not",
          "it should begin with arrival_rate_jobs_per_sec: 10");
    }
    for (String override : overrides) {
      apply(override, mapping, problems);
    }
    Map<String, Place> places = new TreeMap<>();
    var top = Section.strict(new Mapping(new Place(name, 0), mapping.entries()), problems, places);
    Experiment experiment =
        new ExperimentReader(problems, places, vocabulary).read(top, defaultRunName(file));
    problems.throwIfAny();
    return new ParsedExperiment(
        experiment,
        file,
        folder(file, mapping),
        recordedDigests(mapping),
        problems.warnings(),
        places.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, e -> e.getValue().toString())),
        vocabulary);
  }

  /** The folder that paths count from: a run's config.yaml names that of the file that was run. */
  private static Path folder(Path file, Mapping root) {
    Path own = file.toAbsolutePath().resolveSibling("");
    return value(value(root, RECORDED), PATHS_FROM) instanceof Scalar named
        ? own.resolve(named.text()).normalize()
        : own;
  }

  private static Map<String, String> recordedDigests(Mapping root) {
    Map<String, String> digests = new TreeMap<>();
    if (value(value(root, RECORDED), FILES) instanceof Mapping files) {
      files
          .entries()
          .forEach(
              (key, entry) -> {
                if (value(entry.value(), DIGEST) instanceof Scalar digest && !digest.missing()) {
                  digests.put(key, digest.text());
                }
              });
    }
    return digests;
  }

  private static @Nullable Value value(@Nullable Value parent, String key) {
    Entry entry = parent instanceof Mapping mapping ? mapping.entries().get(key) : null;
    return entry == null ? null : entry.value();
  }

  static @Nullable Value yaml(String text, IntFunction<Place> placeOfLine, Problems problems)
      throws UserMistakeException {
    try (Tree tree = Tree.ofYaml(text, placeOfLine, Limits.BY_HAND)) {
      return tree.whole(problems);
    }
  }

  private static void apply(String override, Mapping root, Problems problems)
      throws UserMistakeException {
    Place place = Place.override(override);
    int equals = override.indexOf('=');
    if (equals <= 0) {
      problems.error(
          place,
          "an override is written key=value",
          "you meant --set lanes.num_lanes=4 or the like");
      return;
    }
    String[] keys = override.substring(0, equals).strip().split("\\.", -1);
    Mapping mapping = root;
    for (int i = 0; i < keys.length - 1; i++) {
      Entry entry =
          mapping
              .entries()
              .computeIfAbsent(
                  keys[i], key -> new Entry(place, new Mapping(place, new LinkedHashMap<>())));
      if (!(entry.value() instanceof Mapping child)) {
        problems.error(
            place,
            keys[i] + " has no keys of its own: it is set as a whole",
            "you meant --set " + keys[i] + "=…");
        return;
      }
      mapping = child;
    }
    Value value = overrideValue(override.substring(equals + 1).strip(), place, problems);
    mapping.entries().put(keys[keys.length - 1], new Entry(place, value));
    if (keys.length == 1 && keys[0].equals(RATE)) {
      mapping.entries().remove(OFFERED_LOAD); // the one says what the other said
    } else if (keys.length == 1 && keys[0].equals(OFFERED_LOAD)) {
      mapping.entries().remove(RATE);
    }
  }

  /** Lists, mappings and quoted texts are YAML; anything else is the text itself. */
  private static Value overrideValue(String text, Place place, Problems problems)
      throws UserMistakeException {
    Value value =
        !text.isEmpty() && "[{\"'".indexOf(text.charAt(0)) >= 0
            ? yaml(text, line -> place, problems)
            : null;
    return value == null ? new Scalar(place, text, false, text.isEmpty()) : value;
  }

  private static String defaultRunName(Path file) {
    Path last = file.getFileName();
    String name = last == null ? "" : last.toString().replaceFirst("(?<=.)\\.[^.]*$", "");
    String valid = name.replaceAll("[^A-Za-z0-9._-]", "-").replaceFirst("^[^A-Za-z0-9]+", "");
    return valid.isEmpty() ? "run" : valid.substring(0, Math.min(100, valid.length()));
  }

  private static String text(Path file) throws UserMistakeException {
    String name = file.toString();
    if (Files.isDirectory(file)) {
      throw new UserMistakeException(
          name, "this is a folder, not a file", neighbour("", file, "one of its files was meant"));
    }
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes(BYTES_MAX + 1);
    } catch (NoSuchFileException e) {
      Path last = file.getFileName();
      throw new UserMistakeException(
          name,
          "the file does not exist",
          neighbour(
              last == null ? "" : last.toString(),
              file.toAbsolutePath().getParent(),
              "the path is relative to another folder"));
    } catch (IOException e) {
      throw UserMistakeException.unreadable(name, e);
    }
    if (bytes.length > BYTES_MAX) {
      throw new UserMistakeException(
          name, "the file is larger than " + BYTES_MAX + " bytes", "another file was meant");
    }
    return Utf8.decoded(name, bytes);
  }

  /** The experiment file in the folder whose name is nearest. */
  private static String neighbour(String written, @Nullable Path folder, String otherwise) {
    if (folder == null || !Files.isDirectory(folder)) {
      return otherwise;
    }
    try (Stream<Path> files = Files.list(folder)) {
      List<String> names =
          files
              .map(path -> String.valueOf(path.getFileName()))
              .filter(name -> name.endsWith(".yaml") || name.endsWith(".yml"))
              .toList();
      return names.isEmpty()
          ? otherwise
          : NearestName.of(written, names)
              .map(name -> "you meant " + name)
              .orElse(
                  otherwise
                      + ". There are: "
                      + String.join(", ", names.stream().sorted().limit(20).toList()));
    } catch (IOException e) {
      return otherwise;
    }
  }
}
