package dev.sluice.harness.role;

import com.sun.net.httpserver.Authenticator;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import dev.sluice.contract.file.UserMistakeException;
import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.BindException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Prometheus' own HTTP server on a port of all interfaces, with one thread, narrowed to {@code GET
 * /metrics}. Another path is answered 404 and another method 405; a scrape that fails is answered
 * 500 with its stack trace.
 */
final class MetricsServer implements AutoCloseable {
  private static final String OPTION = "--metrics-port";
  private static final String PATH = "/metrics";
  private static final int PORT_MAX = 65_535;

  private final HTTPServer server;

  private MetricsServer(HTTPServer server) {
    this.server = server;
  }

  /**
   * Starts to answer.
   *
   * @param port 0: any free port
   * @param registry meters, read anew for each answer
   * @throws UserMistakeException if the port does not exist, or another process listens on it
   */
  static MetricsServer start(int port, PrometheusRegistry registry) throws UserMistakeException {
    if (port < 0 || port > PORT_MAX) {
      throw new UserMistakeException(
          OPTION,
          "there is no such port (" + port + ")",
          "you want a port from 1 to " + PORT_MAX + ", or 0 for any free one");
    }
    ExecutorService thread = Executors.newSingleThreadExecutor(MetricsServer::daemon);
    try {
      return new MetricsServer(
          HTTPServer.builder()
              .port(port)
              .registry(registry)
              .executorService(thread)
              .authenticator(new OnlyGetMetrics())
              .registerHealthHandler(false)
              .buildAndStart());
    } catch (BindException e) {
      throw taken(
          port,
          e,
          "another process listens there: give each role a port of its own, or 0 for any that is"
              + " free");
    } catch (IOException e) {
      throw taken(port, e, "another port will do");
    }
  }

  private static Thread daemon(Runnable task) {
    var thread = new Thread(task, "sluice-metrics");
    thread.setDaemon(true);
    return thread;
  }

  private static UserMistakeException taken(int port, IOException e, String advice) {
    return new UserMistakeException(
        OPTION,
        "the port (" + port + ") cannot be listened on (" + UserMistakeException.reason(e) + ")",
        advice,
        e);
  }

  /** The port that the server listens on. */
  int port() {
    return server.getPort();
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
