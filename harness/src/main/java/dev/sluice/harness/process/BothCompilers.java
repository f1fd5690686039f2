package dev.sluice.harness.process;

import dev.sluice.harness.machine.Posix;
import java.io.IOException;
import java.util.List;

/**
 * A second start of this process with both of Java's compilers, where the launcher gave it the
 * quick one alone. Little work is done sooner with that, much work with both, and how much there is
 * shows only once the files are read.
 */
public final class BothCompilers {
  private static final String LEVEL = "-XX:TieredStopAtLevel=";
  private static final String QUICK = LEVEL + "1";
  private static final String BOTH = LEVEL + "4";

  private BothCompilers() {}

  /**
   * Begins the command line of this process anew, if it came by {@link CommandLine#remember} and
   * has the quick compiler alone; does not return then. The process stays the same for all who wait
   * for it or stop it, so nothing must be open that is to be closed.
   */
  public static void take() {
    List<String> arguments = CommandLine.arguments();
    if (arguments == null || !isQuick(ChildJvm.ownOptions())) {
      return;
    }
    System.out.flush();
    System.err.flush();
    try {
      Posix.become(ChildJvm.likeThis(List.of(BOTH), ChildJvm.SLUICE, arguments));
    } catch (IOException e) {
      return; // what the system refuses only takes longer
    }
  }

  /** Returns whether the quick compiler is alone with these options, of which the last counts. */
  static boolean isQuick(List<String> options) {
    List<String> levels = options.stream().filter(option -> option.startsWith(LEVEL)).toList();
    return !levels.isEmpty() && levels.get(levels.size() - 1).equals(QUICK);
  }
}
