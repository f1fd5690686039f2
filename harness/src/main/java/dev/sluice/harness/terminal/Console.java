package dev.sluice.harness.terminal;

import java.io.PrintStream;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Lines for a person: a checklist, one live line, a closing table. Without a terminal the live line
 * becomes plain lines, fewer of them.
 */
public final class Console {
  public static final String CLEAR_LINE = "\r\u001b[2K";
  private static final int LABEL_WIDTH = 14;

  private final PrintStream out;
  private final boolean terminal;
  private final @Nullable PrintStream results;
  private boolean liveLineStands;

  /** A console whose results are not printed. */
  public Console(PrintStream out, boolean terminal) {
    this(out, terminal, null);
  }

  private Console(PrintStream out, boolean terminal, @Nullable PrintStream results) {
    this.out = out;
    this.terminal = terminal;
    this.results = results;
  }

  /**
   * The console of a command that has {@code --json}.
   *
   * @param json true if results go to standard output, and all else to standard error
   */
  public static Console ofJson(boolean json) {
    return json ? new Console(System.err, false, System.out) : standardOutput();
  }

  /** A console on standard output, with a live line where that is a terminal. */
  public static Console standardOutput() {
    return new Console(System.out, Boolean.getBoolean("sluice.terminal"));
  }

  /** True if results are printed, apart from all else. */
  public boolean hasResults() {
    return results != null;
  }

  /** Prints a result, if results are printed and the result is not null. */
  public synchronized void result(@Nullable String json) {
    if (results != null && json != null) {
      results.print(json);
      results.flush();
    }
  }

  public boolean isTerminal() {
    return terminal;
  }

  /** The stream of the lines; a terminal obeys the control characters that are printed to it. */
  public PrintStream stream() {
    return EscapedStream.unescaped(out);
  }

  private void control(String characters) {
    EscapedStream.unescaped(out).print(characters);
  }

  /** Prints a plain line. */
  public synchronized void line(String text) {
    endLiveLine();
    out.println(text);
    out.flush();
  }

  /** Prints a line of the checklist in place of the live line. */
  public synchronized void item(String label, String text) {
    clearLiveLine();
    line(String.format(Locale.ROOT, "  %-" + LABEL_WIDTH + "s %s", label, text));
  }

  /** Replaces the text of the live line. */
  public synchronized void live(String text) {
    if (terminal) {
      control(CLEAR_LINE);
      out.print(text);
      liveLineStands = true;
    } else {
      out.println(text);
    }
    out.flush();
  }

  /** Removes the live line. */
  public synchronized void clearLiveLine() {
    if (liveLineStands) {
      control(CLEAR_LINE);
      out.flush();
      liveLineStands = false;
    }
  }

  /** Keeps the live line as it stands, and begins a new line. */
  public synchronized void endLiveLine() {
    if (liveLineStands) {
      out.println();
      liveLineStands = false;
    }
  }
}
