package dev.sluice.contract.codec;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Texts that come again and again, such as the names of classes, models and executors: each is one
 * object with its bytes beside it, so that reading and writing it again makes nothing. A table of
 * fixed size, in which a new name takes the place of another one with its hash. Safe for threads:
 * entries never change, and whichever entry a thread sees is whole.
 */
final class Names {
  private static final int SLOTS = 1 << 10;
  private static final int LETTERS_MAX = 64;
  private static final @Nullable Name[] NAMES = new Name[SLOTS];

  /** A text of plain letters, each of which is one byte. */
  private static final class Name {
    final String text;
    final byte[] bytes;

    Name(String text, byte[] bytes) {
      this.text = text;
      this.bytes = bytes;
    }
  }

  private Names() {}

  /** Tells whether JSON holds a letter as it is, in one byte. */
  static boolean isPlain(int letter) {
    return letter >= ' ' && letter < 0x7f && letter != '"' && letter != '\\';
  }

  /**
   * Returns the text of plain letters from one place to another.
   *
   * @param hash hash of the text, as {@link String#hashCode} has it
   */
  static String text(byte[] json, int from, int to, int hash) {
    int slot = slot(hash);
    Name known = NAMES[slot];
    if (known != null && Arrays.equals(known.bytes, 0, known.bytes.length, json, from, to)) {
      return known.text;
    }
    String text = new String(json, from, to - from, StandardCharsets.ISO_8859_1);
    if (to - from <= LETTERS_MAX) {
      NAMES[slot] = new Name(text, Arrays.copyOfRange(json, from, to));
    }
    return text;
  }

  /** Returns the text's bytes, which nobody may change; null: a letter is not plain. */
  static byte @Nullable [] bytes(String text) {
    int slot = slot(text.hashCode());
    Name known = NAMES[slot];
    if (known != null && known.text.equals(text)) {
      return known.bytes;
    }
    for (int i = 0; i < text.length(); i++) {
      if (!isPlain(text.charAt(i))) {
        return null;
      }
    }
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    if (bytes.length <= LETTERS_MAX) {
      NAMES[slot] = new Name(text, bytes);
    }
    return bytes;
  }

  private static int slot(int hash) {
    return (hash ^ (hash >>> 15)) & (SLOTS - 1);
  }
}
