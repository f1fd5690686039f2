package dev.sluice.planning.pipeline;

import dev.sluice.contract.time.Pacer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.function.LongSupplier;

/**
 * The sending end of a link of a given bandwidth: frames of a number, a length and bytes. A piece
 * is written at the moment at which its last bit would arrive. Used by one thread.
 */
final class PacedLink {
  /** Number of a frame behind which nothing comes. */
  static final long END = -1;

  static final int HEADER_BYTES = Long.BYTES + Integer.BYTES;

  private static final int PIECE_BYTES_MIN = 1 << 16;

  /** Time that one piece takes, if it is not the smallest: some 250 pieces a second. */
  private static final double PIECE_SECONDS = 0.004;

  /** Lateness that is caught up with; more comes from a receiver without room, and is lost. */
  private static final long CAUGHT_UP_NS = 10_000_000;

  private final WritableByteChannel channel;
  private final double bitsPerSecond;
  private final LongSupplier monotonicNs;
  private final Pacer pacer;

  /**
   * @param bitsPerSecond bandwidth; infinite: sends at once
   */
  PacedLink(
      WritableByteChannel channel, double bitsPerSecond, LongSupplier monotonicNs, Pacer pacer) {
    this.channel = channel;
    this.bitsPerSecond = bitsPerSecond;
    this.monotonicNs = monotonicNs;
    this.pacer = pacer;
  }

  /**
   * Sends a frame, and returns the time that the link was busy with it, without the time for which
   * the receiver had no room.
   */
  long sendNs(long number, ByteBuffer bytes) throws IOException, InterruptedException {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    write(header.putLong(number).putInt(bytes.remaining()).flip());
    int piece =
        bitsPerSecond == Double.POSITIVE_INFINITY
            ? Integer.MAX_VALUE
            : (int) Math.min(1 << 24, Math.max(PIECE_BYTES_MIN, bitsPerSecond * PIECE_SECONDS / 8));
    ByteBuffer rest = bytes.duplicate();
    long dueNs = monotonicNs.getAsLong();
    long busyNs = 0;
    while (rest.hasRemaining()) {
      ByteBuffer next = rest.slice(rest.position(), Math.min(piece, rest.remaining()));
      rest.position(rest.position() + next.remaining());
      long pieceNs = Math.round(next.remaining() * 8e9 / bitsPerSecond);
      long beganNs = monotonicNs.getAsLong();
      dueNs = Math.max(dueNs, beganNs - CAUGHT_UP_NS) + pieceNs;
      if (pieceNs > 0) {
        pacer.awaitNs(dueNs);
      }
      long waitedNs = monotonicNs.getAsLong();
      write(next);
      long wroteNs = monotonicNs.getAsLong() - waitedNs;
      busyNs += waitedNs - beganNs + (pieceNs > 0 ? Math.min(wroteNs, pieceNs) : wroteNs);
    }
    return busyNs;
  }

  private void write(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }
}
