package dev.sluice.contract.file;

/**
 * Where something was written.
 *
 * @param source the file as the user named it, or {@code --set key=value}
 * @param line from 1; 0: the whole file; {@link #OVERRIDE}: not in the file
 */
public record Place(String source, int line) implements Comparable<Place> {
  static final int OVERRIDE = Integer.MAX_VALUE;

  public static Place override(String assignment) {
    return new Place("--set " + assignment, OVERRIDE);
  }

  @Override
  public int compareTo(Place that) {
    return Integer.compare(line, that.line);
  }

  @Override
  public String toString() {
    return line == 0 || line == OVERRIDE ? source : source + ":" + line;
  }
}
