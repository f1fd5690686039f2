package dev.sluice.harness.machine;

import me.tongfei.progressbar.ProgressBar;
import org.jspecify.annotations.Nullable;

/** Progress of a profile: a bar on a terminal, a line for each tenth elsewhere. */
public final class ProfileBar implements AutoCloseable {
  private static final int TENTHS = 10;

  private final Console console;
  private final long total;
  private final @Nullable ProgressBar bar;
  private long done;
  private boolean closed;

  public ProfileBar(Console console, long total) {
    this.console = console;
    this.total = total;
    bar = console.isTerminal() ? console.bar("measuring", total).build() : null;
  }

  public synchronized void measured() {
    done++;
    if (bar != null) {
      bar.step();
    } else if (done * TENTHS / total > (done - 1) * TENTHS / total) {
      console.item("measuring", done + " of " + total);
    }
  }

  @Override
  public synchronized void close() {
    if (bar != null && !closed) {
      bar.close();
    }
    closed = true;
  }
}
