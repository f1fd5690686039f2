package dev.sluice.harness.frame;

import dev.sluice.contract.event.RoleJoined;
import dev.sluice.contract.event.RoleJoined.Role;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.RunRegister;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the roles of one process entered in the run's register, to be followed by their leaving. */
public final class Entries implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Entries.class);

  private final RunRegister register;
  private final Deque<RoleJoined> entries = new ArrayDeque<>();

  public Entries(RunRegister register) {
    this.register = register;
  }

  /** Enters a role that has no shard of its own. */
  public RoleJoined join(Role role, String name, RunFrame frame)
      throws UserMistakeException, InterruptedException {
    return add(register.join(role, name, frame.configDigest(), null));
  }

  /** Takes care of an entry. */
  public RoleJoined add(RoleJoined entry) {
    entries.push(entry);
    return entry;
  }

  /** All that they had open is closed: they have left. */
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
