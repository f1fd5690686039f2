package dev.sluice.analytics.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.fold.WindowSums.JobSum;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.MetricsWindow.Counts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * How a run went, as columns of equal length: a point a second for the last ten minutes, of ten
 * seconds for the hour before, and of a minute before that. A point of several seconds adds counts
 * and histograms; its percentiles are those of the added histogram. Waiting jobs are the most (and,
 * in {@code waiting_min}, the fewest) at any of its seconds' ends, lateness is the largest, the
 * prediction error the median of its seconds' medians, the rest a mean over time.
 */
public final class Points {
  private static final int SECONDS = 600;
  private static final int HOUR_SECONDS = 3600;
  private static final int MIDDLE_SPAN = 10;
  private static final int LONG_SPAN = 60;
  private static final double MS = 1e6;

  private final List<List<MetricsWindow>> spans;

  private Points(List<List<MetricsWindow>> spans) {
    this.spans = spans;
  }

  /** The points of a run, whose seconds are in order, each once. */
  public static Points of(List<MetricsWindow> windows) {
    return of(windows, 1);
  }

  /**
   * The points of a run, fewer of them.
   *
   * @param coarseness at least 1; at 2 there are half as many points of each span, and the longest
   *     span is twice as long
   */
  static Points of(List<MetricsWindow> windows, int coarseness) {
    List<List<MetricsWindow>> spans = new ArrayList<>();
    if (windows.isEmpty()) {
      return new Points(spans);
    }
    long end = second(windows.get(windows.size() - 1)) + 1;
    int longSpan = LONG_SPAN * coarseness;
    long singlesFrom = upTo(end - SECONDS / coarseness, MIDDLE_SPAN);
    long middleFrom = upTo(singlesFrom - HOUR_SECONDS / coarseness, longSpan);
    long spanFrom = Long.MIN_VALUE;
    for (MetricsWindow window : windows) {
      long second = second(window);
      int span = second >= singlesFrom ? 1 : second >= middleFrom ? MIDDLE_SPAN : longSpan;
      long from = Math.floorDiv(second, span) * span;
      if (from != spanFrom) {
        spans.add(new ArrayList<>(span));
        spanFrom = from;
      }
      spans.get(spans.size() - 1).add(window);
    }
    return new Points(spans);
  }

  /** At most that many points, each of as many whole seconds. */
  static Points evenly(List<MetricsWindow> windows, int pointsMax) {
    List<List<MetricsWindow>> spans = new ArrayList<>();
    int each = Math.max(1, (windows.size() + pointsMax - 1) / pointsMax);
    for (int from = 0; from < windows.size(); from += each) {
      spans.add(windows.subList(from, Math.min(windows.size(), from + each)));
    }
    return new Points(spans);
  }

  private static long second(MetricsWindow window) {
    return window.fromNs() / 1_000_000_000L;
  }

  private static long upTo(long second, int span) {
    return Math.floorDiv(second + span - 1, span) * span;
  }

  public int size() {
    return spans.size();
  }

  public ObjectNode json() {
    ObjectNode columns = Json.object();
    column(columns, "from_s", span -> Json.whole(second(span.get(0))));
    column(
        columns,
        "span_s",
        span -> Json.whole(second(span.get(span.size() - 1)) - second(span.get(0)) + 1));
    column(columns, "waiting", span -> largest(span, w -> (double) w.waiting()));
    column(columns, "waiting_min", span -> chosen(span, w -> (double) w.waiting(), Math::min));
    column(columns, "running", span -> largest(span, w -> (double) w.running()));
    column(columns, "lanes", span -> largest(span, w -> (double) w.lanes()));
    column(columns, "lane_use", span -> Json.number(mean(span, MetricsWindow::laneUse)));
    ObjectNode blocked = columns.putObject("blocked_ms");
    for (String cause : names(window -> window.blockedNs().keySet())) {
      column(
          blocked,
          cause,
          span ->
              Json.number(
                  span.stream().mapToLong(w -> w.blockedNs().getOrDefault(cause, 0L)).sum() / MS));
    }
    column(columns, "tokens_in_use", span -> largest(span, w -> orNull(w.tokensInUse())));
    column(columns, "tokens", span -> largest(span, w -> orNull(w.tokens())));
    column(columns, "lateness_max_ms", span -> largest(span, MetricsWindow::sendLatenessMsMax));
    column(columns, "lateness_p99_ms", span -> largest(span, MetricsWindow::sendLatenessMsP99));
    column(columns, "batches", span -> predictions(span, MetricsWindow.Predictions::batches));
    column(columns, "beyond_p95", span -> predictions(span, MetricsWindow.Predictions::beyondP95));
    column(columns, "beyond_p99", span -> predictions(span, MetricsWindow.Predictions::beyondP99));
    column(columns, "prediction_error", span -> Json.number(medianError(span)));
    counts(columns.putObject("total"), MetricsWindow::total, MetricsWindow::waiting);
    ObjectNode classes = columns.putObject("classes");
    for (String name : names(window -> window.byClass().keySet())) {
      counts(classes.putObject(name), window -> window.byClass().get(name), window -> null);
    }
    return columns;
  }

  private interface Of<T> extends Function<T, @Nullable Double> {}

  private void column(
      ObjectNode columns, String name, Function<List<MetricsWindow>, JsonNode> value) {
    column(columns, name, spans, value);
  }

  private static <T> void column(
      ObjectNode columns, String name, List<T> rows, Function<T, JsonNode> value) {
    var column = columns.putArray(name);
    rows.forEach(row -> column.add(value.apply(row)));
  }

  private Set<String> names(Function<MetricsWindow, Set<String>> of) {
    var names = new TreeSet<String>();
    spans.forEach(span -> span.forEach(window -> names.addAll(of.apply(window))));
    return names;
  }

  private void counts(
      ObjectNode columns,
      Function<MetricsWindow, @Nullable Counts> part,
      Function<MetricsWindow, @Nullable Long> waitingOf1) {
    List<Sum> sums = spans.stream().map(span -> Sum.of(span, part, waitingOf1)).toList();
    column(columns, "requested", sums, sum -> Json.whole(sum.jobs().requested()));
    column(columns, "done", sums, sum -> Json.whole(sum.jobs().done()));
    column(columns, "dropped", sums, sum -> Json.whole(sum.jobs().dropped()));
    column(columns, "failed", sums, sum -> Json.whole(sum.jobs().failed()));
    column(columns, "violations", sums, sum -> Json.whole(sum.jobs().violations()));
    column(columns, "waiting", sums, sum -> Json.whole(sum.waiting()));
    for (int percent : new int[] {50, 95, 99}) {
      column(columns, "p" + percent + "_ms", sums, sum -> Json.number(sum.percentileMs(percent)));
    }
  }

  /** Jobs of a class, or all, over the seconds of a point; with the counts of an only second. */
  private record Sum(JobSum jobs, @Nullable Long waiting, @Nullable Counts only) {
    /** {@code waitingOf1}: waiting jobs of a record of version 1, whose counts do not tell them. */
    static Sum of(
        List<MetricsWindow> span,
        Function<MetricsWindow, @Nullable Counts> part,
        Function<MetricsWindow, @Nullable Long> waitingOf1) {
      JobSum jobs = JobSum.NONE;
      Long most = null;
      Counts only = null;
      for (MetricsWindow window : span) {
        Counts counts = part.apply(window);
        if (counts != null) {
          jobs = jobs.plus(counts);
          only = span.size() == 1 ? counts : null;
          Long waiting = counts.waiting() == null ? waitingOf1.apply(window) : counts.waiting();
          if (waiting != null) {
            most = most == null ? waiting : Long.valueOf(Math.max(most, waiting));
          }
        }
      }
      return new Sum(jobs, most, only);
    }

    @Nullable Double percentileMs(int percent) {
      if (only != null && jobs.ended() > 0) {
        Double exact =
            percent == 50 ? only.p50E2eMs() : percent == 95 ? only.p95E2eMs() : only.p99E2eMs();
        return exact == null ? Double.valueOf(Double.POSITIVE_INFINITY) : exact;
      }
      return jobs.whole() ? jobs.percentileMs(percent) : null;
    }
  }

  private static @Nullable Double orNull(@Nullable Long value) {
    return value == null ? null : Double.valueOf(value);
  }

  private static JsonNode largest(List<MetricsWindow> span, Of<MetricsWindow> value) {
    return chosen(span, value, Math::max);
  }

  /** One of the values of those seconds that have one; null if none has. */
  private static JsonNode chosen(
      List<MetricsWindow> span, Of<MetricsWindow> value, BinaryOperator<Double> choice) {
    Double chosen = null;
    for (MetricsWindow window : span) {
      Double one = value.apply(window);
      if (one != null) {
        chosen = chosen == null ? one : choice.apply(chosen, one);
      }
    }
    return Json.number(chosen);
  }

  private static @Nullable Double mean(List<MetricsWindow> span, Of<MetricsWindow> value) {
    double sum = 0;
    int count = 0;
    for (MetricsWindow window : span) {
      Double one = value.apply(window);
      if (one != null) {
        sum += one;
        count++;
      }
    }
    return count == 0 ? null : Double.valueOf(sum / count);
  }

  private static JsonNode predictions(
      List<MetricsWindow> span, ToLongFunction<MetricsWindow.Predictions> value) {
    long sum = 0;
    boolean told = false;
    for (MetricsWindow window : span) {
      MetricsWindow.Predictions predictions = window.predictions();
      if (predictions != null) {
        told = true;
        sum += value.applyAsLong(predictions);
      }
    }
    return Json.whole(told ? Long.valueOf(sum) : null);
  }

  /** The median of the seconds' medians, each as often as it has batches. */
  private static @Nullable Double medianError(List<MetricsWindow> span) {
    var batches = new TreeMap<Double, Long>(Comparator.naturalOrder());
    long all = 0;
    for (MetricsWindow window : span) {
      MetricsWindow.Predictions predictions = window.predictions();
      if (predictions != null && predictions.medianError() != null) {
        batches.merge(predictions.medianError(), predictions.batches(), Long::sum);
        all += predictions.batches();
      }
    }
    long seen = 0;
    for (Map.Entry<Double, Long> entry : batches.entrySet()) {
      seen += entry.getValue();
      if (2 * seen >= all) {
        return entry.getKey();
      }
    }
    return null;
  }
}
