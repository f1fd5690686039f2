package dev.sluice.harness.frame;

import dev.sluice.contract.event.RoleJoined;
import dev.sluice.contract.log.RunRegister;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Entries of one process's roles in the run's register. Closing enters that these roles have left.
 */
public final class Entries implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Entries.class);

  private final RunRegister register;
  private final Deque<RoleJoined> entries = new ArrayDeque<>();

  public Entries(RunRegister register) {
    this.register = register;
  }

  /** Adds an entry, whose role leaves when this is closed. */
  public RoleJoined add(RoleJoined entry) {
    entries.push(entry);
    return entry;
  }

  /** Enters that the roles have left; all that they had opened is closed already. */
  @Override
  public void close() throws InterruptedException {
    while (!entries.isEmpty()) {
      try {
        register.leave(entries.pop());
      } catch (IllegalStateException e) {
        LOG.warn("a leaving could not be entered", e);
        return; // the broker is gone
      }
    }
  }
}
