package dev.sluice.contract.file;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

public final class Sha256 {
  private Sha256() {}

  public static MessageDigest begin() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  public static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(begin().digest(bytes));
  }
}
