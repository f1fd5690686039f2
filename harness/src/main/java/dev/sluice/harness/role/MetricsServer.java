package dev.sluice.harness.role;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers {@code GET /metrics} on a port of all interfaces, in Prometheus' text format 0.0.4, on a
 * thread of its own. Another path is answered 404, another method 405, and a scrape that fails 500,
 * with its cause in the log.
 */
final class MetricsServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MetricsServer.class);
  private static final String PATH = "/metrics";
  private static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";
  private static final int PORT_MAX = 65_535;

  private final HttpServer server;
  private final ExecutorService thread;
  private final Supplier<String> scrape;

  private MetricsServer(HttpServer server, ExecutorService thread, Supplier<String> scrape) {
    this.server = server;
    this.thread = thread;
    this.scrape = scrape;
  }

  /**
   * Starts to answer.
   *
   * @param port 0: any that is free
   * @param scrape makes the text anew for each answer
   * @throws UserMistakeException if there is no such port, or another process listens there
   */
  static MetricsServer start(int port, Supplier<String> scrape) throws UserMistakeException {
    if (port < 0 || port > PORT_MAX) {
      throw new UserMistakeException(
          "--metrics-port",
          "there is no such port (" + port + ")",
          "one from 1 to " + PORT_MAX + ", or 0 for any that is free");
    }
    HttpServer server;
    try {
      server = HttpServer.create(new InetSocketAddress(port), 0);
    } catch (BindException e) {
      throw new UserMistakeException(
          "--metrics-port",
          "nobody can listen on port " + port + " (" + UserMistakeException.reason(e) + ")",
          "another process listens there: give each role a port of its own, or 0 for any that is"
              + " free",
          e);
    } catch (IOException e) {
      throw new UserMistakeException(
          "--metrics-port",
          "nobody can listen on port " + port + " (" + UserMistakeException.reason(e) + ")",
          "another port will do",
          e);
    }
    ExecutorService thread =
        Executors.newSingleThreadExecutor(
            task -> {
              var made = new Thread(task, "sluice-metrics");
              made.setDaemon(true);
              return made;
            });
    var metrics = new MetricsServer(server, thread, scrape);
    server.setExecutor(thread);
    server.createContext("/", metrics::answer);
    server.start();
    return metrics;
  }

  /** Where it listens. */
  int port() {
    return server.getAddress().getPort();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!exchange.getRequestURI().getPath().equals(PATH)) {
        send(exchange, 404, "text/plain", "Only " + PATH + " is here.\n");
      } else if (!exchange.getRequestMethod().equals("GET")) {
        exchange.getResponseHeaders().set("Allow", "GET");
        send(exchange, 405, "text/plain", "Only GET is understood.\n");
      } else {
        scrape(exchange);
      }
    }
  }

  private void scrape(HttpExchange exchange) throws IOException {
    String text;
    try {
      text = scrape.get();
    } catch (RuntimeException e) {
      LOG.error("the metrics can not be read", e);
      send(exchange, 500, "text/plain", "The metrics can not be read; the log says why.\n");
      return;
    }
    send(exchange, 200, CONTENT_TYPE, text);
  }

  private static void send(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  /** Listens no more; an answer under way is cut off. */
  @Override
  public void close() {
    server.stop(0);
    thread.shutdownNow();
  }
}
