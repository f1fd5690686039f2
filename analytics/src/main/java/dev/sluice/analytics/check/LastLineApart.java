package dev.sluice.analytics.check;

import dev.sluice.contract.file.Sha256;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.HexFormat;

/** Lines that are passed on, and the SHA-256 of all of them but the last. */
final class LastLineApart extends FilterInputStream {
  private final MessageDigest sha256 = Sha256.begin();
  private final ByteArrayOutputStream lastLine = new ByteArrayOutputStream();
  private boolean endsWithNewline;

  LastLineApart(InputStream lines) {
    super(lines);
  }

  @Override
  public int read() throws IOException {
    var one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int from, int length) throws IOException {
    int count = super.read(bytes, from, length);
    int begin = from; // of what belongs to the last line so far
    for (int at = from; at < from + count; at++) {
      boolean begins = at > from ? bytes[at - 1] == '\n' : endsWithNewline;
      if (begins) {
        sha256.update(lastLine.toByteArray());
        lastLine.reset();
        sha256.update(bytes, begin, at - begin);
        begin = at;
      }
    }
    if (count > 0) {
      lastLine.write(bytes, begin, from + count - begin);
      endsWithNewline = bytes[from + count - 1] == '\n';
    }
    return count;
  }

  /** The digest, in hexadecimal; once, when all has been read. */
  String sha256() {
    return HexFormat.of().formatHex(sha256.digest());
  }
}
