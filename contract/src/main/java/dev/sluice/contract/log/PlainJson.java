package dev.sluice.contract.log;

/**
 * A quick look that finds a JSON object in bytes as Sluice writes them: of letters in one byte that
 * need no escape, without blanks, and not nested deeply. It proves each record of a recording, and
 * takes a fifth of the time of a parser. For one look.
 */
final class PlainJson {
  private static final int DEPTH_MAX = 16;

  /** Most letters of a name or a number; a parser allows more. */
  private static final int LETTERS_MAX = 200;

  private final byte[] bytes;

  /** Place behind what has been found. */
  private int at;

  private PlainJson(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Returns true if the bytes are one whole object; false: a parser must tell. */
  static boolean isObject(byte[] bytes) {
    var look = new PlainJson(bytes);
    return look.here() == '{' && look.value(0) && look.at == bytes.length;
  }

  /** The letter that stands here; 0 behind the end. */
  private byte here() {
    return at < bytes.length ? bytes[at] : 0;
  }

  private boolean passes(char letter) {
    boolean here = here() == letter;
    at += here ? 1 : 0;
    return here;
  }

  private boolean value(int depth) {
    return switch (here()) {
      case '"' -> text(bytes.length);
      case '{' -> depth < DEPTH_MAX && object(depth + 1);
      case '[' -> depth < DEPTH_MAX && list(depth + 1);
      case 't' -> word("true");
      case 'f' -> word("false");
      case 'n' -> word("null");
      default -> number();
    };
  }

  private boolean object(int depth) {
    at++;
    if (passes('}')) {
      return true;
    }
    do {
      if (!text(LETTERS_MAX) || !passes(':') || !value(depth)) {
        return false;
      }
    } while (passes(','));
    return passes('}');
  }

  private boolean list(int depth) {
    at++;
    if (passes(']')) {
      return true;
    }
    do {
      if (!value(depth)) {
        return false;
      }
    } while (passes(','));
    return passes(']');
  }

  private boolean text(int lettersMax) {
    if (!passes('"')) {
      return false;
    }
    int to = at;
    while (to < bytes.length && bytes[to] >= ' ' && bytes[to] != '"' && bytes[to] != '\\') {
      to++;
    }
    boolean isShort = to - at <= lettersMax;
    at = to;
    return isShort && passes('"');
  }

  private boolean word(String word) {
    for (int i = 0; i < word.length(); i++) {
      if (!passes(word.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private boolean number() {
    int from = at;
    boolean unused = passes('-');
    boolean isNumber = passes('0') || digits();
    if (isNumber && passes('.')) {
      isNumber = digits();
    }
    if (isNumber && (passes('E') || passes('e'))) {
      boolean unusedSign = passes('-') || passes('+');
      isNumber = digits();
    }
    return isNumber && at - from <= LETTERS_MAX;
  }

  private boolean digits() {
    int from = at;
    while (here() >= '0' && here() <= '9') {
      at++;
    }
    return at > from;
  }
}
