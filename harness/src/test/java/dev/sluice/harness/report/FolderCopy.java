package dev.sluice.harness.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

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

  /**
   * Plants a fault in the log.
   *
   * @param line what the line contains; the last one that does
   * @param sound pattern of a part of the line
   * @param planted what stands there then; {@code twice}: the whole line follows with it
   */
  void plantInLog(String line, String sound, String planted) throws Exception {
    Path file = folder.resolve("log.jsonl.gz");
    List<String> lines = logLines();
    int at = lines.size() - 1;
    while (!lines.get(at).contains(line)) {
      at--;
    }
    boolean twice = planted.startsWith("twice ");
    String changed =
        lines.get(at).replaceFirst(sound, twice ? planted.substring("twice ".length()) : planted);
    if (twice) {
      lines.add(at + 1, changed);
    } else {
      lines.set(at, changed);
    }
    int last = lines.size() - 1;
    if (at < last) { // who plants a fault states the new checksum too
      String all = String.join("\n", lines.subList(0, last)) + "\n";
      byte[] sum =
          MessageDigest.getInstance("SHA-256").digest(all.getBytes(StandardCharsets.UTF_8));
      lines.set(
          last,
          "{\"records\":%d,\"sha256\":\"%s\"}"
              .formatted(lines.size() - 2, HexFormat.of().formatHex(sum)));
    }
    try (var gzip = new GZIPOutputStream(Files.newOutputStream(file))) {
      gzip.write((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }

  private List<String> logLines() throws IOException {
    try (var gzip = new GZIPInputStream(Files.newInputStream(folder.resolve("log.jsonl.gz")))) {
      return new String(gzip.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .collect(Collectors.toCollection(ArrayList::new));
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

  /** Puts the rows of a table into the opposite order. */
  void turnRound(String table) throws IOException {
    Path file = folder.resolve(table + ".csv");
    List<String> lines = new ArrayList<>(Files.readAllLines(file));
    Collections.reverse(lines.subList(1, lines.size()));
    Files.write(file, lines);
  }

  /** Puts one text into all cells of a column that are not empty. */
  void plantInAll(String table, String column, String text) throws IOException {
    Path file = folder.resolve(table + ".csv");
    int place = column(table, column);
    List<String> lines = new ArrayList<>(Files.readAllLines(file));
    for (int i = 1; i < lines.size(); i++) {
      String[] cells = lines.get(i).split(",", -1);
      cells[place] = cells[place].isEmpty() ? "" : text;
      lines.set(i, String.join(",", cells));
    }
    Files.write(file, lines);
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
