package dev.sluice.harness.machine;

import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Native;
import java.io.IOException;
import java.nio.file.Path;

/** Calls of the system that Java lacks: named pipes, and signals to processes. */
public final class Posix {
  private static final int OWNER_ALONE = 0600;
  private static final int NO_SUCH_PROCESS = 3;

  private Posix() {}

  /** The C library. */
  interface C extends Library {
    C LIBRARY = Native.load("c", C.class);

    int mkfifo(String path, int mode) throws LastErrorException;

    int kill(int pid, int signal) throws LastErrorException;
  }

  /** A signal with its number. */
  public enum Signal {
    KILL(9),
    TERM(15);

    private final int number;

    Signal(int number) {
      this.number = number;
    }
  }

  /** Makes a named pipe that its owner alone may open. */
  public static void makeFifo(Path path) throws IOException {
    try {
      int unused = C.LIBRARY.mkfifo(path.toString(), OWNER_ALONE);
    } catch (LastErrorException e) {
      throw new IOException("no named pipe can be made: " + path + " (" + e.getMessage() + ")", e);
    }
  }

  /**
   * Sends a process a signal.
   *
   * @return false if there is no such process
   * @throws IOException if this user may not signal it
   */
  public static boolean kill(long pid, Signal signal) throws IOException {
    try {
      return C.LIBRARY.kill(Math.toIntExact(pid), signal.number) == 0;
    } catch (LastErrorException e) {
      if (e.getErrorCode() == NO_SUCH_PROCESS) {
        return false;
      }
      throw new IOException("process " + pid + " cannot be signalled (" + e.getMessage() + ")", e);
    }
  }
}
