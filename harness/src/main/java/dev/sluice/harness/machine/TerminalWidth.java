package dev.sluice.harness.machine;

import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Width of the terminal that this process writes to; {@value #UNKNOWN} where nobody tells it. */
public final class TerminalWidth {
  private static final Logger LOG = LoggerFactory.getLogger(TerminalWidth.class);
  private static final int UNKNOWN = 80;

  /** Number of TIOCGWINSZ on Linux and on macOS. */
  private static final long REQUEST =
      System.getProperty("os.name").equals("Linux") ? 0x5413 : 0x40087468;

  /** Size of {@code struct winsize}: rows, columns and two unused numbers of 16 bits. */
  private static final int WINDOW_BYTES = 8;

  private static final int COLUMNS_OFFSET = 2;
  private static final int STANDARD_OUTPUT = 1;

  private static final @Nullable C LIBRARY = library();

  private TerminalWidth() {}

  /** The C library. */
  interface C extends Library {
    int ioctl(int fd, NativeLong request, Object... arguments) throws LastErrorException;
  }

  private static @Nullable C library() {
    if (System.getProperty("os.name").startsWith("Windows")) {
      return null;
    }
    try {
      return Native.load("c", C.class);
    } catch (LinkageError e) {
      LOG.info("the terminal's width is not known: {}", e.toString());
      return null;
    }
  }

  /** Columns of the terminal at present. */
  public static int columns() {
    if (LIBRARY == null) {
      return UNKNOWN;
    }
    try (var window = new Memory(WINDOW_BYTES)) {
      window.clear();
      int answer = LIBRARY.ioctl(STANDARD_OUTPUT, new NativeLong(REQUEST), window);
      int columns = window.getShort(COLUMNS_OFFSET);
      return answer == 0 && columns > 0 ? columns : UNKNOWN;
    } catch (LastErrorException e) {
      return UNKNOWN; // standard output is a file
    }
  }
}
