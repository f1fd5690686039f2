package dev.sluice.executor.latency;

import java.util.Locale;

/** The kinds of estimators that compete, the simplest first; the names stand in model files. */
public enum Method {
  MEDIAN("the median of the key's own times"),
  INTERPOLATED("between the medians of the nearest samples below and above, linearly"),
  LINE("alpha + beta × samples of the key's workload, backend, precision, threads, busy lanes"),
  BOOSTING("the line times what gradient-boosted trees add to it"),
  FOREST("the line times what a random forest adds to it");

  private final String words;

  Method(String words) {
    this.words = words;
  }

  /** Returns how the method predicts, in words for people. */
  public String words() {
    return words;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
