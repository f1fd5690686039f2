package dev.sluice.sweep.queue;

import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.List;

/**
 * A queue whose one scheduler is this process, until closed or until the process ends: its state,
 * and the journal that goes on with it. Safe for threads, except {@link #state}.
 */
public final class HeldQueue implements AutoCloseable {
  private final QueueFolder folder;
  private final FileChannel lock;
  private final QueueState state;
  private final Journal journal;
  private boolean synced = true;

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

  /** The present state, which changes with each event. */
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
   * @throws IOException if they cannot be written, as on a full disk; the state is as before
   */
  public synchronized void write(List<QueueEvent> events) throws IOException {
    journal.append(events);
    synced = false;
    events.forEach(state::apply);
  }

  /** Returns when all that was written has reached the disk. */
  public synchronized void sync() throws IOException {
    if (!synced) {
      journal.sync();
      synced = true;
    }
  }

  @Override
  public void close() throws IOException {
    journal.close();
    folder.free(lock);
  }
}
