package dev.sluice.layers.schedule;

import java.util.Locale;

/** What a loop over a model's layers fires, on its own thread. A hook that throws ends the step. */
@FunctionalInterface
public interface Hooks {
  /** Layer of a hook of the whole step. */
  int NO_LAYER = -1;

  /**
   * Takes a hook that fires.
   *
   * @param layer index of the layer, from 0; {@link #NO_LAYER} at a step's begin and end
   */
  void on(Hook hook, int layer);

  /** A moment of a step. */
  enum Hook {
    /** A step begins: a batch of inference, or one of training. */
    STEP_START,
    /** The layer is about to be computed; its parameters must be resident behind this. */
    PRE_FORWARD,
    /** The layer has been computed, and nothing reads its parameters any more. */
    POST_FORWARD,
    /** The layer's gradients are about to be computed; its parameters must then be resident. */
    PRE_BACKWARD,
    /** The layer's gradients are computed and applied. */
    POST_BACKWARD,
    STEP_END;

    private final String text = "on_" + name().toLowerCase(Locale.ROOT);

    /** The name in traces and messages: {@code on_pre_forward}. */
    @Override
    public String toString() {
      return text;
    }
  }
}
