package dev.sluice.executor.latency;

import dev.sluice.executor.latency.LatencyModel.Method;
import dev.sluice.executor.latency.LatencyModel.Reach;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Models whose methods a test chooses. */
final class Models {
  private Models() {}

  /** Returns a model of the simple methods, calibrated on each pass in turn. */
  static LatencyModel ofMedians(List<ProfileRow> rows) {
    return of(rows, Method.MEDIAN, Method.INTERPOLATED, Method.LINE);
  }

  static LatencyModel of(List<ProfileRow> rows, Method seen, Method between, Method beyond) {
    Map<Reach, Method> choice = new EnumMap<>(Reach.class);
    choice.put(Reach.SEEN, seen);
    choice.put(Reach.BETWEEN, between);
    choice.put(Reach.BEYOND, beyond);
    var sorted = rows.stream().sorted(ProfileRow.ORDER).toList();
    var first =
        new LatencyModel(
            SyntheticProfile.DEVICE_KIND,
            5,
            choice,
            sorted,
            Fit.to(sorted, 5, choice.values()),
            new TreeMap<>());
    return Trainer.refit(first, rows);
  }
}
