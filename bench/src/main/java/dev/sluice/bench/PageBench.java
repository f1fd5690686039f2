package dev.sluice.bench;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.event.LanesWindow;
import dev.sluice.contract.event.LatencyHistogram;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.RunDescribed;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.Writing;
import dev.sluice.contract.value.JobId;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.kafka.Opened;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.process.MemoryOf;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The page's server as a process of its own, fed with the records of a run of 5,000 jobs/s on 64
 * lanes: its processor time with 3 pages, its heap with 50 pages of which 10 never read, and the
 * delay from a record's sending to the page that reads its frame.
 */
final class PageBench implements Bench {
  private static final Row DELAY = Row.atMost("page_frame_delay_p95_ms", "ms", 1000);
  private static final Row CPU = Row.atMost("page_server_3_pages_core_percent", "%", 5);
  private static final Row HEAP = Row.atMost("page_server_50_pages_heap_mib", "MiB", 64);

  private static final String RUN = "page";
  private static final int LANES = 64;
  private static final int BATCHES_A_WINDOW = 80;
  private static final int WINDOWS_A_SECOND = 4;
  private static final int SECONDS_BEFORE = 15;
  private static final int SECONDS_OF_3_PAGES = 30;
  private static final int SECONDS_OF_50_PAGES = 30;
  private static final int READING = 40;
  private static final int NEVER_READING = 10;
  private static final long SECOND_NS = 1_000_000_000;
  private static final String SENT = "\"sent_ns\":";

  private final Path folder;
  private final Consumer<String> out;
  private final List<Double> delaysMs = Collections.synchronizedList(new ArrayList<>());

  /**
   * @param folder where files of the measurement go
   * @param out told what is measured beside the rows
   */
  PageBench(Path folder, Consumer<String> out) {
    this.folder = folder;
    this.out = out;
  }

  @Override
  public String name() {
    return "page";
  }

  @Override
  public List<Row> rows() {
    return List.of(DELAY, CPU, HEAP);
  }

  @Override
  public Map<Row, Double> measure()
      throws IOException, InterruptedException, MeasurementFailedException {
    Files.createDirectories(folder);
    delaysMs.clear();
    Path output = folder.resolve("page.out");
    try (var opened = new Opened()) {
      Path data = Files.createTempDirectory(folder, "page-broker");
      EmbeddedBroker broker = opened.add(EmbeddedBroker.start(data));
      KafkaAccess kafka = KafkaAccess.embedded(broker.bootstrapServers(), 30_000);
      var topics = new Topics(RUN);
      RunTopics.create(topics, 1, kafka.clients());
      Process server = server(broker.bootstrapServers(), output);
      opened.add(server::destroy);
      return measure(kafka.clients(), topics, server, url(server, output), opened);
    } catch (UserMistakeException e) {
      throw new MeasurementFailedException(String.valueOf(e.getMessage()), output);
    }
  }

  private static Process server(String bootstrap, Path output) throws IOException {
    return Launch.of(
            ChildJvm.sluice(
                List.of("-Xmx512m"),
                List.of("serve", "--bootstrap", bootstrap, "--run-id", RUN, "--port", "0")))
        .output(ProcessBuilder.Redirect.to(output.toFile()))
        .errorsToOutput()
        .start();
  }

  private static URI url(Process server, Path output)
      throws IOException, InterruptedException, MeasurementFailedException {
    for (int i = 0; i < 600; i++) {
      for (String line : Files.readAllLines(output)) {
        if (line.startsWith("Page  ")) {
          return URI.create(line.substring(6));
        }
      }
      if (server.waitFor(100, TimeUnit.MILLISECONDS)) {
        break;
      }
    }
    throw new MeasurementFailedException("the page's server did not start", output);
  }

  private Map<Row, Double> measure(
      LogClients kafka, Topics topics, Process server, URI url, Opened opened)
      throws IOException, InterruptedException {
    var feed = opened.add(new Feed(kafka, topics));
    feed.describe();
    feed.run(SECONDS_BEFORE);
    long heapBefore = MemoryOf.liveHeapBytes(server.pid()).orElse(0);
    for (int i = 0; i < 3; i++) {
      opened.add(reading(url, i == 0));
    }
    feed.run(3); // the pages' snapshots are no part of the stream
    Duration cpuBefore = cpu(server);
    feed.run(SECONDS_OF_3_PAGES);
    double cores = (cpu(server).toNanos() - cpuBefore.toNanos()) / 1e9 / SECONDS_OF_3_PAGES;
    for (int i = 3; i < READING; i++) {
      opened.add(reading(url, false));
    }
    for (int i = 0; i < NEVER_READING; i++) {
      opened.add(asking(url, true));
    }
    feed.run(SECONDS_OF_50_PAGES);
    long heapMore = MemoryOf.liveHeapBytes(server.pid()).orElse(0) - heapBefore;
    List<Double> delays = new ArrayList<>(delaysMs);
    Collections.sort(delays);
    out.accept(
        String.format(
            Locale.ROOT,
            "page: %d frames read by one page, delay p50 %.1f ms, p95 %.1f ms, max %.1f ms; live heap"
                + " before any page %.1f MiB",
            delays.size(),
            rank(delays, 50),
            rank(delays, 95),
            rank(delays, 100),
            heapBefore / 1048576.0));
    return Map.of(
        DELAY, rank(delays, 95), CPU, 100 * cores, HEAP, Math.max(0, heapMore) / 1048576.0);
  }

  private static Duration cpu(Process server) {
    return server.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  private static double rank(List<Double> sorted, int percent) {
    return sorted.isEmpty()
        ? Double.NaN
        : sorted.get(Math.max(0, (int) Math.ceil(sorted.size() * percent / 100.0) - 1));
  }

  /** Opens a stream, and reads nothing of it. */
  private static Socket asking(URI url, boolean small) throws IOException {
    var socket = new Socket();
    if (small) {
      socket.setReceiveBufferSize(4096);
    }
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), url.getPort()));
    socket
        .getOutputStream()
        .write(
            ("GET /api/runs/" + RUN + "/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  /** Opens a stream, and reads it on a thread of its own until the socket is closed. */
  private Socket reading(URI url, boolean timed) throws IOException {
    Socket socket = asking(url, false);
    var thread = new Thread(() -> read(socket, timed), "sluice-bench-page");
    thread.setDaemon(true);
    thread.start();
    return socket;
  }

  private void read(Socket socket, boolean timed) {
    try (var lines =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        int sent = timed ? line.lastIndexOf(SENT) : -1;
        if (sent >= 0) {
          long sentNs =
              Long.parseLong(line.substring(sent + SENT.length(), line.indexOf('}', sent)));
          delaysMs.add((MachineClock.monotonicNs() - sentNs) / 1e6);
        }
      }
    } catch (IOException e) {
      return; // the bench closes it
    }
  }

  /** Writes the records of analytics at their times. */
  private static final class Feed implements AutoCloseable {
    private final KafkaProducer<byte[], byte[]> producer;
    private final Topics topics;
    private final CountDownLatch never = new CountDownLatch(1);
    private long window;

    Feed(LogClients kafka, Topics topics) {
      this.topics = topics;
      producer = kafka.producer(Writing.SINGLE);
    }

    void describe() {
      send(
          topics.metrics(),
          EventCodec.METRICS.write(
              new RunDescribed(
                  RUN,
                  MachineClock.epochMs(),
                  List.of(),
                  "run_name: page\nscheduler_name: fifo\n",
                  "",
                  "",
                  true,
                  Map.of())));
    }

    void run(int seconds) throws InterruptedException {
      long beginNs = MachineClock.monotonicNs();
      for (int i = 1; i <= seconds * WINDOWS_A_SECOND; i++) {
        long waitNs = beginNs + i * SECOND_NS / WINDOWS_A_SECOND - MachineClock.monotonicNs();
        if (waitNs > 0 && never.await(waitNs, TimeUnit.NANOSECONDS)) {
          return;
        }
        byte[] lanes = EventCodec.LANES.write(lanes(window));
        String timed = new String(lanes, 0, lanes.length - 1, StandardCharsets.UTF_8);
        send(
            topics.lanes(),
            (timed + "," + SENT + MachineClock.monotonicNs() + "}")
                .getBytes(StandardCharsets.UTF_8));
        if (window % WINDOWS_A_SECOND == 0) {
          send(topics.metrics(), EventCodec.METRICS.write(second(window / WINDOWS_A_SECOND)));
        }
        window++;
      }
    }

    private void send(String topic, byte[] record) {
      var unused = producer.send(new ProducerRecord<>(topic, record));
    }

    private static LanesWindow lanes(long window) {
      long fromNs = window * SECOND_NS / WINDOWS_A_SECOND;
      List<LanesWindow.Lane> lanes =
          IntStream.range(0, LANES)
              .mapToObj(
                  lane ->
                      new LanesWindow.Lane(
                          lane,
                          0.8,
                          "resnet18/onnx/fp32",
                          IntStream.range(0, BATCHES_A_WINDOW)
                              .filter(i -> i % LANES == lane)
                              .mapToObj(i -> batch(window, i, fromNs))
                              .toList(),
                          0))
              .toList();
      return new LanesWindow(
          fromNs,
          fromNs + SECOND_NS / WINDOWS_A_SECOND,
          window * 1250,
          40,
          900,
          List.of(new LanesWindow.Executor("executor-0", 0, "emulated", 16_000L, lanes)));
    }

    private static LanesWindow.Batch batch(long window, int i, long fromNs) {
      return new LanesWindow.Batch(
          "0:" + (window * BATCHES_A_WINDOW + i) + "-0",
          1,
          fromNs,
          true,
          fromNs + 200_000_000,
          "DONE",
          "resnet18",
          "onnx",
          "fp32",
          "interactive",
          16,
          JobId.of(window * 1250),
          32,
          190.0,
          230.0,
          200.0,
          Map.of("urgency", 0.5, "short_service", 0.25));
    }

    private static MetricsWindow second(long number) {
      LatencyHistogram ended =
          LatencyHistogram.of(LongStream.range(0, 2000).map(i -> 5_000_000 + i * 40_000).toArray());
      var counts =
          new MetricsWindow.Counts(5000, 5000, 0, 0, 10, 4990, 40.0, 80.0, 90.0, 40L, ended);
      return new MetricsWindow(
          number * SECOND_NS,
          (number + 1) * SECOND_NS,
          counts,
          Map.of("interactive", counts, "batch", counts),
          40,
          900,
          LANES,
          0.8,
          Map.of("tokens", 1_000_000L),
          8000L,
          16_000L,
          1.0,
          0.5,
          MetricsWindow.Predictions.NONE);
    }

    @Override
    public void close() {
      producer.close(Duration.ofSeconds(5));
    }
  }
}
