package dev.sluice.cli.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Changes of a text as careless people, broken disks and hostile hands make them. */
final class Mutations {
  private static final List<String> VALUES =
      List.of(
          "",
          "\"\"",
          "''",
          "~",
          "null",
          "[]",
          "{}",
          "-1",
          "0",
          "1e999",
          "1e-99999999",
          "1e99999999",
          "-1e308",
          "9223372036854775807",
          "99999999999999999999",
          "NaN",
          ".inf",
          "0x1p3",
          "\"a\\0b\"",
          "\"\\q\"",
          "\"\\ud800\"",
          "\u0000",
          "\u001b[31m",
          "\ud800",
          "*x",
          "&x [*x]",
          "!!java.net.URL [x]",
          "1970-01-01",
          "true",
          ",",
          ":",
          "- ",
          "#",
          "\"",
          "\n",
          "\t",
          "---",
          "x".repeat(5_000),
          "9".repeat(500),
          "[".repeat(300),
          "{\"a\":".repeat(300));

  private static final Pattern PIECE = Pattern.compile("[-+.\\p{Alnum}_]+|\"[^\"\n]*\"");

  private final Random random;

  Mutations(long seed) {
    this.random = new Random(seed);
  }

  /** Returns the text with one to three changes, as bytes that may be no text any more. */
  byte[] of(String text) {
    String changed = text;
    int changes = 1 + random.nextInt(3);
    for (int i = 0; i < changes; i++) {
      changed = once(changed);
    }
    byte[] bytes = changed.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > 0 && random.nextInt(10) == 0) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    return random.nextInt(20) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)) : bytes;
  }

  private String once(String text) {
    int at = random.nextInt(text.length() + 1);
    int end = Math.min(text.length(), at + random.nextInt(30));
    return switch (random.nextInt(6)) {
      case 0 -> text.substring(0, at) + pick() + text.substring(at);
      case 1 -> text.substring(0, at) + text.substring(end);
      case 2 -> text.substring(0, end) + text.substring(at, end) + text.substring(end);
      case 3 -> line(text);
      default -> piece(text);
    };
  }

  private String pick() {
    return VALUES.get(random.nextInt(VALUES.size()));
  }

  /** Puts another value in the place of one number, name or text. */
  private String piece(String text) {
    Matcher piece = PIECE.matcher(text);
    if (!piece.find(random.nextInt(text.length() + 1))) {
      return text + pick();
    }
    return text.substring(0, piece.start()) + pick() + text.substring(piece.end());
  }

  /** Moves a line, or writes it twice. */
  private String line(String text) {
    String[] lines = text.split("\n", -1);
    int from = random.nextInt(lines.length);
    lines[random.nextInt(lines.length)] += "\n" + lines[from];
    if (random.nextBoolean()) {
      lines[from] = "";
    }
    return String.join("\n", lines);
  }
}
