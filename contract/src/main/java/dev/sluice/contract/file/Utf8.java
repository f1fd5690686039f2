package dev.sluice.contract.file;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

public final class Utf8 {
  private static final int CHUNK_BYTES = 1 << 16;

  /** What Java's decoder puts where a byte is part of no letter. */
  private static final char REPLACEMENT = '\uFFFD';

  private Utf8() {}

  /**
   * Decodes a whole file.
   *
   * @param source the file as the user named it
   * @throws UserMistakeException with the line of the first byte that is part of no letter
   */
  public static String decoded(String source, byte[] bytes) throws UserMistakeException {
    var left = ByteBuffer.wrap(bytes);
    String text;
    try {
      text = decoder().decode(left).toString();
    } catch (CharacterCodingException e) {
      int line = 1;
      for (int i = 0; i < left.position(); i++) {
        line += bytes[i] == '\n' ? 1 : 0;
      }
      throw mistake(source, new Broken(line, left.position() + 1L), null);
    }
    return text.startsWith("\uFEFF") ? text.substring(1) : text;
  }

  /**
   * Decodes a part of a file that is whole letters.
   *
   * @param place the line that holds it
   * @throws UserMistakeException with that line, if a byte is part of no letter
   */
  static String decoded(Place place, byte[] bytes) throws UserMistakeException {
    String text = new String(bytes, StandardCharsets.UTF_8);
    if (text.indexOf(REPLACEMENT) >= 0
        && !Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes)) {
      throw new UserMistakeException(
          place, "this line is not UTF-8 text", "the file was saved in another encoding");
    }
    return text;
  }

  /**
   * Refuses a file that begins as one in UTF-16 or UTF-32 does: with the byte order mark of one of
   * them, or with a letter that a byte of 0 stands beside. A reader of JSON would decode it.
   *
   * @param in the whole file, at its beginning, where it is left; it can be marked
   * @throws UserMistakeException with the first line
   */
  public static void refuseOther(String source, InputStream in)
      throws IOException, UserMistakeException {
    in.mark(2);
    byte[] first = in.readNBytes(2);
    in.reset();
    if (first.length == 2 && (first[0] == 0 || first[1] == 0 || isOtherMark(first))) {
      throw new UserMistakeException(
          new Place(source, 1),
          "the file is not UTF-8 text (it begins as UTF-16 or UTF-32 does)",
          "it was saved in another encoding, or is no text at all");
    }
  }

  private static boolean isOtherMark(byte[] first) {
    int mark = ((first[0] & 0xFF) << 8) | (first[1] & 0xFF);
    return mark == 0xFEFF || mark == 0xFFFE;
  }

  /**
   * The mistake of a file that a reader of pieces found not to be UTF-8. The file is read again to
   * find the line.
   *
   * @param e what the reader said
   */
  public static UserMistakeException mistake(Path file, IOException e) {
    var broken = new Broken(0, 0);
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      broken = firstBroken(in);
    } catch (IOException again) {
      // the file alone is blamed
    }
    return mistake(file.toString(), broken, e);
  }

  /**
   * A byte that is part of no letter.
   *
   * @param number its place in the file, from 1; 0: there is none
   */
  private record Broken(int line, long number) {}

  private static UserMistakeException mistake(
      String source, Broken broken, @Nullable IOException e) {
    return new UserMistakeException(
        new Place(source, broken.line).toString(),
        broken.number == 0
            ? "the file is not UTF-8 text"
            : "the file is not UTF-8 text (byte %d is not part of a letter)"
                .formatted(broken.number),
        "it was saved in another encoding, or is no text at all",
        e);
  }

  private static Broken firstBroken(InputStream in) throws IOException {
    CharsetDecoder decoder = decoder();
    var bytes = ByteBuffer.allocate(CHUNK_BYTES);
    var chars = CharBuffer.allocate(CHUNK_BYTES);
    int line = 1;
    long decoded = 0;
    while (true) {
      int read = in.read(bytes.array(), bytes.position(), bytes.remaining());
      bytes.position(bytes.position() + Math.max(0, read)).flip();
      CoderResult result = decoder.decode(bytes, chars, read < 0);
      decoded += bytes.position();
      chars.flip();
      line += (int) chars.chars().filter(c -> c == '\n').count();
      chars.clear();
      bytes.compact();
      if (result.isError()) {
        return new Broken(line, decoded + 1);
      }
      if (read < 0) {
        return new Broken(1, 0);
      }
    }
  }

  private static CharsetDecoder decoder() {
    return StandardCharsets.UTF_8
        .newDecoder()
        .onMalformedInput(CodingErrorAction.REPORT)
        .onUnmappableCharacter(CodingErrorAction.REPORT);
  }
}
