package dev.sluice.harness.serve;

import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.harness.machine.MachineClock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingCallback;
import org.jspecify.annotations.Nullable;

/**
 * The stream of one page: one write at a time, none of which blocks a thread. What waits for a page
 * is guarded by the lock of its run, so that a snapshot and the events after it leave no gap.
 *
 * <p>A page that does not read costs at most {@value #FRAMES_MAX} frames or {@value #BYTES_MAX}
 * bytes. Beyond them all of them are dropped, and the page gets a snapshot once it reads again.
 */
final class PageStream extends IteratingCallback {
  static final int FRAMES_MAX = 64;
  static final int BYTES_MAX = 1 << 20;

  private final LiveRun run;
  private final Streams streams;
  private final Response response;
  private final Callback done;
  final long lastSecond;

  private final Deque<Frame> waiting = new ArrayDeque<>();
  private int waitingBytes;

  /** True if a snapshot is the next frame, which stands for all before it. */
  private boolean behind;

  /** True if the snapshot takes the place of dropped frames. */
  private boolean dropping;

  /** Next second of the seconds that the page has missed and gets one by one; negative: none. */
  private long missedSecond = -1;

  /** Last frame of the stream; null: the run goes on. */
  private @Nullable Frame end;

  private boolean complete;

  /** The last second is the one that the page has; negative: none. */
  PageStream(LiveRun run, Streams streams, Response response, Callback done, long lastSecond) {
    this.lastSecond = lastSecond;
    this.run = run;
    this.streams = streams;
    this.response = response;
    this.done = done;
    waiting.add(Frame.RETRY);
  }

  /** Begins with a snapshot. Like the methods below, called with the run's lock. */
  void beginWithSnapshot() {
    behind = true;
  }

  /** Begins with each second from this one on. */
  void beginWith(long second) {
    missedSecond = second;
  }

  /** Adds a frame, or drops all of them if too many wait. */
  void offer(Frame frame) {
    if (behind) {
      streams.drop(dropping ? 1 : 0);
    } else if (waiting.size() >= FRAMES_MAX || waitingBytes + frame.bytes.length > BYTES_MAX) {
      streams.drop(waiting.size() + 1);
      waiting.clear();
      waitingBytes = 0;
      missedSecond = -1;
      behind = true;
      dropping = true;
    } else {
      waiting.add(frame);
      waitingBytes += frame.bytes.length;
    }
  }

  void offerSecond(Frame frame) {
    if (missedSecond < 0) { // otherwise the page gets it in its turn
      offer(frame);
    }
  }

  /** Ends the stream after a last frame, which is never dropped. */
  void offerLast(Frame frame) {
    end = frame;
  }

  /** Writes a comment if the page has read all before it. */
  void comment() {
    synchronized (run) {
      if (waiting.isEmpty() && !behind && missedSecond < 0) {
        waiting.add(Frame.COMMENT);
        waitingBytes += Frame.COMMENT.bytes.length;
      }
    }
    iterate();
  }

  @Override
  protected Action process() {
    if (complete) {
      return Action.SUCCEEDED;
    }
    Frame next;
    synchronized (run) {
      next = next();
      complete = next != null && next == end;
    }
    if (next == null) {
      return Action.IDLE;
    }
    response.write(complete, ByteBuffer.wrap(next.bytes).asReadOnlyBuffer(), this);
    return Action.SCHEDULED;
  }

  private @Nullable Frame next() {
    if (waiting.peek() == Frame.RETRY) {
      return waiting.poll();
    }
    if (missedSecond >= 0) {
      Map.Entry<Long, MetricsWindow> missed = run.secondFrom(missedSecond);
      if (missed != null) {
        missedSecond = missed.getKey() + 1;
        return Frame.of(missed.getValue());
      }
      missedSecond = -1;
    }
    Frame frame = waiting.poll();
    if (frame != null) {
      waitingBytes -= frame.bytes.length;
      return frame;
    }
    if (behind) {
      behind = false;
      dropping = false;
      return run.snapshotFrame();
    }
    return end;
  }

  @Override
  protected void onCompleteSuccess() {
    leave();
    done.succeeded();
  }

  @Override
  protected void onCompleteFailure(Throwable cause) {
    leave();
    done.failed(cause);
  }

  private void leave() {
    run.leave(this);
    streams.closed(this);
  }

  /** One server-sent event as it goes over the wire. All pages share its bytes. */
  static final class Frame {
    /** Id of the last event of a run. A browser that comes back with it has read all. */
    static final String ENDED_ID = "ended";

    /** Keeps a stream open through proxies. A browser's script does not see it. */
    static final Frame COMMENT = new Frame(":\n\n");

    /** Time after which a browser connects again. */
    static final Frame RETRY = new Frame("retry: 1000\n\n");

    final byte[] bytes;

    private Frame(String text) {
      bytes = text.getBytes(StandardCharsets.UTF_8);
    }

    /** An event; where its id is null, a browser that comes back does not ask for it. */
    static Frame of(String event, @Nullable String id, byte[] json) {
      String line = new String(json, StandardCharsets.UTF_8).replaceAll("[\n\r]", " ");
      return new Frame(
          (id == null ? "" : "id: " + id + "\n") + "event: " + event + "\ndata: " + line + "\n\n");
    }

    static Frame of(MetricsWindow window) {
      String number = Long.toString(Runs.Shown.second(window));
      return of("second", number, EventCodec.METRICS.write(window));
    }
  }

  /** All streams of a server: how many there may be, and what they have dropped. Any thread. */
  static final class Streams {
    final int streamsMax;
    private final Set<PageStream> open = new HashSet<>();
    private final LongAdder dropped = new LongAdder();

    Streams(int streamsMax) {
      this.streamsMax = streamsMax;
    }

    /** Takes a place for a stream; false: there is none left. */
    synchronized boolean open(PageStream stream) {
      return open.size() < streamsMax && open.add(stream);
    }

    synchronized void closed(PageStream stream) {
      open.remove(stream);
      notifyAll();
    }

    synchronized void awaitNone(Duration limit) throws InterruptedException {
      long deadlineNs = MachineClock.monotonicNs() + limit.toNanos();
      long leftMs = limit.toMillis();
      while (!open.isEmpty() && leftMs > 0) {
        wait(leftMs);
        leftMs = (deadlineNs - MachineClock.monotonicNs()) / 1_000_000;
      }
    }

    synchronized int count() {
      return open.size();
    }

    void drop(int frames) {
      dropped.add(frames);
    }

    /** Number of frames that pages did not get, since they did not read. */
    long dropped() {
      return dropped.sum();
    }

    /** Writes a comment to each stream to which nothing is being written. */
    void comment() {
      List<PageStream> all;
      synchronized (this) {
        all = List.copyOf(open);
      }
      all.forEach(PageStream::comment);
    }
  }
}
