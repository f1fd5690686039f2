package dev.sluice.executor.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.file.Sha256;
import java.io.IOException;
import java.io.InputStream;
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
    var crc32c = new CRC32C();
    MessageDigest sha256 = Sha256.begin();
    try (InputStream in = Files.newInputStream(model)) {
      var chunk = new byte[CHUNK];
      for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
        crc32c.update(chunk, 0, read);
        if (!quick) {
          sha256.update(chunk, 0, read);
        }
      }
    }
    ModelHash both = of(sha256, crc32c);
    return quick ? new ModelHash("", both.crc32c) : both;
  }

  /** Returns the hashes of what they have taken in, once. */
  static ModelHash of(MessageDigest sha256, CRC32C crc32c) {
    return new ModelHash(
        HexFormat.of().formatHex(sha256.digest()),
        HexFormat.of().toHexDigits((int) crc32c.getValue()));
  }

  String text(Path model) {
    return sha256
        + "  "
        + model.getFileName()
        + "\n"
        + (crc32c == null ? "" : CRC_LINE + crc32c + "\n");
  }
}
