package dev.sluice.harness.replay;

import java.util.List;
import java.util.Locale;

/** Times and lists as people read them. */
final class ReadableTimes {
  private static final double NS_PER_MS = 1e6;

  private ReadableTimes() {}

  /** A duration in milliseconds: whole from 10 ms on, else with one or two decimals. */
  static String ms(long ns) {
    double ms = ns / NS_PER_MS;
    double absolute = Math.abs(ms);
    int decimals = absolute >= 9.95 || absolute == 0 ? 0 : absolute >= 0.095 ? 1 : 2;
    String text = String.format(Locale.ROOT, "%,." + decimals + "f", ms);
    if (text.equals("0.00")) {
      return "0";
    }
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }

  /** A time of the run in seconds, rounded to milliseconds. */
  static String at(long ns) {
    return String.format(Locale.ROOT, "%.3f", Math.round(ns / NS_PER_MS) / 1e3);
  }

  /** A line of a text that begins with a time of the run. */
  static String line(long atNs, String text) {
    return String.format(Locale.ROOT, "%9s  %s", at(atNs), text);
  }

  /** A number of things, the plural made with an s. */
  static String count(long count, String thing) {
    return String.format(Locale.ROOT, "%,d %s%s", count, thing, count == 1 ? "" : "s");
  }

  /** The first few of some names, and how many more there are. */
  static String some(List<String> names, int most) {
    int shown = names.size() <= most + 1 ? names.size() : most;
    List<String> words = names.subList(0, shown);
    if (shown < names.size()) {
      return String.join(", ", words) + " and " + (names.size() - shown) + " more";
    }
    return words.size() < 2
        ? String.join("", words)
        : String.join(", ", words.subList(0, shown - 1)) + " and " + words.get(shown - 1);
  }
}
