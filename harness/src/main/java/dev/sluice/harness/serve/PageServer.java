package dev.sluice.harness.serve;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.Console;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * A server of the page. No write blocks a thread. A connection carries one request, so that one
 * limit holds for all: a request that is not whole in time is cut off.
 */
public final class PageServer implements AutoCloseable {
  private static final Duration REQUEST_LIMIT = Duration.ofSeconds(10);
  private static final Duration COMMENT_EACH = Duration.ofSeconds(10);

  /** Time after which a page that reads nothing at all is cut off. It may come back. */
  private static final Duration SILENCE_LIMIT = Duration.ofSeconds(60);

  private static final int HEADERS_BYTES_MAX = 8192;

  /** Frames that the system keeps for a page: about a second of a large run. */
  private static final int SENT_BYTES_MAX = 256 * 1024;

  private static final int THREADS_MAX = 8;
  private static final int OTHER_CONNECTIONS_MAX = 200;

  private final InetAddress bind;
  private final Runs runs;
  final PageStream.Streams streams;
  private final Server server;
  private final ServerConnector connector;

  /** Begins to answer for runs, which are closed with the server. */
  static PageServer start(PageAddress address, Runs runs) throws UserMistakeException {
    return start(address, runs, new Limits(REQUEST_LIMIT, COMMENT_EACH));
  }

  /** Limit of a request until its last header, and time between two comments of a stream. */
  record Limits(Duration request, Duration comment) {}

  static PageServer start(PageAddress address, Runs runs, Limits limits)
      throws UserMistakeException {
    try {
      return new PageServer(address, runs, limits);
    } catch (UserMistakeException e) {
      runs.close();
      throw e;
    }
  }

  private PageServer(PageAddress address, Runs runs, Limits limits) throws UserMistakeException {
    this.bind = address.check();
    this.runs = runs;
    var threads = new QueuedThreadPool(THREADS_MAX, 2);
    threads.setName("sluice-page");
    threads.setDaemon(true);
    threads.setReservedThreads(0);
    server = new Server(threads);
    connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http()));
    connector.setHost(bind.getHostAddress());
    connector.setPort(address.port());
    connector.setIdleTimeout(SILENCE_LIMIT.toMillis());
    connector.setAcceptedSendBufferSize(SENT_BYTES_MAX);
    connector.addBean(new RequestLimit(connector, limits.request()));
    connector.addBean(
        new NetworkConnectionLimit(address.pagesMax() + OTHER_CONNECTIONS_MAX, connector));
    server.addConnector(connector);
    streams = new PageStream.Streams(address.pagesMax());
    server.setHandler(new PageHandler(address, runs, streams));
    server.setErrorHandler(new Refusals());
    server.setStopTimeout(0);
    try {
      connector.open();
    } catch (IOException e) {
      throw cannotListen(address, e);
    }
    try {
      server.start();
    } catch (Exception e) {
      throw new IllegalStateException("the page's server did not start", e);
    }
    commentEach(limits.comment());
  }

  private void commentEach(Duration period) {
    Runnable comment =
        () -> {
          connector.getExecutor().execute(streams::comment);
          if (connector.isRunning()) {
            commentEach(period);
          }
        };
    var unused =
        connector.getScheduler().schedule(comment, period.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static HttpConfiguration http() {
    var http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setPersistentConnectionsEnabled(false);
    http.setRequestHeaderSize(HEADERS_BYTES_MAX);
    return http;
  }

  private static UserMistakeException cannotListen(PageAddress address, IOException e) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    String reason = String.valueOf(cause.getMessage());
    String advice = "another --port will do, or --port 0 for any free one";
    if (address.port() > 0
        && address.port() < 1024
        && !(cause instanceof BindException && reason.contains("in use"))) {
      advice = "ports below 1024 are the system's: --port " + PageAddress.PORT + " will do";
    } else if (reason.contains("assign")) {
      return new UserMistakeException(
          "--bind",
          "the address (" + address.bind() + ") is not one of this machine",
          "you want 0.0.0.0 for all of them",
          e);
    } else if (reason.contains("in use")) {
      advice =
          "another process listens there, such as another ./sluice serve: --port 0 takes any free"
              + " one";
    }
    return new UserMistakeException(
        "--port",
        "the port (" + address.port() + ") cannot be listened on (" + reason + ")",
        advice,
        e);
  }

  public String url() {
    String host = bind.isAnyLocalAddress() ? "127.0.0.1" : bind.getHostAddress();
    return "http://%s:%s/"
        .formatted(host.contains(":") ? "[" + host + "]" : host, connector.getLocalPort());
  }

  /** Prints the page's address, and aloud whether other machines reach it. */
  public void say(Console console) {
    console.line("Page  " + url());
    if (!bind.isLoopbackAddress()) {
      console.line(
          "  Whoever reaches this machine can read it: it listens beyond loopback (--bind).");
    }
  }

  void addTo(RoleMetrics metrics) {
    metrics.pages(streams::count, streams::dropped);
  }

  @Override
  public void close() {
    runs.close();
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("the page's server did not stop", e);
    }
  }

  /** Cuts off connections whose request does not come to its end. */
  private record RequestLimit(ServerConnector connector, Duration limit)
      implements Connection.Listener {
    @Override
    public void onOpened(Connection connection) {
      Runnable cut =
          () -> {
            if (connection.getMessagesIn() == 0) {
              connection.close();
            }
          };
      var unused = connector.getScheduler().schedule(cut, limit.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** Answers what is no request, and what a bug ended, with a sentence and nothing of either. */
  private static final class Refusals extends ErrorHandler {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      PageHandler.protect(response.getHeaders());
      int status = response.getStatus();
      return PageHandler.Answer.refusal(
              status,
              status >= HttpStatus.INTERNAL_SERVER_ERROR_500
                  ? "A bug ended this request; the log names it."
                  : HttpStatus.getMessage(status) + ".")
          .write(request, response, callback);
    }
  }
}
