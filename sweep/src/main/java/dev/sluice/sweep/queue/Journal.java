package dev.sluice.sweep.queue;

import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The journal of a queue: one {@link CheckedLine} for each event, appended. What was written
 * survives the death of the process; what was also synced survives that of the machine.
 */
class Journal implements AutoCloseable {
  private final FileChannel channel;

  /** Length of all whole lines, bytes. */
  private long length;

  /**
   * What a journal holds.
   *
   * @param length length of all whole lines, bytes; what follows was torn
   */
  record Content(List<QueueEvent> events, long length) {}

  /** Opens a journal behind its whole lines; what was torn is cut off. */
  Journal(Path file, Content content) throws IOException {
    channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    length = content.length();
    channel.truncate(length);
  }

  /**
   * Reads a journal, after its bytes have reached the disk: nobody hears of what a crash could
   * still undo.
   *
   * @throws UserMistakeException if a line before the last is damaged
   */
  static Content read(Path file) throws IOException, UserMistakeException {
    if (!Files.exists(file)) {
      return new Content(List.of(), 0);
    }
    try (FileChannel synced = FileChannel.open(file, StandardOpenOption.READ)) {
      synced.force(false);
    }
    return parse(Files.readAllBytes(file), file.toString());
  }

  /**
   * The events of a journal's bytes. The last line may be torn: it is dropped.
   *
   * @param source the file, for the message
   */
  static Content parse(byte[] bytes, String source) throws UserMistakeException {
    List<QueueEvent> events = new ArrayList<>();
    int from = 0;
    for (int line = 1; from < bytes.length; line++) {
      int to = from;
      while (to < bytes.length && bytes[to] != '\n') {
        to++;
      }
      List<String> fields =
          to == bytes.length
              ? null
              : CheckedLine.fields(new String(bytes, from, to - from, StandardCharsets.UTF_8));
      if (fields == null) {
        if (to + 1 >= bytes.length) {
          break;
        }
        throw damaged(source, line, null);
      }
      try {
        events.add(QueueEvent.of(fields));
      } catch (IllegalArgumentException e) {
        throw damaged(source, line, e);
      }
      from = to + 1;
    }
    return new Content(events, from);
  }

  private static UserMistakeException damaged(
      String source, int line, @Nullable IllegalArgumentException cause) {
    return new UserMistakeException(
        source + ":" + line,
        "the journal is damaged here, so nothing was started",
        "a copy from before the damage can be put back; without this file the queue begins anew",
        cause);
  }

  /**
   * Appends events, all or none.
   *
   * @throws IOException if they cannot be written, as on a full disk
   */
  void append(List<QueueEvent> events) throws IOException {
    var lines = new StringBuilder();
    events.forEach(event -> lines.append(CheckedLine.of(event.fields())));
    byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
    try {
      write(ByteBuffer.wrap(bytes), length);
    } catch (IOException e) {
      channel.truncate(length); // a half of a line must not stand before the next one
      throw e;
    }
    length += bytes.length;
  }

  /** Writes all bytes at a position, or fails having written some. */
  void write(ByteBuffer bytes, long position) throws IOException {
    long at = position;
    while (bytes.hasRemaining()) {
      at += channel.write(bytes, at);
    }
  }

  /** Returns when all that was appended has reached the disk. */
  void sync() throws IOException {
    channel.force(false);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
