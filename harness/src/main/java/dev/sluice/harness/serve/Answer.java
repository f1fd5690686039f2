package dev.sluice.harness.serve;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** A whole answer. */
final class Answer {
  private static final int COMPRESSED_FROM_BYTES = 1024;

  private final int status;
  private final String type;
  private final byte[] bytes;

  /** The body compressed; null: not worth it. */
  private final byte @Nullable [] gzip;

  private Answer(int status, String type, byte[] bytes, byte @Nullable [] gzip) {
    this.status = status;
    this.type = type;
    this.bytes = bytes;
    this.gzip = gzip;
  }

  /** An answer that is not compressed. */
  static Answer plain(int status, String type, byte... bytes) {
    return new Answer(status, type, bytes, null);
  }

  /** A found file or value. */
  static Answer compressed(String type, byte[] bytes) {
    return new Answer(
        200, type, bytes, bytes.length < COMPRESSED_FROM_BYTES ? null : compress(bytes));
  }

  static Answer json(byte[] json) {
    return compressed("application/json; charset=utf-8", json);
  }

  /** A refusal, with a sentence for a person. */
  static Answer refusal(int status, String sentence) {
    return new Answer(
        status,
        "text/plain; charset=utf-8",
        (sentence + "\n").getBytes(StandardCharsets.UTF_8),
        null);
  }

  private static byte[] compress(byte[] bytes) {
    var packed = new ByteArrayOutputStream(bytes.length / 2);
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return packed.toByteArray();
  }

  /** Writes the answer; of an answer to HEAD, the server leaves the body out. */
  void write(HttpFields asked, Response response, Callback callback) {
    response.setStatus(status);
    HttpFields.Mutable headers = response.getHeaders();
    headers.put(HttpHeader.CONTENT_TYPE, type);
    byte[] body = bytes;
    if (gzip != null) {
      headers.put(HttpHeader.VARY, "Accept-Encoding");
      if (asked.contains(HttpHeader.ACCEPT_ENCODING, "gzip")) {
        headers.put(HttpHeader.CONTENT_ENCODING, "gzip");
        body = gzip;
      }
    }
    headers.put(HttpHeader.CONTENT_LENGTH, Integer.toString(body.length));
    response.write(true, ByteBuffer.wrap(body).asReadOnlyBuffer(), callback);
  }
}
