package dev.sluice.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The threads that a piece of work left behind, waited for a while. */
public final class LeftThreads {
  private static final Pattern OURS =
      Pattern.compile(
          "(?i).*(kafka|sluice|generator-|executor|lane|analytics|stream|broker|raft|coordinator).*");

  /** A timer's thread that Kafka's broker leaves, once in many runs, when it has shut down. */
  private static final String KAFKAS_OWN = "executor-share-coordinator";

  private static final long WAIT_MS = 10_000;

  private final Set<Thread> before = Thread.getAllStackTraces().keySet();

  /** Names of those that are Sluice's or Kafka's, or would keep the process alive. */
  public List<String> names() throws InterruptedException {
    List<String> names = new ArrayList<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (!before.contains(thread)
          && thread != Thread.currentThread()
          && !thread.getName().equals(KAFKAS_OWN)
          && (!thread.isDaemon() || OURS.matcher(thread.getName()).matches())) {
        thread.join(WAIT_MS);
        if (thread.isAlive()) {
          names.add(thread.getName());
        }
      }
    }
    return names;
  }
}
