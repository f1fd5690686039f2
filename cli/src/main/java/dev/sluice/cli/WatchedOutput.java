package dev.sluice.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Standard output that remembers its first error. {@link java.io.PrintStream} swallows errors, so
 * that a command whose output went to a full disk would end as if all of it stood there.
 */
final class WatchedOutput extends FilterOutputStream {
  private @Nullable IOException error;

  WatchedOutput(OutputStream target) {
    super(target);
  }

  /**
   * The first error, in words; null: there was none, or only that the reader of a pipe ended, as
   * {@code head} does when it has enough.
   */
  synchronized @Nullable String error() {
    if (error == null) {
      return null;
    }
    String words = String.valueOf(error.getMessage());
    return words.contains("Broken pipe") ? null : words;
  }

  private synchronized IOException remembered(IOException e) {
    if (error == null) {
      error = e;
    }
    return e;
  }

  @Override
  public void write(int b) throws IOException {
    try {
      out.write(b);
    } catch (IOException e) {
      throw remembered(e);
    }
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    try {
      out.write(bytes, offset, length);
    } catch (IOException e) {
      throw remembered(e);
    }
  }

  @Override
  public void flush() throws IOException {
    try {
      out.flush();
    } catch (IOException e) {
      throw remembered(e);
    }
  }
}
