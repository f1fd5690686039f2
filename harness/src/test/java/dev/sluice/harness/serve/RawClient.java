package dev.sluice.harness.serve;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A client on a bare socket: it sends any bytes, and reads answers and events as they come. */
final class RawClient implements Closeable {
  private static final int READ_LIMIT_MS = 60_000;

  private final Socket socket = new Socket();
  private final InputStream in;
  private boolean chunked;
  private int chunkLeft;
  private boolean ended;

  /** An answer; names of headers are in lower case. */
  record Answer(int status, Map<String, String> headers, byte[] body) {
    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }

    String header(String name) {
      return headers.get(name);
    }
  }

  /** An event; a field that is absent is empty. */
  record Event(String event, String id, String data) {}

  RawClient(String url) throws IOException {
    this(url, 0);
  }

  /** A client whose system keeps few bytes that it has not read. */
  RawClient(String url, int receivedBytesMax) throws IOException {
    if (receivedBytesMax > 0) {
      socket.setReceiveBufferSize(receivedBytesMax);
    }
    socket.connect(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), URI.create(url).getPort()));
    socket.setSoTimeout(READ_LIMIT_MS);
    in = new BufferedInputStream(socket.getInputStream());
  }

  /** Asks for a path as a browser does, and reads the whole answer. */
  static Answer get(String url, String path, String... headers) throws IOException {
    return ask(url, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + lines(headers) + "\r\n");
  }

  /** Sends a request as it is, and reads the whole answer. */
  static Answer ask(String url, String request) throws IOException {
    try (var client = new RawClient(url)) {
      client.send(request);
      return client.answer();
    }
  }

  /** Opens a stream, and reads its head. */
  static RawClient stream(String url, String id, String... headers) throws IOException {
    return new RawClient(url).streaming(id, headers);
  }

  /** Asks for the stream of a run, and reads the answer's head. */
  RawClient streaming(String id, String... headers) throws IOException {
    send(
        "GET /api/runs/"
            + id
            + "/stream HTTP/1.1\r\nHost: localhost\r\n"
            + lines(headers)
            + "\r\n");
    Answer head = head();
    if (head.status() != 200) {
      throw new IOException("status " + head.status());
    }
    return this;
  }

  private static String lines(String... headers) {
    return headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
  }

  void send(String bytes) throws IOException {
    socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
    socket.getOutputStream().flush();
  }

  private Answer head() throws IOException {
    String first = line();
    Map<String, String> headers = new LinkedHashMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    chunked = "chunked".equals(headers.get("transfer-encoding"));
    return new Answer(Integer.parseInt(first.split(" ")[1]), headers, new byte[0]);
  }

  private Answer answer() throws IOException {
    Answer head = head();
    var body = new ByteArrayOutputStream();
    for (int read = read(); read >= 0; read = read()) {
      body.write(read);
    }
    return new Answer(head.status(), head.headers(), body.toByteArray());
  }

  /** Reads the next event; null: the stream has ended. Comments are passed over. */
  Event event() throws IOException {
    return event(false);
  }

  /** Reads to the next comment. */
  void comment() throws IOException {
    event(true);
  }

  private Event event(boolean orComment) throws IOException {
    String event = "";
    String id = "";
    String data = "";
    while (true) {
      String line = bodyLine();
      if (line == null) {
        return null;
      }
      if (line.startsWith(":") && orComment) {
        return null;
      }
      if (line.isEmpty() && !event.isEmpty()) {
        return new Event(event, id, data);
      }
      int colon = line.indexOf(": ");
      String value = colon < 0 ? "" : line.substring(colon + 2);
      if (line.startsWith("event:")) {
        event = value;
      } else if (line.startsWith("id:")) {
        id = value;
      } else if (line.startsWith("data:")) {
        data = value;
      }
    }
  }

  private String bodyLine() throws IOException {
    var line = new ByteArrayOutputStream();
    while (true) {
      int read = read();
      if (read < 0) {
        return null;
      }
      if (read == '\n') {
        return line.toString(StandardCharsets.UTF_8);
      }
      line.write(read);
    }
  }

  private int read() throws IOException {
    if (!chunked) {
      return in.read();
    }
    while (chunkLeft == 0) {
      if (ended) {
        return -1;
      }
      String size = line();
      if (size.isEmpty()) {
        size = line();
      }
      chunkLeft = Integer.parseInt(size.split(";")[0], 16);
      ended = chunkLeft == 0;
    }
    chunkLeft--;
    return in.read();
  }

  private String line() throws IOException {
    var line = new ByteArrayOutputStream();
    while (true) {
      int read = in.read();
      if (read < 0) {
        throw new EOFException("the server closed the connection");
      }
      if (read == '\n') {
        return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
      }
      line.write(read);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
