package dev.sluice.contract.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.file.OutputFile;
import dev.sluice.contract.file.Sha256;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Lines of a recording on their way to a file or a stream. A thread of the writer's own compresses
 * them, beside the caller that makes them; at most a few megabytes wait for it. A file has a
 * temporary name until it is finished. Not safe for threads.
 */
final class LineWriter implements Closeable {
  /** Longest line, line feed included, that is written and read. */
  static final int LINE_BYTES_MAX = 16 << 20;

  /**
   * Size of the pieces that are compressed; always the same, so that equal lines compress alike.
   */
  private static final int BLOCK_BYTES = 1 << 17;

  private static final int BLOCKS_WAITING_MAX = 16;
  private static final byte[] END = new byte[0];

  /** File that is written; null: a stream of the caller's. */
  private final @Nullable OutputFile file;

  private final Gzip gzip;
  private final OutputStream target;
  private final MessageDigest sha256 = Sha256.begin();
  private final BlockingQueue<byte[]> waiting = new ArrayBlockingQueue<>(BLOCKS_WAITING_MAX);
  private final Thread compressor;
  private volatile @Nullable IOException failure;
  private byte[] block = new byte[BLOCK_BYTES];
  private int used;
  private boolean finished;
  private boolean closed;

  /** Gzip whose level can be chosen, and which can be given up without a trailer. */
  private static final class Gzip extends GZIPOutputStream {
    /**
     * Level of compression. Level 1 takes a third of the time of the default one, for files that
     * are about a quarter larger.
     */
    private static final int LEVEL = 1;

    Gzip(OutputStream target) throws IOException {
      super(target, 1 << 16);
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
    this.compressor = new Thread(this::compress, "recording-compressor");
    compressor.setDaemon(true);
    compressor.start();
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

  void put(byte[] bytes) throws IOException {
    int from = 0;
    while (from < bytes.length) {
      if (used == BLOCK_BYTES) {
        handOver(block);
        block = new byte[BLOCK_BYTES];
        used = 0;
      }
      int length = Math.min(bytes.length - from, BLOCK_BYTES - used);
      System.arraycopy(bytes, from, block, used, length);
      used += length;
      from += length;
    }
  }

  /** Puts a text of ASCII letters. */
  void put(String ascii) throws IOException {
    put(ascii.getBytes(ISO_8859_1));
  }

  void put(long number) throws IOException {
    put(Long.toString(number));
  }

  private void handOver(byte[] full) throws IOException {
    throwFailure();
    try {
      waiting.put(full);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while a recording was written");
    }
  }

  private void compress() {
    try {
      for (byte[] full = waiting.take(); full != END; full = waiting.take()) {
        if (failure == null) {
          write(full, full.length);
        } // after a failure the blocks are thrown away, so that the caller never waits in vain
      }
    } catch (InterruptedException e) {
      failure = new InterruptedIOException("a recording was given up");
    }
  }

  private void write(byte[] bytes, int length) {
    try {
      sha256.update(bytes, 0, length);
      gzip.write(bytes, 0, length);
    } catch (IOException e) {
      failure = e;
    } catch (RuntimeException e) {
      failure = new IOException(e);
    }
  }

  private void throwFailure() throws IOException {
    IOException failed = failure;
    if (failed != null) {
      throw new IOException(failed.getMessage(), failed);
    }
  }

  /**
   * Writes the trailer, and gives a file its name.
   *
   * @param records number of lines behind the header
   */
  void finish(long records) throws IOException {
    handOver(END);
    try {
      compressor.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while a recording was written");
    }
    write(block, used);
    throwFailure();
    String sum = HexFormat.of().formatHex(sha256.digest());
    gzip.write(trailer(records, sum).getBytes(UTF_8));
    gzip.finish();
    target.flush();
    if (file != null) {
      file.finish();
    }
    finished = true;
  }

  static String trailer(long records, String sha256) {
    return "{\"records\":" + records + ",\"sha256\":\"" + sha256 + "\"}\n";
  }

  /** Frees what the writer holds; an unfinished file is removed. */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (!finished) {
        stopCompressor();
      }
    } finally {
      gzip.free();
      if (file != null) {
        file.close();
      }
    }
  }

  private void stopCompressor() {
    compressor.interrupt();
    boolean interrupted = false;
    while (compressor.isAlive()) {
      try {
        compressor.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
