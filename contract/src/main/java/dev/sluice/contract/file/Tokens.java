package dev.sluice.contract.file;

import dev.sluice.contract.file.Tree.Kind;
import java.io.BufferedInputStream;
import java.io.CharConversionException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The pieces of a file, one after the other. A mapping's keys come as {@link Kind#SCALAR}, each
 * followed by its value.
 */
abstract class Tokens implements Closeable {
  private final IntFunction<Place> placeOfLine;

  /** Place of the latest line that was asked for: values on one line share it. */
  private Place place;

  /**
   * @param placeOfLine the place of a line, counted from 1; of line 0 the whole file
   */
  Tokens(IntFunction<Place> placeOfLine) {
    this.placeOfLine = placeOfLine;
    this.place = placeOfLine.apply(0);
  }

  /** Opens a file, as {@link Tree#open} says. */
  static Tokens of(Path file, String neighbour) throws UserMistakeException {
    String source = file.toString();
    if (Files.isDirectory(file)) {
      throw new UserMistakeException(
          source, "this is a folder, not a file", "one of its files was meant");
    }
    try {
      var in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
      refuseOther(source, in);
      IntFunction<Place> placeOfLine = line -> new Place(source, line);
      return source.endsWith(".json")
          ? new JsonTokens(in, placeOfLine)
          : new YamlTokens(in, placeOfLine);
    } catch (NoSuchFileException e) {
      throw new UserMistakeException(source, "the file does not exist", neighbour, e);
    } catch (IOException e) {
      throw unreadable(new Place(source, 0), e);
    }
  }

  private static void refuseOther(String source, InputStream in)
      throws IOException, UserMistakeException {
    try {
      Utf8.refuseOther(source, in);
    } catch (IOException | UserMistakeException e) {
      in.close();
      throw e;
    }
  }

  /** Goes on to the next piece. */
  abstract Kind next() throws UserMistakeException;

  /** The line on which the present piece begins, from 1. */
  abstract int line();

  /** The text of the present scalar, or the name of the present alias. */
  abstract String text() throws UserMistakeException;

  /** Tells whether the present scalar can only be a text, not a number. */
  abstract boolean isQuoted();

  /** Tells whether the present scalar is null. */
  abstract boolean isMissing();

  /** The name by which an alias may repeat the present piece; null: none. */
  abstract @Nullable String anchor();

  /** The place at which the present piece begins. */
  final Place place() {
    return place(line());
  }

  final Place place(int line) {
    if (place.line() != line) {
      place = placeOfLine.apply(line);
    }
    return place;
  }

  /** The mistake of a file that the system cannot read. */
  static UserMistakeException unreadable(Place whole, IOException e) {
    if (e instanceof CharConversionException || e instanceof CharacterCodingException) {
      return Utf8.mistake(Path.of(whole.source()), e);
    }
    return e instanceof AccessDeniedException
        ? new UserMistakeException(
            whole.toString(), "the file may not be read", "its permissions should be changed", e)
        : new UserMistakeException(
            whole.toString(),
            "the file cannot be read (" + UserMistakeException.reason(e) + ")",
            "another file was meant",
            e);
  }

  /** The mistake of a file that breaks its format's rules. */
  static UserMistakeException malformed(
      Place place, String format, @Nullable String reason, String maybe, Exception cause) {
    return new UserMistakeException(
        place.toString(), "this is not %s (%s)".formatted(format, oneLine(reason)), maybe, cause);
  }

  static final String WRONG_MARK =
      "a colon, a quote, a bracket or an indentation is wrong on that line or just above";

  private static String oneLine(@Nullable String text) {
    return text == null ? "no reason given" : text.strip().replaceAll("\\s*\\R\\s*", "; ");
  }
}
