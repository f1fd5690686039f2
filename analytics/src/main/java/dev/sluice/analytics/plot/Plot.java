package dev.sluice.analytics.plot;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.folder.Summary;
import java.awt.image.BufferedImage;
import java.util.Optional;

/** A picture of a run: one class, and one line in {@link Plots}. */
interface Plot {
  /** Subject of the picture, with which its title begins. */
  String subject();

  /** False if runs like this one have no such picture. */
  default boolean isDrawnFor(RunRows run) {
    return true;
  }

  /** The picture; empty if the run has nothing to show. */
  Optional<BufferedImage> draw(RunRows run, Summary summary);
}
