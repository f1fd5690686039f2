package dev.sluice.bench;

import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.machine.Posix;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What tasks say in a named pipe, each word one letter, with the time at which it was read. */
final class TaskNews implements AutoCloseable {
  /** Word of a task that begins. */
  static final char BEGIN = 'b';

  /** Word of a task that ends. */
  static final char END = 'e';

  private static final Logger LOG = LoggerFactory.getLogger(TaskNews.class);

  private final Path path;
  private final RandomAccessFile pipe;
  private final Times begins = new Times();
  private final Times ends = new Times();
  private boolean closing;

  /** Times that were read, in their order. */
  private static final class Times {
    private long[] atNs = new long[1024];
    private int count;

    void add(long ns) {
      atNs = count == atNs.length ? Arrays.copyOf(atNs, 2 * count) : atNs;
      atNs[count++] = ns;
    }
  }

  /** Makes the pipe, and reads it until closed. */
  TaskNews(Path path) throws IOException {
    this.path = path;
    Posix.makeFifo(path);
    // Held open for writing too: a pipe without a writer would be at its end.
    pipe = new RandomAccessFile(path.toFile(), "rw");
    var reader = new Thread(this::read, "sluice-task-news");
    reader.setDaemon(true);
    reader.start();
  }

  private void read() {
    byte[] read = new byte[256];
    try {
      for (int length = pipe.read(read); length > 0; length = pipe.read(read)) {
        took(read, length, MachineClock.monotonicNs());
        if (isClosing()) {
          return;
        }
      }
    } catch (IOException e) {
      if (!isClosing()) {
        LOG.error("the tasks' pipe cannot be read", e);
      }
    }
  }

  private synchronized void took(byte[] words, int length, long atNs) {
    for (int i = 0; i < length; i++) {
      if (words[i] == BEGIN || words[i] == END) {
        times((char) words[i]).add(atNs);
      }
    }
    notifyAll();
  }

  private synchronized boolean isClosing() {
    return closing;
  }

  private Times times(char word) {
    return word == BEGIN ? begins : ends;
  }

  /** A line of shell that says a word. */
  String says(char word) {
    return "echo " + word + " >" + BenchWorkspace.quoted(path) + "\n";
  }

  /** How often a word was said. */
  synchronized int count(char word) {
    return times(word).count;
  }

  /** When a word was said, each time. */
  synchronized long[] atNs(char word) {
    return Arrays.copyOf(times(word).atNs, times(word).count);
  }

  /**
   * Waits until a word has been said a number of times.
   *
   * @return false if the time ran out
   */
  synchronized boolean await(char word, int count, long limitMs) throws InterruptedException {
    long endNs = MachineClock.monotonicNs() + TimeUnit.MILLISECONDS.toNanos(limitMs);
    while (times(word).count < count) {
      long leftNs = endNs - MachineClock.monotonicNs();
      if (leftNs <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, leftNs);
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    synchronized (this) {
      closing = true;
    }
    pipe.write('\n'); // wakes the reader
    pipe.close();
  }
}
