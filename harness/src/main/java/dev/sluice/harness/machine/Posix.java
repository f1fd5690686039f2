package dev.sluice.harness.machine;

import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls of the system that Java lacks: named pipes, signals, and the terminal's width. */
public final class Posix {
  private static final Logger LOG = LoggerFactory.getLogger(Posix.class);
  private static final int OWNER_ALONE = 0600;
  private static final int NO_SUCH_PROCESS = 3;
  private static final int COLUMNS_UNKNOWN = 80;

  /** Number of TIOCGWINSZ on Linux and on macOS. */
  private static final long WINDOW_SIZE =
      System.getProperty("os.name").equals("Linux") ? 0x5413 : 0x40087468;

  /** Size of {@code struct winsize}: rows, columns and two unused numbers of 16 bits. */
  private static final int WINDOW_BYTES = 8;

  private static final int COLUMNS_OFFSET = 2;
  private static final int STANDARD_OUTPUT = 1;

  private Posix() {}

  interface C extends Library {
    C LIBRARY = Native.load("c", C.class);

    int mkfifo(String path, int mode) throws LastErrorException;

    int kill(int pid, int signal) throws LastErrorException;

    int ioctl(int fd, NativeLong request, Object... arguments) throws LastErrorException;
  }

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

  /** Sends a process a signal; false: there is no such process. */
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

  public static int terminalColumns() {
    if (System.getProperty("os.name").startsWith("Windows")) {
      return COLUMNS_UNKNOWN;
    }
    try (var window = new Memory(WINDOW_BYTES)) {
      window.clear();
      int answer = C.LIBRARY.ioctl(STANDARD_OUTPUT, new NativeLong(WINDOW_SIZE), window);
      int columns = window.getShort(COLUMNS_OFFSET);
      return answer == 0 && columns > 0 ? columns : COLUMNS_UNKNOWN;
    } catch (LastErrorException e) {
      return COLUMNS_UNKNOWN; // standard output is a file
    } catch (LinkageError e) {
      LOG.debug("the terminal's width is not known", e);
      return COLUMNS_UNKNOWN;
    }
  }
}
