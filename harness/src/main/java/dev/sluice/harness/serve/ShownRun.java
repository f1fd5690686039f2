package dev.sluice.harness.serve;

import java.io.IOException;

/** A run that the page can show, live or finished. All values are JSON. Any thread. */
sealed interface ShownRun permits LiveRun, FolderRun {
  /** Most seconds of one answer. */
  int SECONDS_MAX = 600;

  /** Most batches of one answer. */
  int BATCHES_MAX = 4000;

  /** What the run is, and how it goes. */
  byte[] run() throws IOException;

  /** The run with its points and its last batches. */
  byte[] snapshot() throws IOException;

  /** At most {@value #SECONDS_MAX} windows, as the topic holds them, from a second on. */
  byte[] seconds(long fromS) throws IOException;

  /** At most {@value #BATCHES_MAX} batches that ran between two seconds since time zero. */
  byte[] batches(double fromS, double toS) throws IOException;
}
