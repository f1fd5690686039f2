package dev.sluice.harness.serve;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The runs that a server shows. Any thread. */
interface Runs extends AutoCloseable {
  /** All runs, as JSON. */
  byte[] list() throws IOException;

  /** The run with this id; null: there is none. The id is looked up, and never part of a path. */
  @Nullable ShownRun find(String id) throws IOException;

  @Override
  void close();
}
