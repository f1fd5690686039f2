package dev.sluice.harness.machine;

import dev.sluice.executor.model.ModelProgress;
import me.tongfei.progressbar.ProgressBar;
import org.jspecify.annotations.Nullable;

/** Progress of writing model files: a bar on a terminal, a line per file elsewhere. */
public final class ModelBar implements ModelProgress, AutoCloseable {
  private static final long MIB = 1 << 20;

  private final Console console;
  private @Nullable ProgressBar bar;

  public ModelBar(Console console) {
    this.console = console;
  }

  @Override
  public void started(String name, long bytes) {
    if (console.isTerminal()) {
      bar = console.bar("writing " + name, bytes).setUnit(" MiB", MIB).build();
    } else {
      console.item("models", "writing " + name + ", " + bytes / MIB + " MiB");
    }
  }

  @Override
  public void advanced(long bytes) {
    if (bar != null) {
      bar.stepBy(bytes);
    }
  }

  @Override
  public void finished() {
    close();
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
      bar = null;
    }
  }
}
