package dev.sluice.producer.requests;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.LoadShape;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.Replay;
import dev.sluice.contract.experiment.Replay.Source;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RecordedRequest;
import dev.sluice.contract.log.RequestKind;
import dev.sluice.producer.arrivals.RescaledTime;
import dev.sluice.producer.requests.RequestList.IsolatedTimes;
import dev.sluice.producer.trace.Trace;
import dev.sluice.producer.trace.Trace.TraceOptions;
import dev.sluice.producer.trace.Trace.TraceOptions.Window;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Requests that a file holds, at their intended times, which a speed may divide. What the file does
 * not say of a request is drawn from the experiment's mix, by its seed.
 *
 * <p>Time zero of the run is the recorded time max(0, from − speed × warm-up): what was recorded
 * before {@code from} is played as warm-up, and is never measured.
 */
final class ReplayedRequests {
  private static final double NS_PER_SECOND = 1e9;

  private final Experiment experiment;
  private final Replay replay;
  private final String shown;
  private final double speed;
  private final long beginNs;
  private final long runEndNs;
  private final Trace trace;
  private final Map<RequestKind, RequestKind> kinds;
  private final IsolatedTimes isolatedTimes;
  private final List<String> notes = new ArrayList<>();

  ReplayedRequests(ParsedExperiment parsed, Replay replay, IsolatedTimes isolatedTimes)
      throws UserMistakeException {
    this.experiment = parsed.experiment();
    this.replay = replay;
    this.isolatedTimes = isolatedTimes;
    Path file = parsed.resolve(replay.file());
    this.shown = file.toString();
    this.runEndNs = experiment.load().tailEndNs();
    RecordedLoad whole =
        replay.source() == Source.REPLAY
            ? RecordedLoad.read(file, replay.salvage(), parsed.vocabulary())
            : null;
    this.speed = speed(file);
    double fromSeconds = replay.scale().fromSeconds();
    double warmUpSeconds = experiment.load().warmupSeconds();
    this.beginNs = Math.max(0, Math.round((fromSeconds - speed * warmUpSeconds) * NS_PER_SECOND));
    boolean even = experiment.load().shape().equals(LoadShape.even());
    long endNs = even ? saturated(beginNs + Math.ceil(runEndNs * speed)) : Long.MAX_VALUE;
    var window = new Window(beginNs, toNs(), endNs);
    this.trace = whole == null ? Trace.read(file, options(window)) : whole.within(window);
    if (trace.requests().isEmpty() || lastNs(trace) < fromSeconds * NS_PER_SECOND) {
      throw nothingLeft(parsed);
    }
    Map<RequestKind, Long> counts = new LinkedHashMap<>();
    trace.requests().forEach(request -> counts.merge(request.kind(), 1L, Long::sum));
    var names = new ReplayedKinds(experiment, replay.names(), shown);
    this.kinds = names.of(counts);
    note(parsed, names, counts);
  }

  private static long lastNs(Trace trace) {
    return trace.requests().get(trace.requests().size() - 1).intendedAtNs();
  }

  private double speed(Path file) throws UserMistakeException {
    Double rate = replay.scale().ratePerSecond();
    if (rate == null) {
      return replay.scale().speed();
    }
    long fromNs = Math.round(replay.scale().fromSeconds() * NS_PER_SECOND);
    Trace part = Trace.read(file, options(new Window(fromNs, toNs(), Long.MAX_VALUE)));
    int size = part.requests().size();
    long endNs = replay.scale().toSeconds() != null || size == 0 ? toNs() : lastNs(part);
    double seconds = (endNs - fromNs) / NS_PER_SECOND;
    return size == 0 || seconds <= 0 ? 1 : rate * seconds / size;
  }

  private long toNs() {
    Double to = replay.scale().toSeconds();
    return to == null ? Long.MAX_VALUE : saturated(to * NS_PER_SECOND);
  }

  private static long saturated(double ns) {
    return ns >= Long.MAX_VALUE ? Long.MAX_VALUE : (long) ns;
  }

  private TraceOptions options(Window window) {
    return new TraceOptions(
        replay.columns(),
        attribute -> ReplayedKinds.known(experiment, attribute),
        window,
        replay.spread(),
        experiment.seed());
  }

  private UserMistakeException nothingLeft(ParsedExperiment parsed) {
    return new UserMistakeException(
        parsed.location("arrivals.from"),
        "no request of (%s) is left between from (%s s) and the end of what is played (%,d read%s)"
            .formatted(
                shown,
                Numbers.text(replay.scale().fromSeconds()),
                trace.read(),
                leftOut(trace.leftOut())),
        "from is past the file's end, or counts in another unit: it is seconds of the recording");
  }

  private static String leftOut(Map<String, Long> byReason) {
    return byReason.entrySet().stream()
        .map(e -> String.format(Locale.ROOT, "; %,d %s", e.getValue(), e.getKey()))
        .collect(Collectors.joining());
  }

  private void note(ParsedExperiment parsed, ReplayedKinds names, Map<RequestKind, Long> counts) {
    Map<String, Long> left = new LinkedHashMap<>(trace.leftOut());
    long kept = 0;
    for (var count : counts.entrySet()) {
      kept += kinds.containsKey(count.getKey()) ? count.getValue() : 0;
    }
    long dropped = trace.requests().size() - kept;
    if (dropped > 0) {
      left.put("dropped by name", dropped);
    }
    notes.add(
        String.format(
            Locale.ROOT,
            "%s (%s): %,d of %,d requests%s",
            replay.words(),
            trace.format(),
            kept,
            trace.read(),
            leftOut(left)));
    notes.addAll(trace.notes());
    notes.addAll(names.unused());
    Collection<RequestKind> used = kinds.values();
    List<String> idle = new ArrayList<>();
    idle.add("arrival_rate_jobs_per_sec");
    if (used.stream().allMatch(kind -> kind.classType() != null)) {
      idle.add("interactive_ratio");
    }
    if (used.stream().allMatch(kind -> kind.samples() > 0)) {
      idle.add("batch_sizes");
    }
    idle.removeIf(key -> !parsed.locations().containsKey(key));
    if (!idle.isEmpty()) {
      notes.add("without effect on a replay: " + String.join(", ", idle));
    }
    List<Integer> cold =
        used.stream()
            .map(RequestKind::samples)
            .filter(samples -> samples > 0 && !experiment.jobs().batchSizes().contains(samples))
            .distinct()
            .sorted()
            .toList();
    if (!cold.isEmpty()) {
      notes.add("not warmed up, since batch_sizes lacks them: jobs of samples " + cold);
    }
    double lastSeconds = at(lastNs(trace)) / NS_PER_SECOND;
    if (experiment.load().shape().equals(LoadShape.even())
        && lastSeconds < experiment.load().durationSeconds()) {
      notes.add(
          String.format(
              Locale.ROOT,
              "the last request comes at %.1f s, and the measured window ends at %s s",
              lastSeconds,
              Numbers.text(experiment.load().durationSeconds())));
    }
  }

  /**
   * @param rescaled time as the shape of the load bends it
   */
  RequestList list(RescaledTime rescaled) {
    var mix = new JobMix(experiment, isolatedTimes);
    var list = new RequestList.Builder();
    for (RecordedRequest request : trace.requests()) {
      long intendedAtNs = rescaled.atNs(at(request.intendedAtNs()));
      RequestKind kind = kinds.get(request.kind());
      if (kind != null && intendedAtNs < runEndNs) {
        list.add(kind.isComplete() ? JobKind.of(kind) : mix.next(kind), intendedAtNs);
      }
    }
    return list.build(notes);
  }

  /** Before the shape bends it; at speed 1 each nanosecond is kept. */
  private long at(long recordedNs) {
    long sinceBeginNs = recordedNs - beginNs;
    return speed == 1 ? sinceBeginNs : (long) (sinceBeginNs / speed);
  }
}
