package dev.sluice.bench;

import dev.sluice.contract.file.OutputFile;
import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The part of a document that the bench writes: what stands between two marker lines. */
final class PublishedTable {
  static final String BEGIN = "<!-- bench: begin -->\n";
  static final String END = "<!-- bench: end -->\n";

  private PublishedTable() {}

  /**
   * Checks that a document has a place for the table.
   *
   * @throws UserMistakeException if the document cannot be read or lacks a marker
   */
  static void check(Path document) throws UserMistakeException {
    String unused = with(document, "");
  }

  /** Writes a table into a document, and leaves all else in it as it is. */
  static void write(Path document, String markdown) throws IOException, UserMistakeException {
    OutputFile.write(document, with(document, markdown).getBytes(StandardCharsets.UTF_8));
  }

  private static String with(Path document, String markdown) throws UserMistakeException {
    String text;
    try {
      text = Files.readString(document);
    } catch (IOException e) {
      throw new UserMistakeException(
          "--table",
          "(" + document + ") cannot be read: " + UserMistakeException.reason(e),
          "the path is wrong");
    }
    int begin = text.indexOf(BEGIN);
    int end = text.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new UserMistakeException(
          document.toString(),
          "the document has no place for the table",
          "add the lines " + BEGIN.strip() + " and " + END.strip());
    }
    return text.substring(0, begin + BEGIN.length()) + "\n" + markdown + "\n" + text.substring(end);
  }
}
