package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.analytics.fold.LiveSnapshot;
import dev.sluice.analytics.fold.WindowSums.JobSum;
import dev.sluice.contract.event.LatencyHistogram;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.dispatch.Executor.ExecutorNumbers;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.serve.MetricsAddress;
import dev.sluice.harness.serve.RoleMetrics;
import dev.sluice.producer.generator.JobGenerators.GeneratorNumbers;
import dev.sluice.scheduler.topology.SchedulerStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What Prometheus reads from a process, over real HTTP. */
final class RoleMetricsTest {
  /** One sample line of the text format; a value of a label holds no quote here. */
  private static final Pattern SAMPLE =
      Pattern.compile("(\\w+)(\\{(\\w+=\"[^\"]*\",?)*\\})? (NaN|[+-]Inf|-?[0-9.]+(E-?[0-9]+)?)");

  private static final List<JobClass> CLASSES =
      List.of(
          new JobClass("interactive", 170.0, null, 0, true, true),
          new JobClass("batch", 2000.0, null, 1, false, true));

  private final AtomicLong number = new AtomicLong();
  private RoleMetrics metrics;

  @BeforeEach
  void serve() throws Exception {
    metrics = new RoleMetrics(at(0), "test", "run-1");
  }

  @AfterEach
  void close() {
    metrics.close();
  }

  @Test
  void servesEachRolesNumbers_asTheyAreAtTheMoment() throws Exception {
    everyRole();
    number.set(3);
    Map<String, Double> first = scrape();
    number.set(5);
    Map<String, Double> second = scrape();

    for (String count :
        List.of(
            "sluice_jobs_sent_total",
            "sluice_facts_applied_total",
            "sluice_batches_dispatched_total",
            "sluice_jobs_ended_total",
            "sluice_jobs_waiting",
            "sluice_batches_running",
            "sluice_log_jobs_waiting",
            "sluice_log_jobs_running",
            "sluice_shards",
            "sluice_lanes",
            "sluice_lanes_busy",
            "sluice_batches_completed_total{result=\"done\"}",
            "sluice_batches_completed_total{result=\"refused\"}",
            "sluice_jobs_requested_total",
            "sluice_outcomes_total{status=\"dropped\"}",
            "sluice_slo_violations_total{class=\"interactive\"}",
            "sluice_log_class_jobs_waiting{class=\"interactive\"}",
            "sluice_blocked_seconds_total{cause=\"tokens\"}",
            "sluice_tokens_in_use",
            "sluice_page_streams",
            "sluice_page_frames_dropped_total")) {
      assertThat(first.get(count)).as(count).isEqualTo(3);
      assertThat(second.get(count)).as(count).isEqualTo(5);
    }
    assertThat(second).containsEntry("sluice_service_seconds_count", 10.0);
    assertThat(second.get("sluice_service_seconds_sum")).isCloseTo(10e-9, within(1e-12));
    assertThat(second.get("sluice_send_lateness_seconds")).isCloseTo(5e-9, within(1e-12));
    assertThat(second.get("sluice_send_lateness_max_seconds")).isCloseTo(5e-9, within(1e-12));
    assertThat(second)
        .containsEntry(
            "sluice_process_info{role=\"test\",run_id=\"run-1\",version=\"%s\"}"
                .formatted(SluiceVersion.current()),
            1.0);
  }

  @Test
  void servesTheJvmAndTheProcess() throws Exception {
    Map<String, Double> samples = scrape();
    assertThat(families(samples))
        .contains(
            "jvm_memory_used_bytes",
            "jvm_threads_live_threads",
            "jvm_gc_memory_allocated_bytes_total",
            "process_cpu_usage",
            "process_uptime_seconds");
    if (Files.isReadable(Path.of("/proc/self/status"))) {
      assertThat(samples.get("process_resident_memory_bytes")).isBetween(1e7, 1e11);
    }
  }

  @Test
  void servesTheDocumentedNames_andNoOtherOfItsOwn() throws Exception {
    everyRole();
    Set<String> documented =
        Pattern.compile("^\\| `(sluice_\\w+)(\\{[^`]*\\})?` \\|", Pattern.MULTILINE)
            .matcher(Files.readString(Path.of("../docs/metrics.md")))
            .results()
            .map(row -> row.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> served = new TreeSet<>(families(scrape()));
    served.removeIf(name -> !name.startsWith("sluice_"));

    assertThat(documented).as("rows of docs/metrics.md").isEqualTo(served);
  }

  @Test
  void isFoundUnderOneAddressOnly() throws Exception {
    assertThat(get("/metrics").headers().firstValue("Content-Type"))
        .hasValue("text/plain; version=0.0.4; charset=utf-8");
    assertThat(get("/").statusCode()).isEqualTo(404);
    assertThat(get("/metrics/more").statusCode()).isEqualTo(404);
    assertThat(get("/metricsmore").statusCode()).isEqualTo(404);
    var post =
        HttpRequest.newBuilder(address("/metrics")).POST(HttpRequest.BodyPublishers.noBody());
    assertThat(send(post.build()).statusCode()).isEqualTo(405);
  }

  @Test
  void answers500_whenANumberCanNotBeRead_andGoesOn() throws Exception {
    metrics.generators(
        () -> {
          if (number.get() == 0) {
            throw new IllegalStateException("not now");
          }
          return new GeneratorNumbers(number.get(), 0, 0, false);
        });
    assertThat(get("/metrics").statusCode()).isEqualTo(500);
    number.set(1);
    assertThat(scrape()).containsEntry("sluice_jobs_sent_total", 1.0);
  }

  @Test
  void refusesAPortThatIsTaken_orIsNone() throws Exception {
    int taken = metrics.port();
    assertThatThrownBy(() -> new RoleMetrics(at(taken), "test", "run-2"))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageStartingWith(
            "--metrics-port: error: the port ("
                + taken
                + ") cannot be listened on (address already in use")
        .hasMessageContaining("\n  Maybe another process listens there");
    assertThatThrownBy(() -> new RoleMetrics(at(65_536), "test", "run-2"))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageStartingWith("--metrics-port: error: there is no such port (65536).\n  Maybe ");
  }

  @Test
  void freesItsPortAndItsThreads_whenClosed() throws Exception {
    var threads = new LeftThreads();
    int port;
    try (var other = new RoleMetrics(at(0), "test", "run-2")) {
      port = other.port();
    }
    assertThat(threads.names()).isEmpty();
    try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      assertThat(socket.isBound()).isTrue();
    }
  }

  @Test
  void servesNothing_withoutAPort() throws Exception {
    try (var silent = new RoleMetrics(MetricsAddress.NOWHERE, "test", "run-2")) {
      assertThat(silent.port()).isNull();
      assertThat(silent.line()).isNull();
    }
  }

  @Test
  void listensOnLoopbackAlone_unlessAnotherAddressIsGiven() throws Exception {
    assertThat(metrics.line()).isEqualTo("metrics at " + address("/metrics"));
    Optional<InetAddress> outer = outerAddress();
    assumeTrue(outer.isPresent(), "this machine has no address but loopback");
    String host = outer.get().getHostAddress();
    var closed = URI.create("http://" + host + ":" + metrics.port() + "/metrics");
    assertThatThrownBy(() -> send(HttpRequest.newBuilder(closed).build()))
        .isInstanceOf(ConnectException.class);
    try (var open = new RoleMetrics(new MetricsAddress(0, "0.0.0.0"), "test", "run-2")) {
      var reached = URI.create("http://" + host + ":" + open.port() + "/metrics");
      assertThat(send(HttpRequest.newBuilder(reached).build()).statusCode()).isEqualTo(200);
      assertThat(open.line())
          .isEqualTo(
              "metrics at http://0.0.0.0:" + open.port() + "/metrics, open to other machines");
    }
  }

  private static Optional<InetAddress> outerAddress() throws SocketException {
    return NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
        .findFirst();
  }

  @Test
  void refusesAnAddressWithoutAPort_orThatIsNone() {
    assertThatThrownBy(() -> new RoleMetrics(new MetricsAddress(null, "0.0.0.0"), "test", "run-2"))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageStartingWith(
            "--metrics-bind: error: nothing is served at (0.0.0.0) without a port.\n"
                + "  Maybe you want --metrics-port too");
    assertThatThrownBy(() -> new RoleMetrics(new MetricsAddress(0, "no address"), "test", "run-2"))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageStartingWith("--metrics-bind: error: there is no such address (no address).\n");
    assertThatThrownBy(() -> new RoleMetrics(new MetricsAddress(0, "192.0.2.1"), "test", "run-2"))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("--metrics-bind");
  }

  private static MetricsAddress at(int port) {
    return new MetricsAddress(port, null);
  }

  private void everyRole() {
    metrics.generators(() -> new GeneratorNumbers(number.get(), number.get(), number.get(), false));
    metrics.scheduler(
        () -> {
          int n = number.intValue();
          return new SchedulerStream.Counts(n, n, n, n, n, n);
        });
    metrics.executor(
        () -> {
          int n = number.intValue();
          return new ExecutorNumbers(n, n, n, n, n, Map.of("busy", 1L, "too_late", n - 1L), 2L * n);
        });
    metrics.pages(number::intValue, number::get);
    metrics.log(
        () -> {
          long n = number.get();
          var jobs = new JobSum(n, n, n, n, 0, n, LatencyHistogram.EMPTY, true);
          return new LiveSnapshot(
              n, n, Map.of("interactive", jobs), Map.of("tokens", n * 1_000_000_000), n, 100L);
        },
        CLASSES);
  }

  @Test
  void tellsTheLogOfOneInstant_inEachScrape() throws Exception {
    metrics.log(
        () -> {
          long n = number.incrementAndGet();
          return new LiveSnapshot(
              n, n, Map.of("batch", none(n)), Map.of("sleep", n * 1_000_000_000), n, 100L);
        },
        CLASSES);
    Map<String, Double> scraped = scrape();
    assertThat(number).hasValue(1);
    for (String value :
        List.of(
            "sluice_jobs_requested_total",
            "sluice_log_jobs_waiting",
            "sluice_log_jobs_running",
            "sluice_log_class_jobs_waiting{class=\"batch\"}",
            "sluice_blocked_seconds_total{cause=\"sleep\"}",
            "sluice_tokens_in_use")) {
      assertThat(scraped).as(value).containsEntry(value, 1.0);
    }
  }

  private static JobSum none(long n) {
    return new JobSum(n, n, 0, 0, 0, 0, LatencyHistogram.EMPTY, true);
  }

  @Test
  void tellsLatenciesAsAHistogram_inWhichAJobThatWasNotDoneIsInfinite() throws Exception {
    var jobs = new JobSum(3, 0, 2, 1, 0, 2, LatencyHistogram.of(150_000_000, 450_000_000), true);
    metrics.log(
        () -> new LiveSnapshot(1, 0, Map.of("interactive", jobs), Map.of(), null, null), CLASSES);
    Map<String, Double> scraped = scrape();
    assertThat(bucket(scraped, "interactive", "0.1")).isZero();
    assertThat(bucket(scraped, "interactive", "0.17")).as("the class's promise").isEqualTo(1);
    assertThat(bucket(scraped, "interactive", "0.4")).isEqualTo(1);
    assertThat(bucket(scraped, "interactive", "0.5")).isEqualTo(2);
    assertThat(bucket(scraped, "interactive", "300.0")).isEqualTo(2);
    assertThat(bucket(scraped, "interactive", "+Inf")).isEqualTo(3);
    assertThat(bucket(scraped, "batch", "+Inf")).as("a class without jobs").isZero();
    assertThat(scraped)
        .containsEntry("sluice_end_to_end_seconds_count{class=\"interactive\"}", 3.0)
        .containsEntry("sluice_end_to_end_p99_seconds", Double.POSITIVE_INFINITY);
    assertThat(scraped.get("sluice_end_to_end_seconds_sum{class=\"interactive\"}"))
        .isCloseTo(0.6, within(0.006));
  }

  private static double bucket(Map<String, Double> scraped, String name, String bound) {
    return scraped.get(
        "sluice_end_to_end_seconds_bucket{class=\"%s\",le=\"%s\"}".formatted(name, bound));
  }

  @Test
  void tellsEachSeriesOfALogFromTheStart_andTokensOnlyWithABudget() throws Exception {
    metrics.log(() -> LiveSnapshot.NOTHING, CLASSES);
    Map<String, Double> scraped = scrape();
    for (String series :
        List.of(
            "sluice_log_class_jobs_waiting{class=\"interactive\"}",
            "sluice_slo_violations_total{class=\"batch\"}",
            "sluice_blocked_seconds_total{cause=\"tokens\"}",
            "sluice_blocked_seconds_total{cause=\"policy\"}")) {
      assertThat(scraped).as(series).containsEntry(series, 0.0);
    }
    assertThat(scraped).doesNotContainKey("sluice_tokens_in_use");
    assertThat(scraped.get("sluice_end_to_end_p99_seconds")).isNaN();
  }

  /** Reads the text as its format says, and checks it: each sample belongs to a typed family. */
  private Map<String, Double> scrape() throws IOException, InterruptedException {
    HttpResponse<String> answer = get("/metrics");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).endsWith("\n");
    Map<String, String> types = new LinkedHashMap<>();
    Map<String, Double> samples = new LinkedHashMap<>();
    for (String line : answer.body().lines().toList()) {
      if (line.startsWith("# TYPE ")) {
        String[] words = line.split(" ", -1);
        assertThat(types.put(words[2], words[3])).as("declared twice: " + line).isNull();
      } else if (!line.startsWith("# HELP ")) {
        Matcher sample = SAMPLE.matcher(line);
        assertThat(sample.matches()).as(line).isTrue();
        String family = sample.group(1).replaceFirst("_(count|sum|bucket)$", "");
        String type = types.getOrDefault(sample.group(1), types.get(family));
        assertThat(type).as(line).isIn("counter", "gauge", "summary", "histogram");
        assertThat(sample.group(1).endsWith("_total")).as(line).isEqualTo(type.equals("counter"));
        String key = line.substring(0, line.lastIndexOf(' '));
        double value = Double.parseDouble(sample.group(4).replace("Inf", "Infinity"));
        assertThat(samples.put(key, value)).as("twice: " + line).isNull();
      }
    }
    assertThat(samples).isNotEmpty();
    return samples;
  }

  private static Set<String> families(Map<String, Double> samples) {
    return samples.keySet().stream()
        .map(
            key ->
                key.replaceFirst("\\{.*", "")
                    .replaceFirst("_seconds_(count|sum|bucket)$", "_seconds"))
        .collect(Collectors.toSet());
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(address(path)).build());
  }

  private static HttpResponse<String> send(HttpRequest request)
      throws IOException, InterruptedException {
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
  }

  private URI address(String path) {
    return URI.create("http://127.0.0.1:" + metrics.port() + path);
  }
}
