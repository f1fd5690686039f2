package dev.sluice.harness.serve;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** One server-sent event as it goes over the wire. All pages share its bytes. */
final class Frame {
  /** Id of the last event of a run. A browser that comes back with it has nothing more to read. */
  static final String ENDED_ID = "ended";

  /** Keeps a stream open through proxies. A browser's script does not see it. */
  static final Frame COMMENT = text(":\n\n");

  /** Time after which a browser connects again. */
  static final Frame RETRY = text("retry: 1000\n\n");

  private final byte[] bytes;

  private Frame(byte[] bytes) {
    this.bytes = bytes;
  }

  /** An event that has no id: a browser that comes back does not ask for it. */
  static Frame of(String event, byte[] json) {
    return event("event: " + event + "\ndata: ", json);
  }

  /** An event with an id, which a browser names when it comes back. */
  static Frame of(String event, String id, byte[] json) {
    return event("id: " + id + "\nevent: " + event + "\ndata: ", json);
  }

  private static Frame event(String head, byte[] json) {
    byte[] first = head.getBytes(StandardCharsets.UTF_8);
    byte[] all = new byte[first.length + json.length + 2];
    System.arraycopy(first, 0, all, 0, first.length);
    for (int i = 0; i < json.length; i++) {
      byte at = json[i];
      all[first.length + i] = at == '\n' || at == '\r' ? (byte) ' ' : at; // a line ends the event
    }
    all[all.length - 2] = '\n';
    all[all.length - 1] = '\n';
    return new Frame(all);
  }

  private static Frame text(String text) {
    return new Frame(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Number of its bytes. */
  int size() {
    return bytes.length;
  }

  /** Appends the bytes. */
  void writeTo(ByteArrayOutputStream out) {
    out.writeBytes(bytes);
  }

  /** A view of the bytes for one page. */
  ByteBuffer buffer() {
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
  }
}
