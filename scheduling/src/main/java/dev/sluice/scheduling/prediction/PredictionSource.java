package dev.sluice.scheduling.prediction;

import java.util.Locale;

/** The sources of predictions, the best first. */
public enum PredictionSource {
  /** The published table, as corrected by completions. */
  PUBLISHED,
  /** The published table, scaled from the most samples that it holds. */
  PUBLISHED_NEAREST,
  RUNNING_MEAN,
  WARM_UP,
  NEAREST_SAMPLES,
  FLOPS;

  private final String text = name().toLowerCase(Locale.ROOT);

  /** Returns the source's word in events and tables. */
  public String text() {
    return text;
  }

  /** Returns whether completions correct predictions of this source. */
  public boolean learns() {
    return this == PUBLISHED || this == PUBLISHED_NEAREST || this == RUNNING_MEAN;
  }

  /** Returns whether completions correct predictions of the source with this word. */
  static boolean learns(String text) {
    return PUBLISHED.text.equals(text)
        || PUBLISHED_NEAREST.text.equals(text)
        || RUNNING_MEAN.text.equals(text);
  }
}
