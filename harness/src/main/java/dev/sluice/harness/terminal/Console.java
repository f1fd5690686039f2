package dev.sluice.harness.terminal;

import java.io.PrintStream;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a person sees: a checklist, one live line, a closing table. Where there is no terminal, the
 * live line becomes plain lines, fewer of them.
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

  /** What is printed goes to standard output, with a live line where that is a terminal. */
  public static Console standardOutput() {
    return new Console(System.out, Boolean.getBoolean("sluice.terminal"));
  }

  /** True if results are printed, apart from all else. */
  public boolean hasResults() {
    return results != null;
  }

  /** Prints a result, unless results are not printed or there is none. */
  public synchronized void result(@Nullable String json) {
    if (results != null && json != null) {
      results.print(json);
      results.flush();
    }
  }

  public boolean isTerminal() {
    return terminal;
  }

  public PrintStream stream() {
    return out;
  }

  /** A line of its own. */
  public synchronized void line(String text) {
    endLiveLine();
    out.println(text);
    out.flush();
  }

  /** A line of the checklist, in place of the live line. */
  public synchronized void item(String label, String text) {
    clearLiveLine();
    line(String.format(Locale.ROOT, "  %-" + LABEL_WIDTH + "s %s", label, text));
  }

  /** The live line's new text. */
  public synchronized void live(String text) {
    if (terminal) {
      out.print(CLEAR_LINE + text);
      liveLineStands = true;
    } else {
      out.println(text);
    }
    out.flush();
  }

  /** Takes the live line away. */
  public synchronized void clearLiveLine() {
    if (liveLineStands) {
      out.print(CLEAR_LINE);
      out.flush();
      liveLineStands = false;
    }
  }

  /** Lets the live line stand and begins a new one. */
  public synchronized void endLiveLine() {
    if (liveLineStands) {
      out.println();
      liveLineStands = false;
    }
  }
}
