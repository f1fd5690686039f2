package dev.sluice.sweep.queue;

import dev.sluice.sweep.queue.QueueEvent.Outcome;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Lines of fields with a checksum: eight hex digits of the CRC-32 of the rest, and the fields with
 * tabs between. Line breaks, tabs and backslashes in a field are escaped. A record is written as
 * its components in their order, which is therefore part of the format.
 */
final class CheckedLine {
  private static final int CHECK_LENGTH = 8;

  private CheckedLine() {}

  /** A line with its line break. */
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
