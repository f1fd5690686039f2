package dev.sluice.layers.engine;

import dev.sluice.layers.parameters.ParameterSource;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A source that fails at one read, counted from 0 over its whole life. */
final class FailingAt implements ParameterSource {
  private final ParameterSource source;
  private final int failing;
  private int reads;

  FailingAt(ParameterSource source, int failing) {
    this.source = source;
    this.failing = failing;
  }

  @Override
  public void read(int layer, ByteBuffer into) throws IOException {
    if (reads++ == failing) {
      throw new IOException("the disk is gone");
    }
    source.read(layer, into);
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
