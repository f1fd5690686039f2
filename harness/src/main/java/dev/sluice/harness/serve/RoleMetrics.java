package dev.sluice.harness.serve;

import com.sun.net.httpserver.Authenticator;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import dev.sluice.analytics.fold.LiveSnapshot;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.dispatch.Executor.ExecutorNumbers;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.MemoryOf;
import dev.sluice.producer.generator.JobGenerators.GeneratorNumbers;
import dev.sluice.scheduler.topology.SchedulerStream;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The meters that a process serves to Prometheus: the JVM's and those of its roles, which
 * docs/metrics.md explains. Each scrape asks the suppliers on the server's thread, some several
 * times. An exception from a counter's supplier fails the scrape.
 */
public final class RoleMetrics implements AutoCloseable {
  private static final String PATH = "/metrics";

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics garbageCollection = new JvmGcMetrics();
  private final InetAddress host;

  private final @Nullable HTTPServer server;

  /** Starts to serve the JVM's meters under the name of a command, such as {@code execute}. */
  public RoleMetrics(MetricsAddress address, String role, String runId)
      throws UserMistakeException {
    host = address.check();
    Integer port = address.port();
    server = port == null ? null : start(port);
    if (server != null) {
      bindProcess(role, runId);
    }
  }

  /**
   * Starts Prometheus' own HTTP server with one thread, narrowed to {@code GET /metrics}. Another
   * path is answered 404 and another method 405; a scrape that fails is answered 500 with its stack
   * trace.
   */
  private HTTPServer start(int port) throws UserMistakeException {
    ExecutorService thread =
        Executors.newSingleThreadExecutor(
            task -> {
              var daemon = new Thread(task, "sluice-metrics");
              daemon.setDaemon(true);
              return daemon;
            });
    try {
      return HTTPServer.builder()
          .inetAddress(host)
          .port(port)
          .registry(registry.getPrometheusRegistry())
          .executorService(thread)
          .authenticator(new OnlyGetMetrics())
          .registerHealthHandler(false)
          .buildAndStart();
    } catch (IOException e) {
      thread.shutdown();
      throw new UserMistakeException(
          MetricsAddress.PORT_OPTION,
          "the port (" + port + ") cannot be listened on (" + UserMistakeException.reason(e) + ")",
          e instanceof BindException
              ? "another process listens there: give each role a port of its own, or 0 for any that"
                  + " is free; or the address of --metrics-bind is not this machine's"
              : "another port will do",
          e);
    }
  }

  private void bindProcess(String role, String runId) {
    Gauge.builder("sluice_process.info", () -> 1) // a gauge named with _info would lose that ending
        .description("1; the labels say which process this is.")
        .tag("role", role)
        .tag("run_id", runId)
        .tag("version", SluiceVersion.current())
        .register(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    garbageCollection.bindTo(registry);
    if (residentBytes() > 0) {
      gauge(
          "process_resident_memory_bytes",
          "Resident memory of the process.",
          RoleMetrics::residentBytes);
    }
  }

  @Nullable
  public Integer port() {
    return server == null ? null : server.getPort();
  }

  /** Prints where the meters are served, and to whom, if they are. */
  public void say(Console console) {
    String line = line();
    if (line != null) {
      console.line(line);
    }
  }

  @Nullable
  public String line() {
    if (server == null) {
      return null;
    }
    String name = host.getHostAddress();
    return "metrics at http://%s:%s%s%s"
        .formatted(
            name.contains(":") ? "[" + name + "]" : name,
            server.getPort(),
            PATH,
            host.isLoopbackAddress() ? "" : ", open to other machines");
  }

  public void generators(Supplier<GeneratorNumbers> numbers) {
    counter("sluice_jobs_sent_total", "Jobs sent.", () -> numbers.get().jobsSent());
    gauge(
        "sluice_send_lateness_seconds",
        "Send call minus intended arrival, of the last job sent.",
        () -> numbers.get().latenessNsNow() / 1e9);
    gauge(
        "sluice_send_lateness_max_seconds",
        "The largest lateness of a job sent.",
        () -> numbers.get().latenessNsMax() / 1e9);
  }

  public void scheduler(Supplier<SchedulerStream.Counts> counts) {
    gauge("sluice_shards", "Shards that this process decides for.", () -> counts.get().shards());
    gauge("sluice_jobs_waiting", "Jobs that wait in these shards.", () -> counts.get().waiting());
    gauge(
        "sluice_batches_running",
        "Batches that run in these shards.",
        () -> counts.get().running());
    counter("sluice_facts_applied_total", "Facts applied.", () -> counts.get().factsApplied());
    counter("sluice_batches_dispatched_total", "Batches started.", () -> counts.get().dispatches());
    counter("sluice_jobs_ended_total", "Jobs ended.", () -> counts.get().outcomes());
  }

  public void executor(Supplier<ExecutorNumbers> numbers) {
    gauge("sluice_lanes", "Lanes of this executor.", () -> numbers.get().lanes());
    gauge("sluice_lanes_busy", "Lanes that hold a batch.", () -> numbers.get().lanesBusy());
    completed("done", () -> numbers.get().done());
    completed("failed", () -> numbers.get().failed());
    completed(
        "refused",
        () -> numbers.get().refusedByCause().values().stream().mapToLong(Long::longValue).sum());
    FunctionTimer.builder(
            "sluice_service_seconds",
            this,
            self -> numbers.get().done() + numbers.get().failed(),
            self -> numbers.get().serviceNsSum(),
            TimeUnit.NANOSECONDS)
        .description("Service times of the batches done and failed.")
        .register(registry);
  }

  private void completed(String result, LongSupplier batches) {
    counter(
        "sluice_batches_completed_total",
        "Batches that ended on this executor, by result.",
        batches,
        "result",
        result);
  }

  /**
   * Adds the meters of the log: one snapshot for each scrape, and each class's series from the
   * start.
   */
  public void log(Supplier<LiveSnapshot> snapshot, List<JobClass> classes) {
    registry.getPrometheusRegistry().register(new LogMeters(snapshot, classes));
  }

  public void pages(IntSupplier streams, LongSupplier framesDropped) {
    gauge("sluice_page_streams", "Pages that hold a stream open.", streams::getAsInt);
    counter(
        "sluice_page_frames_dropped_total",
        "Frames that pages did not read in time, and were not sent.",
        framesDropped);
  }

  private void counter(String name, String help, LongSupplier count, String... labels) {
    FunctionCounter.builder(name, this, self -> count.getAsLong())
        .description(help)
        .tags(labels)
        .register(registry);
  }

  private void gauge(String name, String help, DoubleSupplier value, String... labels) {
    Gauge.builder(name, value::getAsDouble).description(help).tags(labels).register(registry);
  }

  private static double residentBytes() {
    try {
      return MemoryOf.residentBytes().orElse(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    if (server != null) {
      server.close();
    }
    garbageCollection.close();
    registry.close();
  }

  /**
   * Refuses what Prometheus' server would answer beside {@code GET /metrics}: an authenticator is
   * the one hook before its handlers. There are no users: anybody may read.
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
