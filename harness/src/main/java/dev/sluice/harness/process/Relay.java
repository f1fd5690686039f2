package dev.sluice.harness.process;

import dev.sluice.harness.terminal.Console;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Shows the output file of a child on a console: its lines, and its live line. */
public final class Relay implements AutoCloseable {
  private static final int PERIOD_MS = 200;
  private static final int BUFFER_BYTES = 1 << 16;

  private final FileChannel file;
  private final Console console;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            var thread = new Thread(task, "sluice-relay");
            thread.setDaemon(true);
            return thread;
          });
  private final StringBuilder pending = new StringBuilder();
  private boolean pendingIsLive;

  /** Begins to read the file, which must exist. Its name may change later. */
  public Relay(Path file, Console console) throws IOException {
    this.file = FileChannel.open(file, StandardOpenOption.READ);
    this.console = console;
    var unused =
        timer.scheduleWithFixedDelay(this::show, PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS);
  }

  private synchronized void show() {
    try {
      while (file.read(buffer.clear()) > 0) {
        take(StandardCharsets.UTF_8.decode(buffer.flip()).toString());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (pendingIsLive && !pending.isEmpty()) {
      console.live(pending.toString());
    }
  }

  private void take(String text) {
    pending.append(text);
    while (true) {
      int clear = pending.indexOf(Console.CLEAR_LINE);
      int end = pending.indexOf("\n");
      if (clear >= 0 && (end < 0 || clear < end)) {
        pending.delete(0, clear + Console.CLEAR_LINE.length());
        pendingIsLive = true;
      } else if (end >= 0) {
        String line = pending.substring(0, end);
        pending.delete(0, end + 1);
        if (pendingIsLive) {
          console.live(line);
          console.endLiveLine();
        } else {
          console.line(line);
        }
        pendingIsLive = false;
      } else {
        return;
      }
    }
  }

  /** Shows the output until now, and ends. */
  @Override
  public void close() throws IOException {
    timer.shutdownNow();
    show();
    console.endLiveLine();
    file.close();
  }
}
