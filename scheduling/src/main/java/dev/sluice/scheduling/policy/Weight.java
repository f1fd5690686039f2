package dev.sluice.scheduling.policy;

import static java.util.Objects.requireNonNull;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;

/**
 * A weight of a policy's score.
 *
 * @param defaultValue value where none is given
 * @param least least value that the policy is right for
 * @param most largest value that the policy is right for
 */
public record Weight(String name, double defaultValue, double least, double most) {
  private static final double MOST = 1e9;

  /** A weight from 0 to 10⁹: a negative one would turn its term round. */
  public Weight(String name, double defaultValue) {
    this(name, defaultValue, 0, MOST);
  }

  /** Returns the weight of a name; the registry has filled in the defaults. */
  public static double in(Map<String, Double> weights, String name) {
    return requireNonNull(weights.get(name), name);
  }

  /** Returns a weight of milliseconds in nanoseconds. */
  public static long nsOfMs(Map<String, Double> weights, String name) {
    return Math.round(in(weights, name) * 1e6);
  }

  /** Returns a value in digits, without an exponent. */
  public static String plain(double value) {
    return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }

  /** Finds a value that is not whole, of a weight that counts or chooses something. */
  public static Optional<Mistake> notWhole(Map<String, Double> weights, String name) {
    double value = in(weights, name);
    return value == Math.rint(value)
        ? Optional.empty()
        : Optional.of(
            new Mistake(
                name,
                "%s (%s) must be a whole number".formatted(name, value),
                "you meant %.0f".formatted(Math.rint(value))));
  }

  /** Returns whether the policy may be given the value. */
  public boolean holds(double value) {
    return value >= least && value <= most;
  }

  /**
   * A mistake in a policy's weights.
   *
   * @param weight the weight to blame
   * @param what what is wrong, without a full stop
   * @param maybe what to try, without a full stop
   */
  public record Mistake(String weight, String what, String maybe) {}
}
