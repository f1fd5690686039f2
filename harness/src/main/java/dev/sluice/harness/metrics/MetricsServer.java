package dev.sluice.harness.metrics;

import com.sun.net.httpserver.Authenticator;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import dev.sluice.contract.file.UserMistakeException;
import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Prometheus' own HTTP server with one thread, narrowed to {@code GET /metrics}. Another path is
 * answered 404 and another method 405; a scrape that fails is answered 500 with its stack trace.
 */
final class MetricsServer implements AutoCloseable {
  private static final String PATH = "/metrics";

  private final HTTPServer server;
  private final InetAddress host;

  private MetricsServer(HTTPServer server, InetAddress host) {
    this.server = server;
    this.host = host;
  }

  /**
   * Starts to answer.
   *
   * @param address address with a port
   * @param registry meters, read anew for each answer
   * @throws UserMistakeException if the address does not exist, or cannot be listened on
   */
  static MetricsServer start(MetricsAddress address, int port, PrometheusRegistry registry)
      throws UserMistakeException {
    address.check();
    InetAddress host = address.host();
    ExecutorService thread = Executors.newSingleThreadExecutor(MetricsServer::daemon);
    try {
      return new MetricsServer(
          HTTPServer.builder()
              .inetAddress(host)
              .port(port)
              .registry(registry)
              .executorService(thread)
              .authenticator(new OnlyGetMetrics())
              .registerHealthHandler(false)
              .buildAndStart(),
          host);
    } catch (BindException e) {
      thread.shutdown();
      throw refused(
          port,
          e,
          "another process listens there: give each role a port of its own, or 0 for any that is"
              + " free; or the address of --metrics-bind is not this machine's");
    } catch (IOException e) {
      thread.shutdown();
      throw refused(port, e, "another port will do");
    }
  }

  private static Thread daemon(Runnable task) {
    var thread = new Thread(task, "sluice-metrics");
    thread.setDaemon(true);
    return thread;
  }

  private static UserMistakeException refused(int port, IOException e, String advice) {
    return new UserMistakeException(
        MetricsAddress.PORT_OPTION,
        "the port (" + port + ") cannot be listened on (" + UserMistakeException.reason(e) + ")",
        advice,
        e);
  }

  /** The port that the server listens on. */
  int port() {
    return server.getPort();
  }

  /** The address that a browser on this machine, or on one that reaches the host, asks. */
  String url() {
    String name = host.getHostAddress();
    return "http://" + (name.contains(":") ? "[" + name + "]" : name) + ":" + port() + PATH;
  }

  /** True if other machines may reach the server. */
  boolean isOpen() {
    return !host.isLoopbackAddress();
  }

  /** Stops listening; an answer under way is cut off. */
  @Override
  public void close() {
    server.close();
  }

  /**
   * Refuses all requests but {@code GET /metrics}. Prometheus' server would answer other methods,
   * paths that only begin with it, and {@code /} with a page; an authenticator is the one hook
   * before its handlers. There are no users: anybody may read.
   */
  private static final class OnlyGetMetrics extends Authenticator {
    private static final Result MAY_READ = new Success(new HttpPrincipal("anybody", "sluice"));

    @Override
    public Result authenticate(HttpExchange exchange) {
      if (!exchange.getRequestURI().getPath().equals(PATH)) {
        return new Failure(404);
      }
      if (!exchange.getRequestMethod().equals("GET")) {
        exchange.getResponseHeaders().set("Allow", "GET");
        return new Failure(405);
      }
      return MAY_READ;
    }
  }
}
