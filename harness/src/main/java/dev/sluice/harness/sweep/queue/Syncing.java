package dev.sluice.harness.sweep.queue;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Syncs a journal soon after each write, off the path from one task's end to the next start. */
final class Syncing implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Syncing.class);

  private final Journal journal;
  private final Thread thread = new Thread(this::run, "sluice-journal-sync");
  private long wanted;
  private long synced;
  private boolean closed;

  Syncing(Journal journal) {
    this.journal = journal;
    thread.setDaemon(true);
    thread.start();
  }

  /** Something was written. */
  synchronized void wake() {
    wanted++;
    notifyAll();
  }

  /** Returns when all that was written has reached the disk. */
  synchronized void await() throws InterruptedException {
    while (synced < wanted && !closed) {
      wait();
    }
  }

  private void run() {
    try {
      while (true) {
        long target;
        synchronized (this) {
          while (synced == wanted && !closed) {
            wait();
          }
          if (closed) {
            return;
          }
          target = wanted;
        }
        journal.sync();
        synchronized (this) {
          synced = target;
          notifyAll();
        }
      }
    } catch (IOException | InterruptedException e) {
      LOG.error("the journal is no longer synced", e);
      synchronized (this) {
        closed = true;
        notifyAll();
      }
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    thread.join();
    journal.sync();
  }
}
