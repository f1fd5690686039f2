package dev.sluice.harness.serve;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.serve.PageStream.Frame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URLDecoder;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers each address of the page, or refuses with a sentence. */
final class PageHandler extends Handler.Abstract {
  private static final Logger LOG = LoggerFactory.getLogger(PageHandler.class);
  private static final Pattern RUN =
      Pattern.compile("/api/runs/([^/]+)(?:/(snapshot|seconds|batches|stream))?");
  private static final String STREAM_TYPE = "text/event-stream; charset=utf-8";
  private static final Pattern SECOND = Pattern.compile("\\d{1,12}");

  private static final String PAGE = "/dev/sluice/analytics/live/page/";
  private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

  /** Nothing from elsewhere, no inline code, in no other page's frame. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
          + " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private final Set<String> hosts = new HashSet<>(Set.of("localhost"));
  private final Runs runs;
  private final PageStream.Streams streams;

  private final Map<String, Answer> files =
      Map.of(
          "/", file("index.html", "html"),
          "/page.js", file("page.js", "javascript"),
          "/page.css", file("page.css", "css"),
          "/uplot.js", file("uplot.iife.min.js", "javascript"),
          "/uplot.css", file("uplot.min.css", "css"));

  PageHandler(PageAddress address, Runs runs, PageStream.Streams streams) {
    hosts.addAll(address.allowedHosts());
    String bind = address.bind();
    if (bind != null) {
      hosts.add(bind.toLowerCase(Locale.ROOT));
    }
    this.runs = runs;
    this.streams = streams;
  }

  private static Answer file(String name, String type) {
    try (InputStream file = PageHandler.class.getResourceAsStream(PAGE + name)) {
      if (file == null) {
        throw new IllegalStateException("the page's file is not on the class path: " + name);
      }
      return Answer.compressed("text/" + type + "; charset=utf-8", file.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void protect(HttpFields.Mutable headers) {
    headers.put("Content-Security-Policy", POLICY);
    headers.put("X-Content-Type-Options", "nosniff");
    headers.put("Referrer-Policy", "no-referrer");
    headers.put("Cross-Origin-Resource-Policy", "same-origin");
    headers.put("Cross-Origin-Opener-Policy", "same-origin");
    headers.put(HttpHeader.CACHE_CONTROL, "no-store");
  }

  /**
   * True for a browser that asked by a loopback name, by the address that it reached, or by a name
   * that the user allowed. A page of another site, whose name was made to point here, is refused.
   */
  private boolean allows(Request request) {
    String host = request.getHttpURI().getHost();
    return host != null
        && request.getHeaders().contains(HttpHeader.HOST)
        && allows(host, request.getConnectionMetaData().getLocalSocketAddress());
  }

  private boolean allows(String host, SocketAddress reached) {
    String name = host.toLowerCase(Locale.ROOT);
    if (hosts.contains(name)) {
      return true;
    }
    boolean ipv6 = name.startsWith("[") && name.endsWith("]");
    if (!ipv6 && !IPV4.matcher(name).matches()) {
      return false;
    }
    try {
      InetAddress address =
          InetAddress.getByName(ipv6 ? name.substring(1, name.length() - 1) : name);
      return address.isLoopbackAddress()
          || (reached instanceof InetSocketAddress local && address.equals(local.getAddress()));
    } catch (UnknownHostException e) {
      return false;
    }
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws IOException {
    protect(response.getHeaders());
    boolean head = HttpMethod.HEAD.is(request.getMethod());
    if (!allows(request)) {
      return Answer.refusal(
              HttpStatus.FORBIDDEN_403,
              "This server does not answer for that host. serve --allow-host NAME lets it.")
          .write(request, response, callback);
    }
    if (!head && !HttpMethod.GET.is(request.getMethod())) {
      response.getHeaders().put(HttpHeader.ALLOW, "GET, HEAD");
      return Answer.refusal(HttpStatus.METHOD_NOT_ALLOWED_405, "Only GET and HEAD are answered.")
          .write(request, response, callback);
    }
    String path = String.valueOf(request.getHttpURI().getPath());
    Matcher asked = RUN.matcher(path);
    Answer answer;
    try {
      if (asked.matches() && "stream".equals(asked.group(2)) && !head) {
        return stream(decoded(asked.group(1)), request, response, callback);
      }
      answer = asked.matches() ? ofRun(asked, request) : ofPath(path);
    } catch (IOException e) {
      LOG.warn("{} is not answered: {}", path, UserMistakeException.reason(e));
      LOG.debug("{} is not answered", path, e);
      answer =
          Answer.refusal(
              HttpStatus.INTERNAL_SERVER_ERROR_500,
              asked.matches()
                  ? "The run's folder cannot be read; check names what is wrong with it."
                  : "The folder of all runs cannot be read.");
    }
    return answer.write(request, response, callback);
  }

  private Answer ofPath(String path) throws IOException {
    if (path.equals("/api/runs")) {
      return Answer.json(runs.list());
    }
    if (path.equals("/favicon.ico")) {
      return Answer.plain(HttpStatus.NO_CONTENT_204, "image/x-icon");
    }
    Answer file = files.get(path);
    return file != null
        ? file
        : Answer.refusal(HttpStatus.NOT_FOUND_404, "There is nothing at this address.");
  }

  private static @Nullable String decoded(String segment) {
    try {
      return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) { // a % without two digits
      return null;
    }
  }

  private Runs.@Nullable Shown find(@Nullable String id) throws IOException {
    return id == null ? null : runs.find(id);
  }

  private Answer ofRun(Matcher asked, Request request) throws IOException {
    Runs.Shown run = find(decoded(asked.group(1)));
    if (run == null) {
      return noSuchRun();
    }
    String part = asked.group(2);
    if (part == null) {
      return Answer.json(run.run());
    }
    return switch (part) {
      case "snapshot" -> Answer.json(run.snapshot());
      case "seconds" -> {
        String from = Request.extractQueryParameters(request).getValue("from");
        if (from != null && !SECOND.matcher(from).matches()) {
          yield badNumber("from", "a whole number of seconds");
        }
        yield Answer.json(run.seconds(from == null ? 0 : Long.parseLong(from)));
      }
      case "batches" -> {
        Fields query = Request.extractQueryParameters(request);
        double from = number(query.getValue("from"));
        double to = number(query.getValue("to"));
        yield from >= 0 && to >= from
            ? Answer.json(run.batches(from, to))
            : badNumber("from and to", "seconds since time zero");
      }
      default -> Answer.plain(HttpStatus.OK_200, STREAM_TYPE); // HEAD
    };
  }

  private static double number(@Nullable String text) {
    try {
      return text == null ? Double.NaN : Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  private static Answer badNumber(String name, String what) {
    return Answer.refusal(HttpStatus.BAD_REQUEST_400, name + " must be " + what + ".");
  }

  private static Answer noSuchRun() {
    return Answer.refusal(HttpStatus.NOT_FOUND_404, "There is no such run; /api/runs lists all.");
  }

  private boolean stream(@Nullable String id, Request request, Response response, Callback callback)
      throws IOException {
    Runs.Shown run = find(id);
    if (run == null) {
      return noSuchRun().write(request, response, callback);
    }
    String last = request.getHeaders().get("Last-Event-ID");
    if (Frame.ENDED_ID.equals(last)) {
      return Answer.plain(HttpStatus.NO_CONTENT_204, STREAM_TYPE)
          .write(request, response, callback);
    }
    if (!(run instanceof LiveRun live) || live.hasEnded()) {
      return wholeStream(run).write(request, response, callback);
    }
    long lastSecond = last != null && SECOND.matcher(last).matches() ? Long.parseLong(last) : -1;
    var stream = new PageStream(live, streams, response, callback, lastSecond);
    response.setStatus(HttpStatus.OK_200); // from here on another thread may write to it
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, STREAM_TYPE);
    response.getHeaders().put("X-Accel-Buffering", "no"); // a proxy must not hold frames back
    if (!streams.open(stream)) {
      response.getHeaders().remove("X-Accel-Buffering");
      return Answer.refusal(
              HttpStatus.SERVICE_UNAVAILABLE_503,
              "All "
                  + streams.streamsMax
                  + " streams are in use; close a page, or start serve with a larger --max-pages.")
          .write(request, response, callback);
    }
    live.join(stream);
    return true;
  }

  /** The stream of a run in which nothing happens any more. */
  private static Answer wholeStream(Runs.Shown run) throws IOException {
    var all = new ByteArrayOutputStream();
    all.writeBytes(Frame.RETRY.bytes);
    all.writeBytes(Frame.of("snapshot", null, run.snapshot()).bytes);
    all.writeBytes(Frame.of("ended", Frame.ENDED_ID, run.run()).bytes);
    return Answer.plain(HttpStatus.OK_200, STREAM_TYPE, all.toByteArray());
  }

  /**
   * A whole answer.
   *
   * @param gzip the body compressed; null: not worth it
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody
  record Answer(int status, String type, byte[] bytes, byte @Nullable [] gzip) {
    private static final int COMPRESSED_FROM_BYTES = 1024;

    static Answer plain(int status, String type, byte... bytes) {
      return new Answer(status, type, bytes, null);
    }

    static Answer compressed(String type, byte[] bytes) {
      return new Answer(
          200, type, bytes, bytes.length < COMPRESSED_FROM_BYTES ? null : compress(bytes));
    }

    static Answer json(byte[] json) {
      return compressed("application/json; charset=utf-8", json);
    }

    static Answer refusal(int status, String sentence) {
      return plain(
          status, "text/plain; charset=utf-8", (sentence + "\n").getBytes(StandardCharsets.UTF_8));
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

    boolean write(Request request, Response response, Callback callback) {
      response.setStatus(status);
      HttpFields.Mutable headers = response.getHeaders();
      headers.put(HttpHeader.CONTENT_TYPE, type);
      byte[] body = bytes;
      if (gzip != null) {
        headers.put(HttpHeader.VARY, "Accept-Encoding");
        if (request.getHeaders().contains(HttpHeader.ACCEPT_ENCODING, "gzip")) {
          headers.put(HttpHeader.CONTENT_ENCODING, "gzip");
          body = gzip;
        }
      }
      headers.put(HttpHeader.CONTENT_LENGTH, Integer.toString(body.length));
      response.write(true, ByteBuffer.wrap(body).asReadOnlyBuffer(), callback);
      return true;
    }
  }
}
