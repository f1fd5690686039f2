package dev.sluice.cli;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** What was printed, and a way to wait for words on it. */
public final class Screen extends OutputStream {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  public PrintStream stream() {
    return new PrintStream(this, true, StandardCharsets.UTF_8);
  }

  @Override
  public synchronized void write(int b) {
    bytes.write(b);
    notifyAll();
  }

  @Override
  public synchronized void write(byte[] from, int offset, int length) {
    bytes.write(from, offset, length);
    notifyAll();
  }

  public synchronized String text() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /** Waits until the words stand there; fails, showing all, if they do not come in time. */
  public void await(String words, Duration limit) throws InterruptedException {
    await(Pattern.compile(words, Pattern.LITERAL), limit);
  }

  /** Waits until the live line tells of a job. */
  void awaitJobs(Duration limit) throws InterruptedException {
    await(Pattern.compile(" (sent|waiting|done) [1-9]"), limit);
  }

  public synchronized void await(Pattern words, Duration limit) throws InterruptedException {
    long endNs = System.nanoTime() + limit.toNanos();
    while (!words.matcher(text()).find()) {
      long leftNs = endNs - System.nanoTime();
      if (leftNs <= 0) {
        throw new AssertionError("(" + words + ") never came; what came: " + text());
      }
      TimeUnit.NANOSECONDS.timedWait(this, leftNs);
    }
  }
}
