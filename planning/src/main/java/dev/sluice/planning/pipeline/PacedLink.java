package dev.sluice.planning.pipeline;

import dev.sluice.contract.log.Pacer;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
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

  /** A link of a bandwidth; an infinite one sends at once. */
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

  /** The receiving end of a link: frames as {@link PacedLink} sends them. Used by one thread. */
  static final class Frames {
    private static final int END_BYTES_MAX = 1 << 20;

    private final ReadableByteChannel channel;
    private int bytes;

    Frames(ReadableByteChannel channel) {
      this.channel = channel;
    }

    /**
     * Reads a frame's head, and returns its number; throws an EOFException if the sender is gone.
     */
    long next() throws IOException {
      ByteBuffer header = ByteBuffer.allocate(PacedLink.HEADER_BYTES);
      read(header);
      long number = header.flip().getLong();
      bytes = header.getInt();
      return number;
    }

    /** Reads the bytes of a frame into a buffer with room for exactly them, from its start. */
    void readInto(ByteBuffer into) throws IOException {
      into.clear();
      if (bytes != into.remaining()) {
        throw new IOException("a frame has (" + bytes + ") bytes, not (" + into.remaining() + ")");
      }
      read(into);
      into.flip();
    }

    /** Reads the bytes of the last frame. */
    byte[] readEnd() throws IOException {
      if (bytes < 0 || bytes > END_BYTES_MAX) {
        throw new IOException("the last frame has (" + bytes + ") bytes");
      }
      ByteBuffer end = ByteBuffer.allocate(bytes);
      read(end);
      return end.array();
    }

    private void read(ByteBuffer into) throws IOException {
      while (into.hasRemaining()) {
        if (channel.read(into) < 0) {
          throw new EOFException("the sender is gone");
        }
      }
    }
  }

  /** Sockets of this machine alone, between processes that know a word of the run. */
  static final class Loopback {
    /** Small, so that what is on the way is in the stages' buffers, as planned. */
    private static final int SOCKET_BYTES = 1 << 18;

    private Loopback() {}

    /** Listens at a port of the system's choice. */
    static ServerSocketChannel listen() throws IOException {
      return ServerSocketChannel.open()
          .setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BYTES)
          .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** The port of a listening socket. */
    static int port(ServerSocketChannel listening) throws IOException {
      return ((InetSocketAddress) listening.getLocalAddress()).getPort();
    }

    /** Connects to a port, and says the word, which is as long as every word of the run. */
    static SocketChannel connect(int port, String word) throws IOException {
      SocketChannel channel = SocketChannel.open();
      channel.setOption(StandardSocketOptions.SO_SNDBUF, SOCKET_BYTES);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      ByteBuffer bytes = StandardCharsets.US_ASCII.encode(word);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      return channel;
    }

    /** Waits for the first that connects and says the word; drops others. */
    static SocketChannel accept(ServerSocketChannel listening, String word) throws IOException {
      while (true) {
        SocketChannel channel = listening.accept();
        ByteBuffer said = ByteBuffer.allocate(word.length());
        while (said.hasRemaining() && channel.read(said) >= 0) {
          // a word may come in pieces
        }
        if (StandardCharsets.US_ASCII.decode(said.flip()).toString().equals(word)) {
          return channel;
        }
        channel.close();
      }
    }
  }
}
