package dev.sluice.sweep.workspace;

import dev.sluice.contract.file.Place;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A sweep of experiments: a base, and the values that take the place of some of its keys.
 *
 * @param slots number of cells that go on at a time
 * @param excluded cells that are left out: each has all of one mapping's values
 * @param repeatOver the crossed key whose values are repeats of one measurement; null: none
 * @param capacity what cells of the mode capacity search for
 * @param league how policies are compared over cells; null: they are not
 */
public record Grid(
    Path file,
    Path base,
    Place basePlace,
    Mode mode,
    int slots,
    List<Axis> axes,
    List<Map<String, String>> excluded,
    @Nullable String repeatOver,
    List<Named> figures,
    Capacity capacity,
    @Nullable League league) {

  public enum Mode {
    SIMULATE,
    RUN,
    CAPACITY;

    public String key() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A search for the highest rate.
   *
   * @param goodShare share of the jobs that must be good, in (0, 1]
   * @param sharesOfBound rates at which good jobs are counted, in shares of the bound's
   */
  public record Capacity(double goodShare, List<Double> sharesOfBound) {}

  /**
   * A comparison of one policy with the best of others, cell by cell.
   *
   * @param cells axis whose values are the cells, each named by words
   * @param shown word of the cells that the table of families shows; empty: all
   * @param groups groups of cells that have a row of their own
   */
  public record League(
      String cells,
      String policies,
      String ours,
      List<String> others,
      String shown,
      List<Group> groups) {
    /** The words of a cell's name. */
    public static List<String> words(String cell) {
      return List.of(cell.split(" "));
    }
  }

  /**
   * Cells of a league by the words of their names.
   *
   * @param all words that a cell has all of
   * @param any words that a cell has one of, if there are any
   */
  public record Group(String name, Set<String> all, Set<String> any) {
    /** Tells whether a cell with these words belongs to the group. */
    public boolean holds(Collection<String> words) {
      return words.containsAll(all) && (any.isEmpty() || any.stream().anyMatch(words::contains));
    }
  }

  /**
   * A crossed key, or a name of an axis whose values are names of several keys with values.
   *
   * @param key key of the experiment, dotted where it is nested
   * @param values its values, at least one, none twice
   */
  public record Axis(String key, List<Setting> values) {
    public static Optional<Axis> of(List<Axis> axes, String key) {
      return axes.stream().filter(axis -> axis.key().equals(key)).findFirst();
    }

    public List<String> texts() {
      return values.stream().map(Setting::text).toList();
    }
  }

  /**
   * A value of an axis.
   *
   * @param text the value as an override of the command line writes it, or its name
   * @param overrides keys of the experiment that it sets
   */
  public record Setting(String text, List<KeyValue> overrides) {}

  /** A key of an experiment with its value, as the command line takes them. */
  public record KeyValue(String key, String text, Place place) {
    public String written() {
      return key + "=" + text;
    }
  }

  /** A name with its place in the file. */
  public record Named(String name, Place place) {}

  /** The name of the sweep: that of its file without an ending. */
  public String name() {
    Path last = file.toAbsolutePath().getFileName();
    return last == null ? "sweep" : last.toString().replaceFirst("(?<=.)\\.ya?ml$", "");
  }

  public List<String> figureNames() {
    return figures.stream().map(Named::name).toList();
  }

  /** The texts of a combination's values. */
  public static Map<String, String> texts(Map<String, Setting> combination) {
    Map<String, String> texts = new LinkedHashMap<>();
    combination.forEach((key, setting) -> texts.put(key, setting.text()));
    return texts;
  }

  /** Each combination of the values of axes, the last axis changing first. */
  public static List<Map<String, Setting>> crossed(List<Axis> axes) {
    List<Map<String, Setting>> cells = List.of(Map.of());
    for (Axis axis : axes) {
      List<Map<String, Setting>> longer = new ArrayList<>();
      for (Map<String, Setting> cell : cells) {
        for (Setting value : axis.values()) {
          Map<String, Setting> one = new LinkedHashMap<>(cell);
          one.put(axis.key(), value);
          longer.add(one);
        }
      }
      cells = longer;
    }
    return cells;
  }
}
