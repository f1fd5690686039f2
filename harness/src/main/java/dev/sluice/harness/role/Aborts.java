package dev.sluice.harness.role;

import dev.sluice.analytics.abort.AbortFold;
import dev.sluice.contract.experiment.Experiment.Threshold;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.producer.requests.RequestList;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Thresholds that end a run, joined to its list of requests. */
public final class Aborts {
  private Aborts() {}

  public static boolean any(ParsedExperiment parsed) {
    return parsed.experiment().thresholds().values().stream().anyMatch(Threshold::abort);
  }

  /** The fold that watches the thresholds with {@code abort}; null: there are none. */
  public static @Nullable AbortFold of(ParsedExperiment parsed, RequestList requests)
      throws UserMistakeException {
    return AbortFold.of(
        parsed, () -> IntStream.range(0, requests.size()).mapToObj(requests::get).iterator());
  }
}
