package dev.sluice.layers.schedule;

/**
 * One operation of a schedule.
 *
 * @param layer index of the layer, from 0
 * @param line line of the file that it stands in; 0: the list was made
 */
public record Operation(Kind kind, int layer, int line) {
  /** An operation of a list that was made. */
  public static Operation made(Kind kind, int layer) {
    return new Operation(kind, layer, 0);
  }
}
