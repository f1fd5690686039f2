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
final class Journal implements AutoCloseable {
  private final Storage storage;

  /** Length of all whole lines, bytes. */
  private long length;

  /** Bytes on a medium: a file, which may be full. */
  interface Storage extends AutoCloseable {
    /** Writes all bytes at a position, or fails having written some. */
    void write(ByteBuffer bytes, long position) throws IOException;

    void truncate(long length) throws IOException;

    void sync() throws IOException;

    @Override
    void close() throws IOException;
  }

  /**
   * What a journal holds.
   *
   * @param length length of all whole lines, bytes; what follows was torn
   */
  record Content(List<QueueEvent> events, long length) {}

  private Journal(Storage storage, long length) {
    this.storage = storage;
    this.length = length;
  }

  /** Opens a journal behind its whole lines; what was torn is cut off. */
  static Journal open(Storage storage, Content content) throws IOException {
    storage.truncate(content.length());
    return new Journal(storage, content.length());
  }

  /** The storage of a file. */
  static Storage file(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    return new Storage() {
      @Override
      public void write(ByteBuffer bytes, long position) throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
          at += channel.write(bytes, at);
        }
      }

      @Override
      public void truncate(long length) throws IOException {
        channel.truncate(length);
      }

      @Override
      public void sync() throws IOException {
        channel.force(false);
      }

      @Override
      public void close() throws IOException {
        channel.close();
      }
    };
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
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(channel.size()));
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
        // reads on until the buffer is full
      }
      channel.force(false);
      return parse(bytes.array(), bytes.position(), file.toString());
    }
  }

  /**
   * The events of a journal's bytes. The last line may be torn: it is dropped.
   *
   * @param source the file, for the message
   */
  static Content parse(byte[] bytes, int end, String source) throws UserMistakeException {
    List<QueueEvent> events = new ArrayList<>();
    int from = 0;
    for (int line = 1; from < end; line++) {
      int to = from;
      while (to < end && bytes[to] != '\n') {
        to++;
      }
      List<String> fields =
          to == end
              ? null
              : CheckedLine.fields(new String(bytes, from, to - from, StandardCharsets.UTF_8));
      if (fields == null) {
        if (to + 1 >= end) {
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
  synchronized void append(List<QueueEvent> events) throws IOException {
    var lines = new StringBuilder();
    events.forEach(event -> lines.append(CheckedLine.of(event.fields())));
    byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
    try {
      storage.write(ByteBuffer.wrap(bytes), length);
    } catch (IOException e) {
      storage.truncate(length); // a half of a line must not stand before the next one
      throw e;
    }
    length += bytes.length;
  }

  /** Returns when all that was appended has reached the disk. */
  void sync() throws IOException {
    storage.sync();
  }

  @Override
  public void close() throws IOException {
    storage.close();
  }
}
