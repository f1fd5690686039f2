package dev.sluice.sweep.queue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a scheduler writes to its journal. It is synced soon after each write, off the path from one
 * task's end to the next start; what has happened while the disk is full is written as soon as
 * there is room.
 */
final class Ledger implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Ledger.class);

  private final Journal journal;
  private final Consumer<String> log;
  private final Thread thread = new Thread(this::run, "sluice-journal-sync");

  /** Events that happened but are not in the journal, since the disk is full. */
  private final List<QueueEvent> owed = new ArrayList<>();

  /** Numbers of events that were written, and that have reached the disk. */
  private long written;

  private long synced;

  /** True from a failed write or sync to the next {@link #pay}. */
  private boolean full;

  private boolean syncFailed;
  private boolean ended;

  Ledger(Journal journal, Consumer<String> log) {
    this.journal = journal;
    this.log = log;
    thread.setDaemon(true);
    thread.start();
  }

  /** Tells whether nothing may start, since it could not be written. */
  synchronized boolean isFull() {
    return full;
  }

  /** Writes events that have yet to happen; false: they must not, since the disk is full. */
  synchronized boolean write(List<QueueEvent> events) {
    if (full) {
      return false;
    }
    try {
      journal.append(events);
    } catch (IOException e) {
      refuse(e);
      return false;
    }
    written += events.size();
    notifyAll();
    return true;
  }

  private void refuse(IOException e) {
    if (!full) {
      full = true;
      log.accept("nothing starts until the journal can be written: " + e.getMessage());
    }
  }

  /**
   * Takes in what has happened, in the journal now or as soon as the disk has room.
   *
   * @return position of the event, for {@link #await}
   */
  synchronized long record(QueueEvent event) {
    if (!write(List.of(event))) {
      owed.add(event);
    }
    return written + owed.size();
  }

  /** Tries to write what is owed. */
  synchronized void pay() {
    if (full) {
      full = false;
      syncFailed = false;
      if (owed.isEmpty() || write(List.copyOf(owed))) {
        owed.clear();
      }
      notifyAll();
    }
  }

  /**
   * Waits until all to a position has reached the disk.
   *
   * @return false if {@link #end} came first
   */
  synchronized boolean await(long position) throws InterruptedException {
    while (synced < position && !ended) {
      wait();
    }
    return synced >= position;
  }

  /** Waits until all that was written has reached the disk; false: it cannot now. */
  synchronized boolean settle() throws InterruptedException {
    while (synced < written && !syncFailed && !ended) {
      wait();
    }
    return synced == written;
  }

  /** Waits as {@link #settle} does, and lets nobody wait for the rest. */
  void end() throws InterruptedException {
    if (!settle()) {
      LOG.warn("some of what has happened is not on the disk");
    }
    stop();
  }

  private synchronized void stop() {
    ended = true;
    notifyAll();
  }

  private void run() {
    try {
      for (long target = next(); target > 0; target = next()) {
        try {
          journal.sync();
          synced(target);
        } catch (IOException e) {
          LOG.warn("the journal cannot be synced", e);
          notSynced(e);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stop();
    }
  }

  /** Waits until something was written, and returns how much; 0: nothing will be. */
  private synchronized long next() throws InterruptedException {
    while ((synced == written || syncFailed) && !ended) {
      wait();
    }
    return ended ? 0 : written;
  }

  private synchronized void synced(long target) {
    synced = target;
    notifyAll();
  }

  private synchronized void notSynced(IOException e) {
    syncFailed = true;
    refuse(e);
    notifyAll();
  }

  @Override
  public void close() throws InterruptedException {
    stop();
    thread.join();
  }
}
