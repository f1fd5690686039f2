package dev.sluice.analytics.plot;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.folder.Summary;
import dev.sluice.contract.experiment.Experiment;
import java.awt.image.BufferedImage;
import java.util.Optional;

/** A picture of a run: one class, and one line in {@link Plots}. */
interface Plot {
  /** Subject of the picture, with which its title begins. */
  String subject();

  /** Returns false if runs of such an experiment have no such picture. */
  default boolean isDrawnFor(Experiment experiment) {
    return true;
  }

  /**
   * Draws the picture.
   *
   * @param frame title and notes of the run, to which the picture adds its legend
   * @return empty if the run has nothing to show
   */
  Optional<BufferedImage> draw(RunRows run, Summary summary, PictureFrame frame);
}
