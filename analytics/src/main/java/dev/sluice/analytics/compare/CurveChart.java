package dev.sluice.analytics.compare;

import dev.sluice.analytics.compare.LatencyCurves.Curve;
import java.math.BigDecimal;
import java.util.Locale;

/**
 * A chart of two cumulative distributions of latencies as SVG: the share of jobs done within a
 * time, or the share that was not, on a logarithmic axis. The time has a logarithmic axis. Steps
 * are drawn as exactly as the picture's points allow.
 */
final class CurveChart {
  private static final int WIDTH = 560;
  private static final int HEIGHT = 320;
  private static final int LEFT = 76;
  private static final int RIGHT = 14;
  private static final int TOP = 12;
  private static final int BOTTOM = 46;
  private static final double[] TENTHS = {0, 0.2, 0.4, 0.6, 0.8, 1};
  private static final double MARGIN = 1.1;

  private final double fromMs;
  private final double toMs;
  private final boolean beyond;
  private final double floor;
  private final StringBuilder svg = new StringBuilder();

  private CurveChart(Curve a, Curve b, boolean beyond) {
    double least = Math.min(first(a), first(b));
    double most = Math.max(last(a), last(b));
    this.fromMs = Math.max(1e-6, least / MARGIN);
    this.toMs = Math.max(most * MARGIN, this.fromMs * 10);
    this.beyond = beyond;
    this.floor = Math.pow(10, Math.floor(Math.log10(0.5 / Math.max(a.count(), b.count()))));
  }

  private static double first(Curve curve) {
    return curve.doneMs().length == 0 ? Double.POSITIVE_INFINITY : curve.doneMs()[0];
  }

  private static double last(Curve curve) {
    return curve.doneMs().length == 0 ? 0 : curve.doneMs()[curve.doneMs().length - 1];
  }

  /**
   * Draws both curves; one of them has a done job.
   *
   * @param beyond true: the share not done within, on a logarithmic axis
   */
  static String of(Curve a, Curve b, boolean beyond, String title) {
    return new CurveChart(a, b, beyond).draw(a, b, title);
  }

  private String draw(Curve a, Curve b, String title) {
    svg.append(
        "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n"
            .formatted(WIDTH, HEIGHT, title));
    grid();
    curve(a, "a");
    curve(b, "b");
    text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 8, "middle", "intended arrival to end, ms");
    svg.append(
        "<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n"
            .formatted(
                (TOP + HEIGHT - BOTTOM) / 2,
                beyond ? "share not done within (1 − p)" : "share done within"));
    return svg.append("</svg>\n").toString();
  }

  private void grid() {
    for (double power = Math.floor(Math.log10(fromMs)); power <= Math.log10(toMs); power++) {
      for (int digit = 1; digit < 10; digit++) {
        double ms = digit * Math.pow(10, power);
        if (ms >= fromMs && ms <= toMs) {
          line(x(ms), y(yMin()), x(ms), y(1), digit == 1 ? "grid" : "grid fine");
          if (digit == 1 || digit == 2 || digit == 5) {
            text(x(ms), HEIGHT - BOTTOM + 16, "middle", plain(ms));
          }
        }
      }
    }
    if (beyond) {
      for (double share = 1; share >= floor * 0.999; share /= 10) {
        line(LEFT, y(share), WIDTH - RIGHT, y(share), "grid");
        text(LEFT - 6, y(share) + 4, "end", plain(share));
      }
    } else {
      for (double share : TENTHS) {
        line(LEFT, y(share), WIDTH - RIGHT, y(share), "grid");
        text(LEFT - 6, y(share) + 4, "end", plain(share));
      }
    }
  }

  private static String plain(double value) {
    return new BigDecimal(String.format(Locale.ROOT, "%.1g", value))
        .stripTrailingZeros()
        .toPlainString();
  }

  private double yMin() {
    return beyond ? floor : 0;
  }

  private double x(double ms) {
    double share = Math.log(ms / fromMs) / Math.log(toMs / fromMs);
    return LEFT + share * (WIDTH - LEFT - RIGHT);
  }

  private double y(double share) {
    double height = beyond ? 1 - Math.log10(Math.max(share, floor)) / Math.log10(floor) : share;
    return HEIGHT - BOTTOM - height * (HEIGHT - TOP - BOTTOM);
  }

  /** A step at each done job; steps within a tenth of a point are one. */
  private void curve(Curve curve, String name) {
    double[] ms = curve.doneMs();
    var path = new StringBuilder();
    double height = y(beyond ? 1 : 0);
    path.append("M%.1f %.1f".formatted((double) LEFT, height));
    for (int i = 0; i < ms.length; i++) {
      String x = at(x(Math.max(ms[i], fromMs)));
      if (i + 1 < ms.length && at(x(Math.max(ms[i + 1], fromMs))).equals(x)) {
        continue;
      }
      double within = (i + 1.0) / curve.count();
      if (beyond && i + 1 == curve.count()) {
        path.append("H").append(x); // the last job: nothing is left beyond it
        break;
      }
      path.append("H").append(x).append("V").append(at(y(beyond ? 1 - within : within)));
    }
    if (ms.length < curve.count() || !beyond) {
      path.append("H").append(WIDTH - RIGHT);
    }
    svg.append("<path class=\"").append(name).append("\" d=\"").append(path).append("\"/>\n");
  }

  private static String at(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  private void line(double x1, double y1, double x2, double y2, String kind) {
    svg.append(
        "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" class=\"%s\"/>\n"
            .formatted(at(x1), at(y1), at(x2), at(y2), kind));
  }

  private void text(double x, double y, String anchor, String words) {
    svg.append(
        "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>\n"
            .formatted(at(x), at(y), anchor, words));
  }
}
