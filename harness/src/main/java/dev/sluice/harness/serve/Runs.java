package dev.sluice.harness.serve;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The runs that a server shows. Any thread. */
interface Runs extends AutoCloseable {
  byte[] list() throws IOException;

  /** The run with this id; null: there is none. The id is looked up, and never part of a path. */
  @Nullable Shown find(String id) throws IOException;

  @Override
  void close();

  /** A run that the page can show, live or finished. All values are JSON. Any thread. */
  sealed interface Shown permits LiveRun, FolderRun {
    int SECONDS_MAX = 600;

    int BATCHES_MAX = 4000;

    byte[] run() throws IOException;

    byte[] snapshot() throws IOException;

    /** At most {@value #SECONDS_MAX} windows, as the topic holds them, from a second on. */
    byte[] seconds(long fromS) throws IOException;

    /** At most {@value #BATCHES_MAX} batches that ran between two seconds since time zero. */
    byte[] batches(double fromS, double toS) throws IOException;
  }
}
