package dev.sluice.sweep.grid;

import dev.sluice.analytics.plot.HeatMap;
import dev.sluice.analytics.plot.HeatMap.Field;
import dev.sluice.analytics.statistic.MeanInterval;
import dev.sluice.sweep.config.Grid;
import dev.sluice.sweep.config.Grid.Axis;
import dev.sluice.sweep.config.Grid.Setting;
import dev.sluice.sweep.grid.GridTable.Figure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A heat map of each figure of a sweep, over all keys that have more than one value. */
final class GridPictures {
  private final GridTable table;
  private final Axis columnAxis;
  private final List<Axis> rowAxes;

  /** The keys that tell rows apart. */
  private final List<Axis> named;

  GridPictures(GridTable table) {
    this.table = table;
    List<Axis> axes = table.axes();
    columnAxis =
        axes.stream()
            .filter(axis -> axis.values().size() > 1)
            .reduce((before, last) -> last)
            .orElse(axes.isEmpty() ? new Axis("", List.of()) : axes.get(0));
    rowAxes = axes.stream().filter(axis -> !axis.equals(columnAxis)).toList();
    named = rowAxes.stream().filter(axis -> axis.values().size() > 1).toList();
  }

  /** A figure's picture as the bytes of a PNG file. */
  byte[] png(String figure, String title) {
    List<String> columns = columnAxis.values().stream().map(Setting::text).toList();
    boolean nameless = columns.isEmpty(); // the only key is the repeats'
    List<String> rows = new ArrayList<>();
    List<List<Field>> fields = new ArrayList<>();
    for (Map<String, Setting> row : Grid.crossed(rowAxes)) {
      rows.add(named.stream().map(axis -> text(row, axis)).collect(Collectors.joining(", ")));
      fields.add(
          (nameless ? List.of("") : columns)
              .stream().map(column -> field(measurement(row, column), figure)).toList());
    }
    return new HeatMap(
            title,
            columnAxis.key(),
            named.stream().map(Axis::key).collect(Collectors.joining(", ")),
            nameless ? List.of("all") : columns,
            rows,
            fields)
        .png();
  }

  private static String text(Map<String, Setting> row, Axis axis) {
    Setting value = row.get(axis.key());
    return value == null ? "" : value.text();
  }

  private Map<String, String> measurement(Map<String, Setting> row, String column) {
    Map<String, String> measurement = new LinkedHashMap<>();
    for (Axis axis : table.axes()) {
      measurement.put(axis.key(), axis.equals(columnAxis) ? column : text(row, axis));
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
