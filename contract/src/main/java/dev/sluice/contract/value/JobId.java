package dev.sluice.contract.value;

/** Ids that generators give their jobs: {@code job-17} is the job with index 17 of the list. */
public final class JobId {
  private static final String PREFIX = "job-";

  private static final int DIGITS_MAX = 9;

  private JobId() {}

  public static String of(long index) {
    return PREFIX.concat(Long.toString(index));
  }

  /** Returns the index in an id of at most nine digits; -1: the id is another text. */
  public static int index(String id) {
    int digits = id.length() - PREFIX.length();
    if (digits < 1 || digits > DIGITS_MAX || !id.startsWith(PREFIX)) {
      return -1;
    }
    int index = 0;
    for (int i = PREFIX.length(); i < id.length(); i++) {
      int digit = id.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      index = 10 * index + digit;
    }
    return digits > 1 && id.charAt(PREFIX.length()) == '0' ? -1 : index;
  }
}
