package dev.sluice.contract.log;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Records of one kind as lines of a recording, in the order in which they may stand there. Not safe
 * for threads.
 */
interface RecordLines<R> {
  RecordingHeader.Kind kind();

  /** A record in words, for a line that is none. */
  String noun();

  /** The order of the lines, in words. */
  String order();

  /**
   * Takes the next record.
   *
   * @return null; or, if the record may not stand behind the one before, what is wrong with it
   */
  @Nullable String misplaced(R record);

  /** The record in a line that is as {@link #line} writes it; null: the line is not. */
  @Nullable R record(byte[] line);

  /**
   * A record's line, line feed included.
   *
   * @throws IOException if the record is too long for a line
   */
  byte[] line(R record) throws IOException;
}
