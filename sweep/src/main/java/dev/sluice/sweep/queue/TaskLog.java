package dev.sluice.sweep.queue;

import dev.sluice.sweep.queue.QueueEvent.Ended;
import dev.sluice.sweep.queue.QueueEvent.Outcome;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The lines of Sluice's own in a task's log, between which the output of its attempts stands. */
public final class TaskLog {
  /** Begin of each such line. */
  private static final String STAMP = "== ";

  /** Begin of an attempt's first line. */
  private static final String START = STAMP + "start ";

  private static final int TAIL_BYTES = 1 << 16;

  private static final Logger LOG = LoggerFactory.getLogger(TaskLog.class);
  private static final DateTimeFormatter MOMENT =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss ", Locale.ROOT)
          .withZone(ZoneId.systemDefault());

  private TaskLog() {}

  /** The first line of a task's present attempt. */
  public static String start(TaskState task, QueueFolder queue) {
    String gpu = task.gpu() == QueueState.NO_GPU ? "" : ", GPU " + task.gpu();
    return (START
            + MOMENT.format(Instant.ofEpochMilli(task.sinceMs()))
            + "task (%s), attempt %d%s, %s"
                .formatted(task.name(), task.attempt(), gpu, queue.folder()))
        .replace('\n', ' ');
  }

  public static void appendEnd(String file, String name, Ended ended) {
    String how = ended.why().isEmpty() ? "exit status " + ended.status() : ended.why();
    append(
        file,
        "end "
            + MOMENT.format(Instant.ofEpochMilli(ended.atMs()))
            + "task (%s), attempt %d, after %.3f s: %s"
                .formatted(name, ended.attempt(), ended.ranMs() / 1000.0, how));
  }

  /** An end in words, for the scheduler's log. */
  public static String endLine(String name, Ended ended) {
    return "task ("
        + name
        + ")"
        + (ended.outcome() == Outcome.DONE ? " is done" : " has failed")
        + (ended.why().isEmpty() ? "" : ": " + ended.why())
        + (ended.again() ? "; it waits again" : "");
  }

  /** Last lines of a task's last attempt, but stamps, empty lines and stack frames. */
  public static List<String> lastLines(Path log, int most) throws IOException {
    if (!Files.isRegularFile(log)) {
      return List.of();
    }
    List<String> lines = new ArrayList<>();
    for (String line : tail(log).lines().toList()) {
      if (line.startsWith(START)) {
        lines.clear();
      } else if (!line.isBlank() && !line.startsWith(STAMP) && !line.startsWith("\tat ")) {
        lines.add(line);
      }
    }
    return lines.subList(Math.max(0, lines.size() - most), lines.size());
  }

  private static String tail(Path log) throws IOException {
    try (var file = new RandomAccessFile(log.toFile(), "r")) {
      long from = Math.max(0, file.length() - TAIL_BYTES);
      byte[] tail = new byte[Math.toIntExact(file.length() - from)];
      file.seek(from);
      file.readFully(tail);
      return new String(tail, StandardCharsets.UTF_8);
    }
  }

  static void append(String file, String line) {
    Path path = Path.of(file);
    if (file.isEmpty() || !Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try {
      Files.writeString(
          path,
          STAMP + line.replace('\n', ' ') + "\n",
          StandardCharsets.UTF_8,
          StandardOpenOption.WRITE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      LOG.warn("{} cannot be written", path, e);
    }
  }
}
