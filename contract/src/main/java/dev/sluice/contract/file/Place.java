package dev.sluice.contract.file;

/**
 * A line of a file, or an override on the command line.
 *
 * @param source the file as the user named it, or {@code --set key=value}
 * @param line from 1; 0: the whole file; {@link #OVERRIDE}: not in the file
 */
public record Place(String source, int line) implements Comparable<Place> {
  static final int OVERRIDE = Integer.MAX_VALUE;

  public static Place override(String assignment) {
    return new Place("--set " + Written.of(assignment), OVERRIDE);
  }

  /** Orders places of one file by line; overrides come last. */
  @Override
  public int compareTo(Place that) {
    return Integer.compare(line, that.line);
  }

  @Override
  public String toString() {
    return line == 0 || line == OVERRIDE ? source : source + ":" + line;
  }
}
