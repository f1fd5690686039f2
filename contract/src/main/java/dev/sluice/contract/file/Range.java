package dev.sluice.contract.file;

/**
 * What a number may be; finite in any case.
 *
 * @param open whether the least value itself is left out
 */
public record Range(double least, boolean open, double most) {
  static final Range ANY = new Range(-Double.MAX_VALUE, false, Double.MAX_VALUE);

  public static Range above(double least, double most) {
    return new Range(least, true, most);
  }

  public static Range within(double least, double most) {
    return new Range(least, false, most);
  }

  boolean contains(double value) {
    return (open ? value > least : value >= least) && value <= most;
  }

  /** The rule in words, to follow "must be". */
  String words() {
    if (this.equals(ANY)) {
      return "a finite number";
    }
    return (open ? "above " : "at least ")
        + Numbers.text(least)
        + " and at most "
        + Numbers.text(most);
  }
}
