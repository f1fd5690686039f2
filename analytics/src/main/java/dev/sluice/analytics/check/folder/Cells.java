package dev.sluice.analytics.check.folder;

import dev.sluice.analytics.check.Findings;
import dev.sluice.analytics.check.Rule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Cells of one line of a table, while a row is made of them. What is no number is a fault. */
final class Cells {
  private static final int NS_DECIMALS_OF_SECONDS = 9;
  private static final int NS_DECIMALS_OF_MS = 6;

  private final String file;
  private final Map<String, Integer> places;
  private final Findings findings;
  private final Map<String, String> shared = new HashMap<>();
  private List<String> fields = List.of();
  private long line;

  Cells(String file, Map<String, Integer> places, Findings findings) {
    this.file = file;
    this.places = places;
    this.findings = findings;
  }

  void on(List<String> lineFields, long lineNumber) {
    fields = lineFields;
    line = lineNumber;
  }

  String where() {
    return file + ":" + line;
  }

  String text(String column) {
    int place = places.getOrDefault(column, Integer.MAX_VALUE);
    return place < fields.size() ? fields.get(place) : "";
  }

  /** Text that many rows have, held once. */
  String name(String column) {
    String text = text(column);
    String same = shared.putIfAbsent(text, text);
    return same == null ? text : same;
  }

  long secondsAsNs(String column) {
    return number(column, NS_DECIMALS_OF_SECONDS);
  }

  long msAsNs(String column) {
    return number(column, NS_DECIMALS_OF_MS);
  }

  long count(String column) {
    return number(column, 0);
  }

  private long number(String column, int scale) {
    long number = Decimal.read(text(column), scale);
    if (number == Decimal.WRONG) {
      findings.fault(
          Rule.FORMAT, where(), "%s is (%s), which is no number".formatted(column, text(column)));
      return Decimal.NONE;
    }
    return number;
  }
}
