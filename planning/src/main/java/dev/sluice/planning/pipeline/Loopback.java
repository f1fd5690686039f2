package dev.sluice.planning.pipeline;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** Sockets of this machine alone, between processes that know a word of the run. */
final class Loopback {
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

  /**
   * Connects to a port, and says the word.
   *
   * @param word as long as every word of the run
   */
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
