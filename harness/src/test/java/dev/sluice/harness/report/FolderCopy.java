package dev.sluice.harness.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A copy of a run's folder in which a test plants a fault. */
record FolderCopy(Path folder) {
  static FolderCopy of(Path original, Path copy) throws IOException {
    Files.createDirectories(copy);
    try (Stream<Path> files = Files.list(original)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return new FolderCopy(copy);
  }

  /**
   * Plants a fault.
   *
   * @param file trace, dispatches, summary or config
   * @param row in a table {@code column=value#n}, the n-th row (from 0) whose cell has the value,
   *     {@code *} any but an empty one; in the other files the text that is replaced
   * @param change {@code column:=text}, {@code column+=number}, {@code delete}, {@code twice}; in
   *     the other files the new text
   */
  void plant(String file, String row, String change) throws IOException {
    switch (file) {
      case "trace", "dispatches" -> inTable(folder.resolve(file + ".csv"), row, change);
      case "summary" -> inText(folder.resolve("summary.json"), row, change);
      default -> inText(folder.resolve("config.yaml"), row, change);
    }
  }

  /** Cells of the rows whose column has a value, in the order of a number. */
  List<String[]> rows(String table, String column, String value, String order) throws IOException {
    int place = column(table, column);
    int by = column(table, order);
    return Files.readAllLines(folder.resolve(table + ".csv")).stream()
        .skip(1)
        .map(line -> line.split(",", -1))
        .filter(cells -> cells[place].equals(value))
        .sorted(Comparator.comparingDouble(cells -> Double.parseDouble(cells[by])))
        .toList();
  }

  /** Place of a column in a table. */
  int column(String table, String name) throws IOException {
    try (Stream<String> lines = Files.lines(folder.resolve(table + ".csv"))) {
      return Arrays.asList(lines.findFirst().orElseThrow().split(",")).indexOf(name);
    }
  }

  private static void inText(Path file, String sound, String planted) throws IOException {
    String text = Files.readString(file);
    int at = text.indexOf(sound);
    if (at < 0) {
      throw new IllegalArgumentException(file + " has no (" + sound + ")");
    }
    Files.writeString(file, text.substring(0, at) + planted + text.substring(at + sound.length()));
  }

  private static void inTable(Path file, String row, String change) throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(file));
    List<String> columns = Arrays.asList(lines.get(0).split(","));
    int line = lineOf(lines, columns, row);
    if (change.equals("delete")) {
      lines.remove(line);
    } else if (change.equals("cut")) {
      lines.subList(line, lines.size()).clear();
    } else if (change.equals("twice")) {
      lines.add(line, lines.get(line));
    } else {
      String[] cells = lines.get(line).split(",", -1);
      for (String one : change.split(" & ")) {
        boolean adds = one.contains("+=");
        String[] parts = one.split(adds ? "\\+=" : ":=", 2);
        int place = columns.indexOf(parts[0]);
        if (place < 0) {
          throw new IllegalArgumentException("no column " + parts[0]);
        }
        cells[place] =
            adds
                ? String.format(
                    java.util.Locale.ROOT,
                    cells[place].contains(".") ? "%.6f" : "%.0f",
                    Double.parseDouble(cells[place]) + Double.parseDouble(parts[1]))
                : parts[1];
      }
      lines.set(line, String.join(",", cells));
    }
    Files.write(file, lines);
  }

  private static int lineOf(List<String> lines, List<String> columns, String row) {
    String[] wanted = row.split("[=#]", -1);
    int column = columns.indexOf(wanted[0]);
    int left = wanted.length > 2 ? Integer.parseInt(wanted[2]) : 0;
    for (int i = 1; i < lines.size(); i++) {
      String cell = lines.get(i).split(",", -1)[column];
      if (cell.equals(wanted[1]) || (wanted[1].equals("*") && !cell.isEmpty())) {
        if (left-- == 0) {
          return i;
        }
      }
    }
    throw new IllegalArgumentException("no row " + row);
  }
}
