package dev.sluice.producer.arrivals;

import dev.sluice.contract.experiment.LoadShape.Step;
import dev.sluice.contract.experiment.LoadShape.Steps;
import java.util.ArrayList;
import java.util.List;

/**
 * Time under a rate that is made of segments, in each of which it is constant or changes linearly.
 * The integral of a segment is inverted in closed form.
 */
final class SegmentedTime implements RescaledTime {
  private final List<Segment> segments;
  private int present;

  /** Value of the integral at the beginning of the present segment. */
  private double valueBefore;

  /**
   * A piece of the rate, up to the beginning of the next piece, the last one without end.
   *
   * @param fromSeconds beginning, since time zero
   * @param factor factor of the mean rate at the beginning
   * @param slope change of the factor per second
   */
  record Segment(double fromSeconds, double factor, double slope) {
    double integral(double seconds) {
      return (factor + slope * seconds / 2) * seconds;
    }

    /** Time from the segment's beginning after which the integral reaches a value above 0. */
    double secondsTo(double value) {
      double root = Math.sqrt(Math.max(0, factor * factor + 2 * slope * value));
      return 2 * value / (factor + root);
    }
  }

  /**
   * @param segments by time, the first from time zero
   */
  SegmentedTime(List<Segment> segments) {
    this.segments = List.copyOf(segments);
  }

  static SegmentedTime of(Steps steps) {
    List<Segment> segments = new ArrayList<>();
    double factor = 1;
    segments.add(new Segment(0, factor, 0));
    for (Step step : steps.steps()) {
      if (step.overSeconds() > 0) {
        double slope = (step.factor() - factor) / step.overSeconds();
        segments.add(new Segment(step.atSeconds(), factor, slope));
      }
      factor = step.factor();
      segments.add(new Segment(step.atSeconds() + step.overSeconds(), factor, 0));
    }
    return new SegmentedTime(segments);
  }

  double integralSeconds(double untilSeconds) {
    double sum = 0;
    for (int i = 0; i < segments.size(); i++) {
      Segment segment = segments.get(i);
      double toSeconds =
          i + 1 < segments.size()
              ? Math.min(untilSeconds, segments.get(i + 1).fromSeconds())
              : untilSeconds;
      if (toSeconds > segment.fromSeconds()) {
        sum += segment.integral(toSeconds - segment.fromSeconds());
      }
    }
    return sum;
  }

  @Override
  public long atNs(long evenNs) {
    double value = evenNs / 1e9;
    while (present + 1 < segments.size()) {
      double whole = segments.get(present).integral(lengthSeconds());
      if (value < valueBefore + whole) {
        break;
      }
      valueBefore += whole;
      present++;
    }
    Segment segment = segments.get(present);
    double ahead = value - valueBefore;
    if (ahead <= 0) {
      return Math.round(segment.fromSeconds() * 1e9);
    }
    double seconds = segment.secondsTo(ahead);
    if (present + 1 < segments.size()) {
      seconds = Math.min(seconds, lengthSeconds());
    }
    double atNs = (segment.fromSeconds() + seconds) * 1e9;
    return atNs < NEVER_NS ? Math.round(atNs) : NEVER_NS;
  }

  private double lengthSeconds() {
    return segments.get(present + 1).fromSeconds() - segments.get(present).fromSeconds();
  }
}
