package dev.sluice.scheduling.policy;

/** The memory that a batch takes, in tokens. */
public final class TokenCost {
  private static final long TOKENS_PER_SAMPLE = 4;

  private TokenCost() {}

  /** Returns base cost + 4 × joined samples; at half precision × 0.7, rounded up. */
  public static long of(int baseTokens, String precision, long samples) {
    long tokens = baseTokens + TOKENS_PER_SAMPLE * samples;
    boolean half = precision.equals("fp16") || precision.equals("bf16");
    return half ? (7 * tokens + 9) / 10 : tokens;
  }
}
