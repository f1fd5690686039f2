package dev.sluice.sweep.config;

import dev.sluice.contract.file.Place;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sweep of experiments: a base, and the values that take the place of some of its keys.
 *
 * @param file path of the file as the user named it
 * @param base the experiment file that the cells rest on
 * @param slots number of cells that go on at a time
 * @param axes crossed keys, in the order of the file
 * @param excluded cells that are left out: each has all of one mapping's values
 * @param repeatOver the crossed key whose values are repeats of one measurement; null: none
 * @param figures figures of the table and the pictures
 */
public record Grid(
    Path file,
    Path base,
    Place basePlace,
    Mode mode,
    int slots,
    List<Axis> axes,
    List<Map<String, Setting>> excluded,
    @Nullable String repeatOver,
    List<Named> figures) {
  public Grid {
    axes = List.copyOf(axes);
    excluded = List.copyOf(excluded);
    figures = List.copyOf(figures);
  }

  /** How a cell is measured. */
  public enum Mode {
    SIMULATE,
    RUN;

    /** The mode as the file writes it. */
    public String key() {
      return this == SIMULATE ? "simulate" : "run";
    }
  }

  /**
   * A crossed key.
   *
   * @param key key of the experiment, dotted where it is nested
   * @param values its values, at least one, none twice
   */
  public record Axis(String key, List<Setting> values) {
    public Axis {
      values = List.copyOf(values);
    }
  }

  /**
   * A value of a crossed key.
   *
   * @param text the value as an override of the command line writes it
   * @param place its place in the file
   */
  public record Setting(String text, Place place) {}

  /** A name with its place in the file. */
  public record Named(String name, Place place) {}

  /** The name of the sweep: that of its file without an ending. */
  public String name() {
    Path last = file.toAbsolutePath().getFileName();
    return last == null ? "sweep" : last.toString().replaceFirst("(?<=.)\\.ya?ml$", "");
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
