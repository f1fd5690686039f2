package dev.sluice.harness.serve;

import java.util.ArrayDeque;
import java.util.Deque;
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
  private final PageStreams streams;
  private final Response response;
  private final Callback done;

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

  PageStream(LiveRun run, PageStreams streams, Response response, Callback done) {
    this.run = run;
    this.streams = streams;
    this.response = response;
    this.done = done;
    waiting.add(Frame.RETRY);
  }

  /** Begins with a snapshot. Called with the run's lock. */
  void beginWithSnapshot() {
    behind = true;
  }

  /** Begins with each second from this one on. Called with the run's lock. */
  void beginWith(long second) {
    missedSecond = second;
  }

  /** Adds a frame, or drops all of them if too many wait. Called with the run's lock. */
  void offer(Frame frame) {
    if (behind) {
      streams.drop(dropping ? 1 : 0);
    } else if (waiting.size() >= FRAMES_MAX || waitingBytes + frame.size() > BYTES_MAX) {
      streams.drop(waiting.size() + 1);
      waiting.clear();
      waitingBytes = 0;
      missedSecond = -1;
      behind = true;
      dropping = true;
    } else {
      waiting.add(frame);
      waitingBytes += frame.size();
    }
  }

  /** Adds the frame of a settled second. Called with the run's lock. */
  void offerSecond(Frame frame) {
    if (missedSecond < 0) { // otherwise the page gets it in its turn
      offer(frame);
    }
  }

  /** Ends the stream after a last frame, which is never dropped. Called with the run's lock. */
  void offerLast(Frame frame) {
    end = frame;
  }

  /** Writes a comment if the page has read all before it. */
  void comment() {
    synchronized (run) {
      if (waiting.isEmpty() && !behind && missedSecond < 0) {
        waiting.add(Frame.COMMENT);
        waitingBytes += Frame.COMMENT.size();
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
    response.write(complete, next.buffer(), this);
    return Action.SCHEDULED;
  }

  private @Nullable Frame next() {
    Frame first = waiting.peek();
    if (first != null && first == Frame.RETRY) {
      return waiting.poll();
    }
    if (missedSecond >= 0) {
      LiveRun.Second missed = run.secondFrom(missedSecond);
      if (missed != null) {
        missedSecond = missed.number() + 1;
        return missed.frame();
      }
      missedSecond = -1;
    }
    Frame frame = waiting.poll();
    if (frame != null) {
      waitingBytes -= frame.size();
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
}
