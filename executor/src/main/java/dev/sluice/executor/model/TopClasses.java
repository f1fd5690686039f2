package dev.sluice.executor.model;

import java.util.ArrayList;
import java.util.List;

/** Reads classes off logits. */
public final class TopClasses {
  private TopClasses() {}

  /**
   * Returns the {@code k} likeliest classes, the likeliest first, the lower number first among
   * equals; fewer if there are fewer classes.
   */
  public static List<Integer> of(float[] logits, int k) {
    var best = new ArrayList<Integer>(k + 1);
    for (int c = 0; c < logits.length; c++) {
      int at = best.size();
      while (at > 0 && logits[c] > logits[best.get(at - 1)]) {
        at--;
      }
      if (at < k) {
        best.add(at, c);
        if (best.size() > k) {
          best.remove(k);
        }
      }
    }
    return best;
  }

  /**
   * Returns the result of a job that its completion carries: the likeliest class of each of its
   * first {@code samplesMax} samples, in their order.
   *
   * @param logits as {@link InferenceSession#infer} gives them
   * @param firstRow index in {@code logits} at which the job's samples begin
   */
  public static List<Integer> ofJob(float[][] logits, int firstRow, int samples, int samplesMax) {
    var classes = new ArrayList<Integer>();
    for (int row = firstRow; row < firstRow + Math.min(samples, samplesMax); row++) {
      classes.addAll(of(logits[row], 1));
    }
    return classes;
  }
}
