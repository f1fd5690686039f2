package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.file.OutputFile;
import dev.sluice.contract.file.Sha256;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Lines of a recording on their way to a file or a stream. A file has a temporary name until it is
 * finished. Not safe for threads.
 */
final class LineWriter implements Closeable {
  /** Longest line, line feed included, that is written and read. */
  static final int LINE_BYTES_MAX = 16 << 20;

  private static final int BUFFER_BYTES = 1 << 16;

  /** File that is written; null: a stream of the caller's. */
  private final @Nullable OutputFile file;

  private final Gzip gzip;
  private final OutputStream target;
  private final MessageDigest sha256 = Sha256.begin();

  /** Gzip whose level can be chosen, and which can be given up without a trailer. */
  private static final class Gzip extends GZIPOutputStream {
    /**
     * Level of compression. Level 1 takes a third of the time of the default one, for files that
     * are about a quarter larger.
     */
    private static final int LEVEL = 1;

    Gzip(OutputStream target) throws IOException {
      super(target, BUFFER_BYTES);
      def.setLevel(LEVEL);
    }

    void free() {
      def.end();
    }
  }

  private LineWriter(@Nullable OutputFile file, OutputStream target) throws IOException {
    this.file = file;
    this.target = target;
    this.gzip = new Gzip(target);
  }

  /** Begins a file, as {@link OutputFile} does. */
  static LineWriter begin(Path file) throws IOException {
    OutputFile output = OutputFile.begin(file);
    try {
      return new LineWriter(output, output.stream());
    } catch (IOException e) {
      output.close();
      throw e;
    }
  }

  /** Begins to write to a stream, which stays open. */
  static LineWriter begin(OutputStream stream) throws IOException {
    return new LineWriter(null, stream);
  }

  /** Puts bytes of one or more whole lines. */
  void put(byte[] bytes, int length) throws IOException {
    sha256.update(bytes, 0, length);
    gzip.write(bytes, 0, length);
  }

  /**
   * Writes the trailer, and gives a file its name.
   *
   * @param records number of lines behind the header
   */
  void finish(long records) throws IOException {
    String sum = HexFormat.of().formatHex(sha256.digest());
    gzip.write(trailer(records, sum).getBytes(UTF_8));
    gzip.finish();
    target.flush();
    if (file != null) {
      file.finish();
    }
  }

  static String trailer(long records, String sha256) {
    return "{\"records\":" + records + ",\"sha256\":\"" + sha256 + "\"}\n";
  }

  /** Frees what the writer holds; an unfinished file is removed. */
  @Override
  public void close() throws IOException {
    gzip.free();
    if (file != null) {
      file.close();
    }
  }
}
