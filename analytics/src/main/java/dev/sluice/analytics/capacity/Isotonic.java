package dev.sluice.analytics.capacity;

/**
 * The monotone fit of least squares, by pooling adjacent violators (R. E. Barlow et al.,
 * Statistical Inference under Order Restrictions, Wiley 1972).
 */
public final class Isotonic {
  private Isotonic() {}

  /** The rising values that are nearest to the given ones, which are in order. */
  public static double[] rising(double[] values) {
    var mean = new double[values.length];
    var size = new int[values.length];
    int pools = 0;
    for (double value : values) {
      mean[pools] = value;
      size[pools] = 1;
      pools++;
      while (pools > 1 && mean[pools - 2] > mean[pools - 1]) {
        int both = size[pools - 2] + size[pools - 1];
        mean[pools - 2] =
            (mean[pools - 2] * size[pools - 2] + mean[pools - 1] * size[pools - 1]) / both;
        size[pools - 2] = both;
        pools--;
      }
    }
    var fit = new double[values.length];
    int next = 0;
    for (int pool = 0; pool < pools; pool++) {
      for (int i = 0; i < size[pool]; i++) {
        fit[next++] = mean[pool];
      }
    }
    return fit;
  }
}
