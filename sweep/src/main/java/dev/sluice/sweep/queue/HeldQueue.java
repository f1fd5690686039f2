package dev.sluice.sweep.queue;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ProcessIdentity;
import dev.sluice.sweep.queue.QueueEvent.Ended;
import dev.sluice.sweep.queue.QueueEvent.Outcome;
import dev.sluice.sweep.queue.QueueEvent.Queued;
import dev.sluice.sweep.queue.QueueEvent.Resumed;
import dev.sluice.sweep.queue.QueueEvent.Started;
import dev.sluice.sweep.queue.QueueSettings.Verdict;
import dev.sluice.sweep.queue.TaskState.Phase;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A queue whose one scheduler is this process, until closed or until the process ends: its state,
 * and the journal that goes on with it. Safe for threads, except {@link #state}.
 */
public final class HeldQueue implements AutoCloseable {
  private final QueueFolder folder;
  private final FileChannel lock;
  private final QueueState state;
  private final Journal journal;
  private final String boot;
  private boolean synced = true;

  /** The journal cannot be written now; what was to be written has not happened. */
  public static final class UnwritableException extends IOException {
    private static final long serialVersionUID = 1;

    UnwritableException(IOException cause) {
      super(cause.getMessage(), cause);
    }
  }

  /** Opener of the journal's file, which a test may let run full. */
  @FunctionalInterface
  interface Opener {
    Journal open(Journal.Content content) throws IOException;
  }

  /**
   * @param lock lock of the queue, which closes with this object, and here if it throws
   * @throws UserMistakeException if the journal is damaged
   */
  HeldQueue(QueueFolder folder, FileChannel lock, Opener opener)
      throws IOException, UserMistakeException {
    this.folder = folder;
    this.lock = lock;
    try {
      boot = ProcessIdentity.presentBoot();
      Journal.Content content = Journal.read(folder.journal());
      state = folder.fold(content);
      journal = opener.open(content);
    } catch (IOException | UserMistakeException e) {
      folder.free(lock);
      throw e;
    }
  }

  public QueueFolder folder() {
    return folder;
  }

  String boot() {
    return boot;
  }

  public QueueState state() {
    return state;
  }

  /** Names this process to others as the queue's scheduler. */
  public void announce() throws IOException {
    folder.writeHolder();
  }

  /**
   * Writes events to the journal, all or none, and takes them into the state.
   *
   * @throws UnwritableException if they cannot be written; the state is as before
   */
  synchronized void write(List<QueueEvent> events) throws UnwritableException {
    try {
      journal.append(events);
    } catch (IOException e) {
      throw new UnwritableException(e);
    }
    synced = false;
    events.forEach(state::apply);
  }

  /**
   * Writes what is asked for, and returns the number of tasks that wait by it. Tasks that wait or
   * run already stay as they are.
   */
  public synchronized int queue(List<Request> requests) throws UnwritableException {
    long nowMs = MachineClock.epochMs();
    List<QueueEvent> events = new ArrayList<>(List.of(new Resumed(nowMs)));
    Set<String> fresh = new HashSet<>();
    int number = state.nextNumber();
    for (Request request : requests) {
      TaskState known = state.task(request.name());
      boolean free =
          known == null
              ? fresh.add(request.name())
              : known.phase() == Phase.FAILED || (known.phase() == Phase.DONE && request.again());
      if (free) {
        int task = known == null ? number++ : known.number;
        events.add(new Queued(task, request.name(), request.config(), request.gpu(), nowMs));
      }
    }
    write(events);
    return events.size() - 1;
  }

  /** Writes that an attempt at a waiting task starts. */
  public synchronized void start(TaskState task, int gpu, String digest, String log)
      throws UnwritableException {
    int attempt = task.attempt() + 1;
    write(
        List.of(new Started(task.number, attempt, gpu, digest, log, boot, MachineClock.epochMs())));
  }

  /** Writes how a task ended that left no exit status, and waits no more. */
  public void end(TaskState task, Outcome outcome, String why) throws UnwritableException {
    Ended unused = end(task, outcome, Verdict.UNKNOWN, why, false);
  }

  /** Writes how a task ended that runs, or that waits and shall not run. */
  public synchronized Ended end(
      TaskState task, Outcome outcome, int status, String why, boolean again)
      throws UnwritableException {
    boolean runs = task.phase() == Phase.RUNNING;
    long nowMs = MachineClock.epochMs();
    long ranMs = runs ? Math.max(0, nowMs - task.sinceMs()) : 0;
    var ended =
        new Ended(
            task.number, runs ? task.attempt() : 0, outcome, status, why, again, ranMs, nowMs);
    write(List.of(ended));
    return ended;
  }

  /** Returns when all that was written has reached the disk. */
  public synchronized void sync() throws UnwritableException {
    if (!synced) {
      try {
        journal.sync();
      } catch (IOException e) {
        throw new UnwritableException(e);
      }
      synced = true;
    }
  }

  @Override
  public void close() throws IOException {
    journal.close();
    folder.free(lock);
  }
}
