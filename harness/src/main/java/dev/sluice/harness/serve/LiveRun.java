package dev.sluice.harness.serve;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.fold.WindowSums.JobSum;
import dev.sluice.analytics.live.Run;
import dev.sluice.analytics.live.Snapshot;
import dev.sluice.contract.event.BatchesEnded;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.serve.PageStream.Frame;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A run under way, read from its topics: its windows so far, and the pages that watch it. Its lock
 * guards both, so that what a page gets first and what it gets next leave no gap. Nothing is
 * written under the lock.
 */
final class LiveRun implements Runs, Runs.Shown {
  /** Seconds that are kept: those of twelve hours, and of one more before the first of them go. */
  private static final int SECONDS_HELD = 12 * 3600;

  private static final int SECONDS_HELD_MAX = 13 * 3600;

  final String id;
  private final LaneBatches batches = new LaneBatches();

  /** Windows since time zero, or the last of them, by second. */
  private final TreeMap<Long, MetricsWindow> windows = new TreeMap<>();

  private final Set<PageStream> pages = new HashSet<>();

  private JobSum jobs = JobSum.NONE;

  /** Sum over the seconds of the jobs that were done within their promise in one. */
  private double goodput;

  private @Nullable RunDescribed described;

  /** Sentences about what keeps the run from being shown whole, by what they are about. */
  private final Map<String, String> troubles = new LinkedHashMap<>();

  /** True once what the topics held at the beginning has been read. */
  private boolean caughtUp;

  private @Nullable RunSummarized summarized;
  private @Nullable Frame snapshot;
  private @Nullable ObjectNode lastRun;
  private volatile @Nullable TopicReading reading;

  LiveRun(String id) {
    this.id = id;
  }

  /** Begins to read the run's topics, and asks how it came out as {@link TopicReading} does. */
  TopicReading read(KafkaAccess kafka, Supplier<@Nullable RunSummarized> elsewhere) {
    TopicReading begun = new TopicReading(kafka, this, elsewhere);
    reading = begun;
    return begun;
  }

  @Override
  public void close() {
    TopicReading begun = reading;
    if (begun != null) {
      begun.close();
    }
  }

  // What the topics say.

  /**
   * Makes a change with the lock, and has the pages that have begun write what they have to; false:
   * nothing changed.
   */
  private void change(BooleanSupplier change) {
    List<PageStream> told;
    synchronized (this) {
      told = change.getAsBoolean() ? begun() : List.of();
    }
    told.forEach(PageStream::iterate);
  }

  /** Offers a frame to the pages that have begun, and makes none if there are none. */
  private void tell(Supplier<Frame> made, BiConsumer<PageStream, Frame> offer) {
    List<PageStream> told = begun();
    if (!told.isEmpty()) {
      Frame frame = made.get();
      told.forEach(page -> offer.accept(page, frame));
    }
  }

  void described(RunDescribed run) {
    change(
        () -> {
          described = run;
          tellRunIfChanged();
          return true;
        });
  }

  /** Adds a settled second. One that is known already is passed over. */
  void settled(MetricsWindow window) {
    long number = Shown.second(window);
    change(
        () -> {
          if (!windows.isEmpty() && number <= windows.lastKey()) {
            return false;
          }
          windows.put(number, window);
          jobs = jobs.plus(window.total());
          goodput += window.total().goodputPerSecond();
          if (windows.size() > SECONDS_HELD_MAX) {
            windows.headMap(number - SECONDS_HELD, true).clear();
            troubles.put("shortened", "the page keeps the last 12 to 13 hours of a run");
          }
          tell(() -> Frame.of(window), PageStream::offerSecond);
          tellRunIfChanged();
          return true;
        });
  }

  void lanes(BatchesEnded ended, byte[] json) {
    change(
        () -> {
          batches.add(ended);
          snapshot = null;
          tell(() -> Frame.of("lanes", null, json), PageStream::offer);
          return true;
        });
  }

  /** What the topics held at the beginning has been read, as far as it can be. */
  void caughtUp() {
    change(this::beginAll);
  }

  /** Begins all pages; false: they have begun. */
  private boolean beginAll() {
    if (caughtUp) {
      return false;
    }
    caughtUp = true;
    pages.forEach(this::begin);
    return true;
  }

  /** Says, under a few words, what keeps the run from being shown whole; null: nothing any more. */
  void trouble(String about, @Nullable String why) {
    change(
        () -> {
          String before = why == null ? troubles.remove(about) : troubles.put(about, why);
          if (Objects.equals(before, why)) {
            return false;
          }
          tellRunIfChanged();
          return true;
        });
  }

  /** The run is over. The first such call counts. */
  void ended(RunSummarized how) {
    change(
        () -> {
          if (summarized != null) {
            return false;
          }
          summarized = how;
          snapshot = null;
          boolean unused = beginAll();
          Frame last = endedFrame();
          pages.forEach(page -> page.offerLast(last));
          return true;
        });
  }

  private Frame endedFrame() {
    return Frame.of("ended", Frame.ENDED_ID, Shown.bytes(runJson()));
  }

  synchronized boolean hasEnded() {
    return summarized != null;
  }

  // Pages.

  /** Sends a page all that comes after its last second. */
  void join(PageStream page) {
    synchronized (this) {
      pages.add(page);
      if (caughtUp) {
        begin(page);
      }
      if (summarized != null) {
        page.offerLast(endedFrame());
      }
    }
    page.iterate();
  }

  synchronized void leave(PageStream page) {
    pages.remove(page);
  }

  private void begin(PageStream page) {
    long last = page.lastSecond;
    boolean canGoOn =
        last >= 0
            && !windows.isEmpty()
            && last <= windows.lastKey()
            && windows.lastKey() - last <= SECONDS_MAX
            && windows.firstKey() <= last + 1;
    if (canGoOn) {
      page.beginWith(last + 1);
    } else {
      page.beginWithSnapshot();
    }
  }

  private List<PageStream> begun() {
    return caughtUp ? List.copyOf(pages) : List.of();
  }

  /** Offers the pages that have begun the run's values, if these are others. */
  private void tellRunIfChanged() {
    snapshot = null;
    if (begun().isEmpty()) {
      return;
    }
    ObjectNode run = runJson();
    ObjectNode timeless = run.deepCopy();
    timeless.remove("now_seconds");
    if (!timeless.equals(lastRun)) {
      tell(() -> Frame.of("run", null, Shown.bytes(run)), PageStream::offer);
    }
    lastRun = timeless;
  }

  /** The first kept second from a number on; null: there is none. Called with the lock. */
  Map.@Nullable Entry<Long, MetricsWindow> secondFrom(long number) {
    return windows.ceilingEntry(number);
  }

  /** The event that stands for all before it. Called with the lock. */
  Frame snapshotFrame() {
    if (snapshot == null) {
      String last = windows.isEmpty() ? null : windows.lastKey().toString();
      snapshot = Frame.of("snapshot", last, snapshotJson());
    }
    return snapshot;
  }

  private Run shown() {
    RunDescribed known = described;
    return Run.of(
        known != null
            ? known
            : new RunDescribed(id, 0, List.of(), "", "", "", /* emulated= */ false, Map.of()),
        summarized);
  }

  private ObjectNode runJson() {
    ObjectNode run = shown().json(List.copyOf(windows.values()));
    if (described == null) {
      run.putNull("time_zero_epoch_ms");
    }
    if (run.get("words") instanceof ArrayNode words) {
      troubles.forEach((word, why) -> words.addObject().put("word", word).put("why", why));
    }
    return run;
  }

  private byte[] snapshotJson() {
    String json = Snapshot.json(runJson(), List.copyOf(windows.values()), batches.last());
    return json.getBytes(StandardCharsets.UTF_8);
  }

  // What requests ask for.

  @Override
  public byte[] list() {
    return ListedRun.json(List.of(listed()));
  }

  @Override
  public @Nullable Shown find(String asked) {
    return asked.equals(id) ? this : null;
  }

  @Override
  public synchronized byte[] run() {
    return Shown.bytes(runJson());
  }

  @Override
  public synchronized byte[] snapshot() {
    return snapshotJson();
  }

  @Override
  public synchronized byte[] seconds(long fromS) {
    return Shown.seconds(windows.tailMap(fromS).values());
  }

  @Override
  public synchronized byte[] batches(double fromS, double toS) {
    return Shown.bytes(batches.between(fromS, toS, BATCHES_MAX));
  }

  /** The run's row in the list of runs; figures are of all jobs so far. */
  synchronized ListedRun listed() {
    Run run = shown();
    List<String> why = new ArrayList<>();
    run.words().values().forEach(why::addAll);
    why.addAll(troubles.values());
    Map<String, Double> figures = new HashMap<>();
    if (described != null) {
      figures.put("started_epoch_ms", (double) described.timeZeroEpochMs());
    }
    if (!windows.isEmpty()) {
      double spanS = windows.lastEntry().getValue().toNs() / 1e9;
      figures.put("seconds", spanS);
      figures.put("rate_per_s", jobs.requested() / spanS);
      figures.put("goodput_per_s", goodput / spanS);
    }
    Double p99Ms = jobs.percentileMs(99);
    if (p99Ms != null) {
      figures.put("late", jobs.violations() / (double) jobs.ended());
      figures.put("p99_ms", p99Ms);
    }
    return new ListedRun(
        id, run.state(), List.copyOf(run.words().keySet()), why, run.policy(), figures);
  }
}
