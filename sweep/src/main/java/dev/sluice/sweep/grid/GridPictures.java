package dev.sluice.sweep.grid;

import dev.sluice.analytics.plot.HeatMap;
import dev.sluice.analytics.plot.HeatMap.Field;
import dev.sluice.analytics.statistic.MeanInterval;
import dev.sluice.sweep.config.Grid.Axis;
import dev.sluice.sweep.config.Grid.Setting;
import dev.sluice.sweep.grid.GridTable.Figure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A heat map of each figure of a sweep, over all keys that have more than one value. */
final class GridPictures {
  private final GridTable table;
  private final List<Axis> rowAxes;
  private final Axis columnAxis;

  GridPictures(GridTable table) {
    this.table = table;
    List<Axis> axes = new ArrayList<>(table.axes());
    if (axes.isEmpty()) {
      axes.add(new Axis("", List.of()));
    }
    columnAxis =
        axes.stream().filter(a -> a.values().size() > 1).reduce((a, b) -> b).orElse(axes.get(0));
    rowAxes = axes.stream().filter(axis -> !axis.equals(columnAxis)).toList();
  }

  /** A figure's picture as the bytes of a PNG file. */
  byte[] png(String figure, String title) {
    List<Map<String, String>> rows = rows();
    List<String> columns = columnAxis.values().stream().map(Setting::text).toList();
    boolean nameless = columns.isEmpty(); // the only key is the repeats'
    List<List<Field>> fields = new ArrayList<>();
    for (Map<String, String> row : rows) {
      List<Field> line = new ArrayList<>();
      for (String column : nameless ? List.of("") : columns) {
        line.add(field(measurement(row, column), figure));
      }
      fields.add(line);
    }
    return new HeatMap(
            title,
            columnAxis.key(),
            String.join(", ", told().stream().map(Axis::key).toList()),
            nameless ? List.of("all") : columns,
            rows.stream().map(this::name).toList(),
            fields)
        .png();
  }

  /** The keys that tell rows apart. */
  private List<Axis> told() {
    return rowAxes.stream().filter(axis -> axis.values().size() > 1).toList();
  }

  private String name(Map<String, String> row) {
    return String.join(
        ", ", told().stream().map(axis -> row.getOrDefault(axis.key(), "")).toList());
  }

  private List<Map<String, String>> rows() {
    List<Map<String, String>> rows = List.of(Map.of());
    for (Axis axis : rowAxes) {
      List<Map<String, String>> longer = new ArrayList<>();
      for (Map<String, String> row : rows) {
        for (Setting value : axis.values()) {
          Map<String, String> one = new LinkedHashMap<>(row);
          one.put(axis.key(), value.text());
          longer.add(one);
        }
      }
      rows = longer;
    }
    return rows;
  }

  private Map<String, String> measurement(Map<String, String> row, String column) {
    Map<String, String> measurement = new LinkedHashMap<>();
    for (Axis axis : table.axes()) {
      measurement.put(
          axis.key(), axis.equals(columnAxis) ? column : row.getOrDefault(axis.key(), ""));
    }
    return measurement;
  }

  private Field field(Map<String, String> measurement, String name) {
    Figure figure = table.figure(measurement, name);
    MeanInterval interval = figure.interval();
    return interval == null
        ? new Field(Double.NaN, figure.words())
        : new Field(interval.mean(), figure.text().replace(" (", "\n("));
  }
}
