package dev.sluice.scheduling.policy;

import org.jspecify.annotations.Nullable;

/**
 * The name of a job. That of a generator's job, {@code job-17}, is kept as a number: its text is
 * made only where somebody reads it.
 *
 * @param other name of another form; null: the name is {@code job-} and the number
 * @param number number of the job from 0; −1: the name has another form
 */
public record JobName(@Nullable String other, long number) {
  private static final String NUMBERED = "job-";

  /** Digits of the greatest number; one of as many digits that is too great turns negative. */
  private static final int DIGITS_MAX = 19;

  /** Returns the name whose text this is. */
  public static JobName of(String text) {
    long number = numberIn(text);
    return new JobName(number < 0 ? text : null, number);
  }

  /** Returns the number in a name of the form {@code job-17}; −1: it has another form. */
  static long numberIn(String text) {
    int from = NUMBERED.length();
    int digits = text.length() - from;
    boolean hasForm =
        text.startsWith(NUMBERED)
            && digits >= 1
            && digits <= DIGITS_MAX
            && (digits == 1 || text.charAt(from) != '0');
    long number = 0;
    for (int i = from; hasForm && i < text.length(); i++) {
      int digit = text.charAt(i) - '0';
      hasForm = digit >= 0 && digit <= 9;
      number = 10 * number + digit;
    }
    return hasForm && number >= 0 ? number : -1;
  }

  /** Returns whether the name is {@code job-} and a number. */
  public boolean isNumbered() {
    return other == null;
  }

  /** Returns the name as text. */
  public String text() {
    return other == null ? NUMBERED.concat(Long.toString(number)) : other;
  }

  @Override
  public String toString() {
    return text();
  }
}
