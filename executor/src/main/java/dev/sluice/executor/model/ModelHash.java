package dev.sluice.executor.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.file.Sha256;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Hashes of a model file, as they stand in the file beside it: its SHA-256 in the format of {@code
 * sha256sum}, and below it, in a line that {@code sha256sum} passes over, its CRC-32C.
 *
 * <p>A check takes the CRC-32C where it stands: it finds damage as well, in a twentieth of the
 * time, since Java's quick compiler knows the processor's instruction for CRC-32C alone.
 *
 * @param sha256 64 hexadecimal digits
 * @param crc32c 8 hexadecimal digits; null: the file beside the model holds none
 */
record ModelHash(String sha256, @Nullable String crc32c) {
  private static final String CRC_LINE = "# crc32c ";
  private static final int CHUNK = 1 << 20;

  static Path file(Path model) {
    return model.resolveSibling(model.getFileName() + ".sha256");
  }

  static ModelHash read(Path model) throws IOException {
    List<String> lines = Files.readString(file(model), UTF_8).strip().lines().toList();
    String sha256 = lines.isEmpty() ? "" : lines.get(0).split("\\s", 2)[0];
    return new ModelHash(
        sha256.toLowerCase(Locale.ROOT),
        lines.stream()
            .filter(line -> line.startsWith(CRC_LINE))
            .map(line -> line.substring(CRC_LINE.length()).strip())
            .findFirst()
            .orElse(null));
  }

  /**
   * @param quick whether its CRC-32C alone is asked for; its SHA-256 is empty then
   */
  static ModelHash of(Path model, boolean quick) throws IOException {
    var hashing = new Hashing(OutputStream.nullOutputStream(), quick ? null : Sha256.begin());
    try (InputStream in = Files.newInputStream(model);
        hashing) {
      var chunk = new byte[CHUNK];
      for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
        hashing.write(chunk, 0, read);
      }
    }
    return hashing.hash();
  }

  String text(Path model) {
    return sha256
        + "  "
        + model.getFileName()
        + "\n"
        + (crc32c == null ? "" : CRC_LINE + crc32c + "\n");
  }

  /** A stream that hashes what passes through. */
  static final class Hashing extends FilterOutputStream {
    private final @Nullable MessageDigest sha256;
    private final CRC32C crc32c = new CRC32C();

    /**
     * @param sha256 null: the CRC-32C alone is asked for
     */
    Hashing(OutputStream out, @Nullable MessageDigest sha256) {
      super(out);
      this.sha256 = sha256;
    }

    @Override
    public void write(int b) throws IOException {
      if (sha256 != null) {
        sha256.update((byte) b);
      }
      crc32c.update(b);
      out.write(b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (sha256 != null) {
        sha256.update(bytes, offset, length);
      }
      crc32c.update(bytes, offset, length);
      out.write(bytes, offset, length);
    }

    /** Returns the hashes of what has passed through, once. */
    ModelHash hash() {
      return new ModelHash(
          sha256 == null ? "" : HexFormat.of().formatHex(sha256.digest()),
          HexFormat.of().toHexDigits((int) crc32c.getValue()));
    }
  }
}
