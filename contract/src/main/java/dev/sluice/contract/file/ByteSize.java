package dev.sluice.contract.file;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sizes in bytes as people write them: {@code 64MB}, {@code 1.5 GiB}, {@code 4096}. MB is 1,000,000
 * bytes, MiB is 1,048,576.
 */
public final class ByteSize {
  /** What a size looks like, for advice. */
  public static final String FORM = "a form like 64MB, 1.5GB, 61MiB or 64000000";

  private static final Pattern SIZE =
      Pattern.compile("([0-9]{1,19}(?:\\.[0-9]{1,9})?) ?((?:[kKMGTmgt]i?)?B?)");
  private static final Map<String, Long> UNITS =
      Map.of(
          "", 1L,
          "k", 1_000L,
          "m", 1_000_000L,
          "g", 1_000_000_000L,
          "t", 1_000_000_000_000L,
          "ki", 1L << 10,
          "mi", 1L << 20,
          "gi", 1L << 30,
          "ti", 1L << 40);
  private static final double BYTES_PER_MB = 1e6;

  private ByteSize() {}

  /**
   * Returns the bytes of a size, rounded down.
   *
   * @return empty if the text is no size, or is above 2⁶³ − 1
   */
  public static OptionalLong parse(String text) {
    Matcher matcher = SIZE.matcher(text.strip());
    if (!matcher.matches()) {
      return OptionalLong.empty();
    }
    String unit = matcher.group(2).toLowerCase(Locale.ROOT).replace("b", "");
    Long bytes = UNITS.get(unit);
    if (bytes == null) {
      return OptionalLong.empty();
    }
    BigDecimal all = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(bytes));
    return all.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0
        ? OptionalLong.empty()
        : OptionalLong.of(all.longValue());
  }

  /** A size in MB, with one digit below 100 MB: {@code 28.4 MB}, {@code 346 MB}. */
  public static String text(long bytes) {
    double mb = bytes / BYTES_PER_MB;
    return String.format(Locale.ROOT, Math.abs(mb) < 99.95 ? "%.1f MB" : "%,.0f MB", mb);
  }
}
