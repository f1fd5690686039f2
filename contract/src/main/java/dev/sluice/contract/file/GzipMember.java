package dev.sluice.contract.file;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.GZIPInputStream;

/**
 * A gzip file of one member, which is how Sluice writes it. {@link GZIPInputStream} passes over
 * bytes behind the end without a word; this one can tell of them. Not safe for threads.
 */
public final class GzipMember extends GZIPInputStream {
  private static final int TRAILER_BYTES = 8;

  private final Counted raw;
  private final long headerBytes;

  private static final class Counted extends FilterInputStream {
    private long count;

    Counted(InputStream raw) {
      super(raw);
    }

    @Override
    public int read() throws IOException {
      int read = super.read();
      count += read < 0 ? 0 : 1;
      return read;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int read = super.read(bytes, from, length);
      count += Math.max(read, 0);
      return read;
    }
  }

  private GzipMember(Counted raw, int bufferBytes) throws IOException {
    super(raw, bufferBytes);
    this.raw = raw;
    this.headerBytes = raw.count; // the constructor above reads the header, and no further
  }

  /**
   * Begins to read.
   *
   * @throws IOException if the bytes do not begin as gzip does, or cannot be read
   */
  public static GzipMember open(InputStream raw, int bufferBytes) throws IOException {
    return new GzipMember(new Counted(raw), bufferBytes);
  }

  /**
   * Reads to the end, and tells whether bytes stand behind it. A second member is such bytes too.
   * The stream must not be closed.
   */
  public boolean hasBytesBehindEnd() throws IOException {
    long unused = transferTo(OutputStream.nullOutputStream());
    long end = headerBytes + inf.getBytesRead() + TRAILER_BYTES;
    return raw.count > end || raw.read() >= 0;
  }
}
