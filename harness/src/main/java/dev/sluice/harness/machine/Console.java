package dev.sluice.harness.machine;

import dev.sluice.analytics.report.ScreenText;
import dev.sluice.contract.file.Written;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.List;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * Lines for a person: a checklist, one live line, a closing table. Without a terminal the live line
 * becomes plain lines, fewer of them.
 */
public final class Console {
  public static final String CLEAR_LINE = "\r\u001b[2K";

  private static final int BAR_WIDTH = 78;

  private final PrintStream out;
  private final boolean terminal;
  private final @Nullable PrintStream results;
  private final Amount amount;
  private boolean liveLineStands;

  public enum Amount {
    /** What a command found, and neither its steps nor its progress. */
    QUIET,
    /** The steps, the progress, and what a reader needs for a judgment. */
    USUAL,
    /** The closing table with the loop's own costs too. */
    DETAILS
  }

  public Console(PrintStream out, boolean terminal) {
    this(out, terminal, null, Amount.USUAL);
  }

  private Console(PrintStream out, boolean terminal, @Nullable PrintStream results, Amount amount) {
    this.out = out;
    this.terminal = terminal;
    this.results = results;
    this.amount = amount;
  }

  /** As below, without the other two options. */
  public static Console ofJson(boolean json) {
    return of(json, Amount.USUAL);
  }

  /**
   * The console of a command that has {@code --json}, {@code --quiet} and {@code --details}. With
   * JSON, results alone go to standard output, and all else to standard error.
   */
  public static Console of(boolean json, Amount amount) {
    return json
        ? new Console(System.err, false, System.out, amount)
        : new Console(System.out, Boolean.getBoolean("sluice.terminal"), null, amount);
  }

  /** A console on standard output, with a live line where that is a terminal. */
  public static Console standardOutput() {
    return of(false, Amount.USUAL);
  }

  public List<String> options() {
    return switch (amount) {
      case QUIET -> List.of("--quiet");
      case USUAL -> List.of();
      case DETAILS -> List.of("--details");
    };
  }

  public boolean details() {
    return amount == Amount.DETAILS;
  }

  public boolean quiet() {
    return amount == Amount.QUIET;
  }

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

  /** A bar below the items of the checklist, for a terminal. */
  ProgressBarBuilder bar(String label, long total) {
    return new ProgressBarBuilder()
        .setTaskName("  " + label)
        .setInitialMax(total)
        .setStyle(ProgressBarStyle.ASCII)
        .setConsumer(new ConsoleProgressBarConsumer(stream(), BAR_WIDTH));
  }

  public synchronized void line(String text) {
    endLiveLine();
    out.println(text);
    out.flush();
  }

  /** Prints a plain line about what begins, unless nothing but results is told. */
  public void step(String text) {
    if (!quiet()) {
      line(text);
    }
  }

  /** Prints a line of the checklist in place of the live line, unless quiet. */
  public synchronized void item(String label, String text) {
    if (quiet()) {
      return;
    }
    clearLiveLine();
    line(ScreenText.labeled("  ", label, text));
  }

  /** Shows on a terminal, as its live line, how far an item of the checklist is. */
  public void progress(String label, String text) {
    if (terminal) {
      live(ScreenText.label("  ", label) + text);
    }
  }

  /** Replaces the text of the live line, unless nothing but results is told. */
  public synchronized void live(String text) {
    if (quiet()) {
      return;
    }
    if (terminal) {
      stream().print(CLEAR_LINE);
      out.print(text);
      liveLineStands = true;
    } else {
      out.println(text);
    }
    out.flush();
  }

  public synchronized void clearLiveLine() {
    if (liveLineStands) {
      stream().print(CLEAR_LINE);
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

  /**
   * What Sluice prints, with the control characters that came from files, names and arguments
   * written out: a terminal obeys Sluice alone. Bytes pass as they are. Sluice's own control
   * characters go to {@link #unescaped}.
   */
  public static final class EscapedStream extends PrintStream {
    private final PrintStream to;

    /** A stream in front of another one, which takes all. */
    public EscapedStream(PrintStream to) {
      super(to, true, Charset.defaultCharset()); // for numbers and ends of lines alone
      this.to = to;
    }

    /** The stream on which a terminal obeys what is printed. */
    public static PrintStream unescaped(PrintStream stream) {
      return stream instanceof EscapedStream escaped ? escaped.to : stream;
    }

    @Override
    public void print(@Nullable String text) {
      to.print(Written.lines(String.valueOf(text)));
    }

    @Override
    public void print(@Nullable Object object) {
      print(String.valueOf(object));
    }

    @Override
    public void print(char letter) {
      print(String.valueOf(letter));
    }

    @Override
    public void print(char[] letters) {
      print(String.valueOf(letters));
    }
  }
}
