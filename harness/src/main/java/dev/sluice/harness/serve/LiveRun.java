package dev.sluice.harness.serve;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.live.Run;
import dev.sluice.analytics.live.Snapshot;
import dev.sluice.contract.event.BatchesEnded;
import dev.sluice.contract.event.LatencyHistogram;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.event.RunSummarized;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run under way: its windows so far, and the pages that watch it. Its lock guards both, so that
 * what a page gets first and what it gets next leave no gap. Nothing is written under the lock.
 */
final class LiveRun implements ShownRun {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Seconds whose records are kept as they came. */
  private static final int SECONDS_HELD = 3600;

  /** Windows that are kept to be drawn: those of twelve hours. */
  private static final int WINDOWS_HELD = 12 * 3600;

  private static final long SECOND_NS = 1_000_000_000;

  private final String id;
  private final LaneBatches batches = new LaneBatches();

  /** Windows since time zero, or the last of them. */
  private final List<MetricsWindow> windows = new ArrayList<>();

  /** The last seconds, by number. */
  private final List<Second> seconds = new ArrayList<>();

  /** Pages, each with the last second that it has, until it has begun; then null. */
  private final Map<PageStream, @Nullable Long> pages = new HashMap<>();

  private final Totals totals = new Totals();
  private RunDescribed described;
  private boolean isDescribed;

  /** Sentences about what keeps the run from being shown whole, by what they are about. */
  private final Map<String, String> troubles = new LinkedHashMap<>();

  /** True once what the topics held at the beginning has been read. */
  private boolean caughtUp;

  private @Nullable RunSummarized summarized;
  private @Nullable Frame snapshot;
  private @Nullable ObjectNode lastRun;

  /** A settled second. */
  static final class Second {
    private final long number;
    private final byte[] json;

    private Second(long number, byte[] json) {
      this.number = number;
      this.json = json;
    }

    /** Whole seconds between time zero and its start. */
    long number() {
      return number;
    }

    Frame frame() {
      return Frame.of("second", Long.toString(number), json);
    }
  }

  /** Sums over all windows. */
  private static final class Totals {
    private long requested;
    private long ended;
    private long late;
    private double goodputPerSecond;
    private LatencyHistogram endToEnd = LatencyHistogram.EMPTY;

    void add(MetricsWindow window) {
      requested += window.total().requested();
      ended += window.total().ended();
      late += window.total().violations();
      goodputPerSecond += window.total().goodputPerSecond();
      LatencyHistogram more = window.total().endToEnd();
      if (more != null) {
        endToEnd = endToEnd.plus(more);
      }
    }
  }

  LiveRun(String id) {
    this.id = id;
    described = new RunDescribed(id, 0, List.of(), "", "", "", false, Map.of());
  }

  String id() {
    return id;
  }

  // What the topics say.

  void described(RunDescribed run) {
    List<PageStream> told;
    synchronized (this) {
      described = run;
      isDescribed = true;
      snapshot = null;
      told = begun();
      tellRunIfChanged(told);
    }
    told.forEach(PageStream::iterate);
  }

  /**
   * Adds a settled second. One that is known already is passed over.
   *
   * @param json the record as the topic holds it
   */
  void settled(MetricsWindow window, byte[] json) {
    long number = window.fromNs() / SECOND_NS;
    List<PageStream> told;
    synchronized (this) {
      if (!windows.isEmpty() && number <= lastSecond()) {
        return;
      }
      windows.add(window);
      totals.add(window);
      var second = new Second(number, json);
      seconds.add(second);
      if (seconds.size() >= 2 * SECONDS_HELD) {
        seconds.subList(0, seconds.size() - SECONDS_HELD).clear();
      }
      if (windows.size() > WINDOWS_HELD + SECONDS_HELD) {
        windows.subList(0, windows.size() - WINDOWS_HELD).clear();
        troubles.put("shortened", "the page keeps the last 12 to 13 hours of a run");
      }
      snapshot = null;
      told = begun();
      if (!told.isEmpty()) {
        Frame frame = second.frame();
        told.forEach(page -> page.offerSecond(frame));
        tellRunIfChanged(told);
      }
    }
    told.forEach(PageStream::iterate);
  }

  /**
   * Adds batches that have ended.
   *
   * @param json the record as the topic holds it
   */
  void lanes(BatchesEnded ended, byte[] json) {
    List<PageStream> told;
    synchronized (this) {
      batches.add(ended);
      snapshot = null;
      told = begun();
      if (!told.isEmpty()) {
        Frame frame = Frame.of("lanes", json);
        told.forEach(page -> page.offer(frame));
      }
    }
    told.forEach(PageStream::iterate);
  }

  /** What the topics held at the beginning has been read, as far as it can be. */
  void caughtUp() {
    List<PageStream> told;
    synchronized (this) {
      if (caughtUp) {
        return;
      }
      caughtUp = true;
      pages.replaceAll(
          (page, lastSecond) -> {
            if (lastSecond != null) {
              begin(page, lastSecond);
            }
            return null;
          });
      told = begun();
    }
    told.forEach(PageStream::iterate);
  }

  /**
   * Says what keeps the run from being shown whole, or that it does no more.
   *
   * @param about few words that name it
   * @param why a sentence; null: it is over
   */
  void trouble(String about, @Nullable String why) {
    List<PageStream> told;
    synchronized (this) {
      String before = why == null ? troubles.remove(about) : troubles.put(about, why);
      if (why == null ? before == null : why.equals(before)) {
        return;
      }
      snapshot = null;
      told = begun();
      tellRunIfChanged(told);
    }
    told.forEach(PageStream::iterate);
  }

  /** The run is over. The first such call counts. */
  void ended(RunSummarized how) {
    List<PageStream> told;
    synchronized (this) {
      if (summarized != null) {
        return;
      }
      summarized = how;
      caughtUp = true;
      snapshot = null;
      Frame last = Frame.of("ended", Frame.ENDED_ID, bytes(runJson()));
      told = List.copyOf(pages.keySet());
      pages.forEach(
          (page, lastSecond) -> {
            if (lastSecond != null) {
              begin(page, lastSecond);
            }
            page.offerLast(last);
          });
    }
    told.forEach(PageStream::iterate);
  }

  synchronized boolean hasEnded() {
    return summarized != null;
  }

  // Pages.

  /**
   * Sends a page all that comes.
   *
   * @param lastSecond last second that the page has; negative: none
   */
  void join(PageStream page, long lastSecond) {
    synchronized (this) {
      pages.put(page, caughtUp ? null : Long.valueOf(lastSecond));
      if (caughtUp) {
        begin(page, lastSecond);
      }
      if (summarized != null) {
        page.offerLast(Frame.of("ended", Frame.ENDED_ID, bytes(runJson())));
      }
    }
    page.iterate();
  }

  synchronized void leave(PageStream page) {
    pages.remove(page);
  }

  private void begin(PageStream page, long lastSecond) {
    boolean canGoOn =
        lastSecond >= 0
            && !seconds.isEmpty()
            && lastSecond <= lastSecond()
            && lastSecond() - lastSecond <= SECONDS_MAX
            && seconds.get(0).number() <= lastSecond + 1;
    if (canGoOn) {
      page.beginWith(lastSecond + 1);
    } else {
      page.beginWithSnapshot();
    }
  }

  private List<PageStream> begun() {
    return caughtUp ? List.copyOf(pages.keySet()) : List.of();
  }

  private void tellRunIfChanged(List<PageStream> told) {
    if (told.isEmpty()) {
      return;
    }
    ObjectNode run = runJson();
    ObjectNode timeless = run.deepCopy();
    timeless.remove("now_seconds");
    if (!timeless.equals(lastRun)) {
      Frame frame = Frame.of("run", bytes(run));
      told.forEach(page -> page.offer(frame));
    }
    lastRun = timeless;
  }

  /** The first kept second from a number on; null: there is none. Called with the lock. */
  @Nullable Second secondFrom(long number) {
    int low = 0;
    int high = seconds.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (seconds.get(middle).number() < number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < seconds.size() ? seconds.get(low) : null;
  }

  /** The event that stands for all before it. Called with the lock. */
  Frame snapshotFrame() {
    if (snapshot == null) {
      byte[] json = snapshotJson();
      snapshot =
          windows.isEmpty()
              ? Frame.of("snapshot", json)
              : Frame.of("snapshot", Long.toString(lastSecond()), json);
    }
    return snapshot;
  }

  private long lastSecond() {
    return seconds.get(seconds.size() - 1).number();
  }

  private Run shown() {
    return Run.of(described, summarized);
  }

  private ObjectNode runJson() {
    return completed(shown().json(windows));
  }

  private ObjectNode completed(ObjectNode run) {
    if (!isDescribed) {
      run.putNull("time_zero_epoch_ms");
    }
    if (run.get("words") instanceof ArrayNode words) {
      troubles.forEach((word, why) -> words.addObject().put("word", word).put("why", why));
    }
    return run;
  }

  private byte[] snapshotJson() {
    String json = Snapshot.json(shown(), windows, batches.last());
    if (isDescribed && troubles.isEmpty()) {
      return json.getBytes(StandardCharsets.UTF_8);
    }
    try {
      ObjectNode completed = (ObjectNode) JSON.readTree(json);
      completed.set("run", runJson());
      return bytes(completed);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a snapshot that is no JSON", e);
    }
  }

  private static byte[] bytes(ObjectNode json) {
    return json.toString().getBytes(StandardCharsets.UTF_8);
  }

  // What requests ask for.

  @Override
  public synchronized byte[] run() {
    return bytes(runJson());
  }

  @Override
  public synchronized byte[] snapshot() {
    return snapshotJson();
  }

  @Override
  public synchronized byte[] seconds(long fromS) {
    var json = new ByteArrayOutputStream();
    json.writeBytes("{\"seconds\":[".getBytes(StandardCharsets.UTF_8));
    Second next = secondFrom(fromS);
    for (int i = 0; next != null && i < SECONDS_MAX; i++) {
      if (i > 0) {
        json.write(',');
      }
      json.writeBytes(next.json);
      next = secondFrom(next.number() + 1);
    }
    json.writeBytes(
        ("],\"next\":" + (next == null ? null : Long.valueOf(next.number())) + "}")
            .getBytes(StandardCharsets.UTF_8));
    return json.toByteArray();
  }

  @Override
  public synchronized byte[] batches(double fromS, double toS) {
    return bytes(batches.between(fromS, toS, BATCHES_MAX));
  }

  /** The run's row in the list of runs; figures are of all jobs so far. */
  synchronized ListedRun listed() {
    Run run = shown();
    List<String> why = new ArrayList<>();
    run.words().values().forEach(why::addAll);
    why.addAll(troubles.values());
    Map<String, Double> figures = new HashMap<>();
    if (isDescribed) {
      figures.put("started_epoch_ms", (double) described.timeZeroEpochMs());
    }
    if (!windows.isEmpty()) {
      double spanS = windows.get(windows.size() - 1).toNs() / (double) SECOND_NS;
      figures.put("seconds", spanS);
      figures.put("rate_per_s", totals.requested / spanS);
      figures.put("goodput_per_s", totals.goodputPerSecond / spanS);
    }
    if (totals.ended > 0) {
      figures.put("late", totals.late / (double) totals.ended);
      figures.put("p99_ms", totals.endToEnd.percentileNs(99, totals.ended) / 1e6);
    }
    ListedRun.State state =
        switch (run.state()) {
          case LIVE -> ListedRun.State.LIVE;
          case ENDED -> ListedRun.State.ENDED;
          case FINISHED -> ListedRun.State.FINISHED;
          case FAILED -> ListedRun.State.FAILED;
        };
    return new ListedRun(id, state, List.copyOf(run.words().keySet()), why, run.policy(), figures);
  }
}
