package dev.sluice.harness.kafka;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Parts that are closed in the opposite order of their opening, each even if another fails. */
public final class Opened implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Opened.class);

  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  public <T extends AutoCloseable> T add(T part) {
    parts.push(part);
    return part;
  }

  /** Closes all parts; a part added later is closed by the next call. */
  @Override
  public void close() {
    while (!parts.isEmpty()) {
      AutoCloseable part = parts.pop();
      try {
        part.close();
      } catch (Exception e) {
        LOG.error("{} could not be closed", part.getClass().getSimpleName(), e);
      }
    }
  }
}
