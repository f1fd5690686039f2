package dev.sluice.sweep.queue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Lines of fields with a checksum: eight hex digits of the CRC-32 of the rest, and the fields with
 * tabs between. Line breaks, tabs and backslashes in a field are escaped.
 */
final class CheckedLine {
  private static final int CHECK_LENGTH = 8;
  private static final int HEX = 16;

  private CheckedLine() {}

  /** A line with its line break. */
  static String of(List<String> fields) {
    var line = new StringBuilder(100);
    for (String field : fields) {
      line.append('\t');
      escape(field, line);
    }
    String rest = line.toString();
    return check(rest) + rest + '\n';
  }

  /** The fields of a line without its line break; null: the line is damaged. */
  static @Nullable List<String> fields(String line) {
    if (line.length() <= CHECK_LENGTH
        || line.charAt(CHECK_LENGTH) != '\t'
        || !line.startsWith(check(line.substring(CHECK_LENGTH)))) {
      return null;
    }
    List<String> fields = new ArrayList<>();
    int from = CHECK_LENGTH + 1;
    for (int tab = line.indexOf('\t', from); tab >= 0; tab = line.indexOf('\t', from)) {
      fields.add(unescape(line.substring(from, tab)));
      from = tab + 1;
    }
    fields.add(unescape(line.substring(from)));
    return fields;
  }

  private static String check(String rest) {
    var crc = new CRC32();
    crc.update(rest.getBytes(StandardCharsets.UTF_8));
    String digits = Long.toString(crc.getValue(), HEX);
    return "0".repeat(CHECK_LENGTH - digits.length()) + digits;
  }

  private static void escape(String field, StringBuilder to) {
    for (int i = 0; i < field.length(); i++) {
      char c = field.charAt(i);
      switch (c) {
        case '\\' -> to.append("\\\\");
        case '\t' -> to.append("\\t");
        case '\n' -> to.append("\\n");
        case '\r' -> to.append("\\r");
        default -> to.append(c);
      }
    }
  }

  private static String unescape(String text) {
    if (text.indexOf('\\') < 0) {
      return text;
    }
    var field = new StringBuilder(text.length());
    boolean escaped = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!escaped && c == '\\') {
        escaped = true;
        continue;
      }
      field.append(escaped ? meant(c) : c);
      escaped = false;
    }
    return field.toString();
  }

  private static char meant(char escaped) {
    return switch (escaped) {
      case 't' -> '\t';
      case 'n' -> '\n';
      case 'r' -> '\r';
      default -> escaped;
    };
  }
}
