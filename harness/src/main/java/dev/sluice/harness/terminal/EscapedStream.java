package dev.sluice.harness.terminal;

import dev.sluice.contract.file.Written;
import java.io.PrintStream;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/**
 * What Sluice prints, with the control characters that came from files, names and arguments written
 * out: a terminal obeys Sluice alone. Bytes pass as they are. Sluice's own control characters go to
 * {@link #unescaped}.
 */
public final class EscapedStream extends PrintStream {
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
