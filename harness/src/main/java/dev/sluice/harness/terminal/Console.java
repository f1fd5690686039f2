package dev.sluice.harness.terminal;

import java.io.PrintStream;
import java.util.Locale;

/**
 * What a person sees: a checklist, one live line, a closing table. Where there is no terminal, the
 * live line becomes plain lines, fewer of them.
 */
public final class Console {
  public static final String CLEAR_LINE = "\r\u001b[2K";
  private static final int LABEL_WIDTH = 14;

  private final PrintStream out;
  private final boolean terminal;
  private boolean liveLineStands;

  public Console(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** What is printed goes to standard output, with a live line where that is a terminal. */
  public static Console standardOutput() {
    return new Console(System.out, Boolean.getBoolean("sluice.terminal"));
  }

  /** What is printed goes to standard error, since a result goes to standard output. */
  public static Console standardError() {
    return new Console(System.err, false);
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
