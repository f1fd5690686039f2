package dev.sluice.harness.serve;

import dev.sluice.contract.file.UserMistakeException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

  private final Access access;
  private final Runs runs;
  private final PageStreams streams;
  private final StaticFiles files = new StaticFiles();

  PageHandler(Access access, Runs runs, PageStreams streams) {
    this.access = access;
    this.runs = runs;
    this.streams = streams;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws IOException {
    Access.protect(response.getHeaders());
    boolean head = HttpMethod.HEAD.is(request.getMethod());
    if (!access.allows(request)) {
      return write(
          Answer.refusal(
              HttpStatus.FORBIDDEN_403,
              "This server does not answer for that host. serve --allow-host NAME lets it."),
          request,
          response,
          callback);
    }
    if (!head && !HttpMethod.GET.is(request.getMethod())) {
      response.getHeaders().put(HttpHeader.ALLOW, "GET, HEAD");
      return write(
          Answer.refusal(HttpStatus.METHOD_NOT_ALLOWED_405, "Only GET and HEAD are answered."),
          request,
          response,
          callback);
    }
    String path = String.valueOf(request.getHttpURI().getPath());
    Matcher asked = RUN.matcher(path);
    Answer answer;
    try {
      if (asked.matches() && "stream".equals(asked.group(2)) && !head) {
        return stream(decoded(asked.group(1)), request, response, callback);
      }
      answer = asked.matches() ? ofRun(asked, request) : file(path);
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
    return write(answer, request, response, callback);
  }

  private static boolean write(
      Answer answer, Request request, Response response, Callback callback) {
    answer.write(request.getHeaders(), response, callback);
    return true;
  }

  private Answer file(String path) throws IOException {
    if (path.equals("/api/runs")) {
      return Answer.json(runs.list());
    }
    if (path.equals("/favicon.ico")) {
      return Answer.plain(HttpStatus.NO_CONTENT_204, "image/x-icon");
    }
    Answer file = files.at(path);
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

  private @Nullable ShownRun find(@Nullable String id) throws IOException {
    return id == null ? null : runs.find(id);
  }

  private Answer ofRun(Matcher asked, Request request) throws IOException {
    ShownRun run = find(decoded(asked.group(1)));
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
    ShownRun run = find(id);
    if (run == null) {
      return write(noSuchRun(), request, response, callback);
    }
    String last = request.getHeaders().get("Last-Event-ID");
    if (Frame.ENDED_ID.equals(last)) {
      return write(
          Answer.plain(HttpStatus.NO_CONTENT_204, STREAM_TYPE), request, response, callback);
    }
    if (!(run instanceof LiveRun live) || live.hasEnded()) {
      return write(wholeStream(run), request, response, callback);
    }
    if (!streams.take()) {
      return write(
          Answer.refusal(
              HttpStatus.SERVICE_UNAVAILABLE_503,
              "All "
                  + streams.streamsMax()
                  + " streams are in use; close a page, or start serve with a larger --max-pages."),
          request,
          response,
          callback);
    }
    response.setStatus(HttpStatus.OK_200);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, STREAM_TYPE);
    response.getHeaders().put("X-Accel-Buffering", "no"); // a proxy must not hold frames back
    var stream = new PageStream(live, streams, response, callback);
    streams.opened(stream);
    live.join(stream, last != null && SECOND.matcher(last).matches() ? Long.parseLong(last) : -1);
    return true;
  }

  /** The stream of a run in which nothing happens any more. */
  private static Answer wholeStream(ShownRun run) throws IOException {
    var all = new ByteArrayOutputStream();
    Frame.RETRY.writeTo(all);
    Frame.of("snapshot", run.snapshot()).writeTo(all);
    Frame.of("ended", Frame.ENDED_ID, run.run()).writeTo(all);
    return Answer.plain(HttpStatus.OK_200, STREAM_TYPE, all.toByteArray());
  }
}
