package dev.sluice.sweep.queue;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.sweep.queue.QueueEvent.Outcome;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The journal of a queue: one {@link CheckedLine} for each event, appended. What was written
 * survives the death of the process; what was also synced survives that of the machine.
 */
class Journal implements AutoCloseable {
  private final FileChannel channel;

  /** Length of all whole lines, bytes. */
  private long length;

  /** A journal's events, and the length of its whole lines in bytes: what follows was torn. */
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

  /**
   * Lines of fields with a checksum: eight hex digits of the CRC-32 of the rest, and the fields
   * with tabs between. Line breaks, tabs and backslashes in a field are escaped. A record is
   * written as its components in their order, which is therefore part of the format.
   */
  static final class CheckedLine {
    private static final int CHECK_LENGTH = 8;

    private CheckedLine() {}

    static String of(List<String> fields) {
      var rest = new StringBuilder(100);
      for (String field : fields) {
        rest.append('\t');
        rest.append(
            field
                .replace("\\", "\\\\")
                .replace("\t", "\\t")
                .replace("\n", "\\n")
                .replace("\r", "\\r"));
      }
      return check(rest.toString()) + rest + '\n';
    }

    /** The fields of a line without its line break; null: the line is damaged. */
    static @Nullable List<String> fields(String line) {
      if (line.length() <= CHECK_LENGTH
          || line.charAt(CHECK_LENGTH) != '\t'
          || !line.startsWith(check(line.substring(CHECK_LENGTH)))) {
        return null;
      }
      List<String> fields = new ArrayList<>();
      for (String field : line.substring(CHECK_LENGTH + 1).split("\t", -1)) {
        fields.add(field.translateEscapes());
      }
      return fields;
    }

    private static String check(String rest) {
      var crc = new CRC32();
      crc.update(rest.getBytes(StandardCharsets.UTF_8));
      return String.format("%08x", crc.getValue());
    }

    /** The components of a record; null becomes an empty field. */
    static List<String> components(Record record) {
      List<String> fields = new ArrayList<>();
      for (RecordComponent component : record.getClass().getRecordComponents()) {
        try {
          Object value = component.getAccessor().invoke(record);
          fields.add(value == null ? "" : value.toString());
        } catch (ReflectiveOperationException e) {
          throw new IllegalStateException("(" + component + ") cannot be read", e);
        }
      }
      return fields;
    }

    /**
     * The record that {@link #components} made fields of.
     *
     * @throws IllegalArgumentException if they are those of no such record
     */
    static <T extends Record> T record(Class<T> type, List<String> fields) {
      RecordComponent[] components = type.getRecordComponents();
      if (fields.size() != components.length) {
        throw new IllegalArgumentException(
            "%s has %d fields: %s".formatted(type.getSimpleName(), components.length, fields));
      }
      Class<?>[] types = new Class<?>[components.length];
      Object[] values = new Object[components.length];
      for (int i = 0; i < components.length; i++) {
        types[i] = components[i].getType();
        values[i] = value(types[i], fields.get(i));
      }
      try {
        return type.getDeclaredConstructor(types).newInstance(values);
      } catch (ReflectiveOperationException e) {
        throw new IllegalArgumentException("no " + type.getSimpleName() + ": " + fields, e);
      }
    }

    private static @Nullable Object value(Class<?> type, String text) {
      if (type == int.class) {
        return Integer.valueOf(text);
      }
      if (type == Integer.class) {
        return text.isEmpty() ? null : Integer.valueOf(text);
      }
      if (type == long.class) {
        return Long.valueOf(text);
      }
      if (type == boolean.class) {
        return Boolean.valueOf(text);
      }
      return type == Outcome.class ? Outcome.valueOf(text) : text;
    }
  }
}
