package dev.sluice.layers.schedule;

/**
 * What a loop over a model's layers fires, on its own thread. Layers count from 0. A hook that
 * throws ends the step.
 */
public interface Hooks {
  /** A step begins: a batch of inference, or one of training. */
  void onStepStart();

  /** The layer is about to be computed; its parameters must be resident when this returns. */
  void onPreForward(int layer);

  /** The layer has been computed, and nothing reads its parameters any more. */
  void onPostForward(int layer);

  /** The layer's gradients are about to be computed; its parameters must then be resident. */
  void onPreBackward(int layer);

  /** The layer's gradients are computed and applied. */
  void onPostBackward(int layer);

  void onStepEnd();
}
