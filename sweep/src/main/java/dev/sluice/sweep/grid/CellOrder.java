package dev.sluice.sweep.grid;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;

/**
 * An order to simulate a cell, one line on a {@link CellWorker}'s standard input.
 *
 * @param attempt prefix of the attempt's files
 * @param log path of the file that says why the cell failed
 * @param stamp first line of the attempt in its log
 * @param cell name of the cell's folder
 * @param overrides values of the crossed keys, as the command line writes them
 */
record CellOrder(String attempt, String log, String stamp, String cell, List<String> overrides) {
  private static final ObjectMapper JSON = new ObjectMapper();

  CellOrder {
    overrides = List.copyOf(overrides);
  }

  /** The order as a line, with its line break. */
  String line() {
    try {
      return JSON.writeValueAsString(this) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("texts are JSON", e);
    }
  }

  /**
   * Reads what {@link #line} wrote.
   *
   * @throws IllegalArgumentException if it is no order
   */
  static CellOrder parse(String line) {
    try {
      return JSON.readValue(line, CellOrder.class);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("no order: " + line, e);
    }
  }
}
