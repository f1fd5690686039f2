package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.kafka.EmbeddedBroker;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker that goes in mid-run and comes back on the same port and log. */
@Tag("slow")
final class BrokerRestartTest {
  @TempDir private Path folder;

  @Test
  void losesNothingAndDoublesNothing_whenTheBrokerComesBack() throws Exception {
    int port;
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    Path data = folder.resolve("broker");
    Loop loop;
    var screen = new Screen();
    FutureTask<Integer> running;
    try (var broker = EmbeddedBroker.startAt(data, port, Map.of())) {
      loop = new Loop(folder, broker.bootstrapServers());
      running =
          new FutureTask<>(
              loop.prepare("restart", screen, true, "duration_seconds=12", "tail_seconds=20")
                  ::execute);
      new Thread(running, "the-run").start();
      screen.await(" done ", Duration.ofSeconds(60));
    }
    try (var again = EmbeddedBroker.startAt(data, port, Map.of())) {
      assertThat(again.bootstrapServers()).isEqualTo("127.0.0.1:" + port);
      running.get(120, TimeUnit.SECONDS);
    }
    var ended = new Loop.Ended(0, loop.results().resolve("restart"), screen.text());
    List<Map<String, String>> jobs = ended.rows("trace.csv");
    assertThat(jobs).as(screen.text()).hasSizeGreaterThan(1_000);
    assertThat(jobs).extracting(job -> job.get("job_id")).doesNotHaveDuplicates();
    assertThat(jobs).allMatch(job -> !job.get("status").isEmpty());
    assertThat(jobs)
        .filteredOn(job -> job.get("phase").equals("measured"))
        .hasSize(ended.summary().get("all_count").asInt())
        .allMatch(job -> job.get("status").equals("done"));
    assertThat(longestS(jobs, "enqueue_time", "sent_time"))
        .as("sends are called on time and wait inside the producer")
        .isLessThan(longestS(jobs, "sent_time", "appended_time") / 2);
    assertThat(ended.rows("dispatches.csv"))
        .extracting(dispatch -> dispatch.get("dispatch_id"))
        .doesNotHaveDuplicates();
  }

  private static double longestS(List<Map<String, String>> jobs, String from, String to) {
    return jobs.stream()
        .mapToDouble(job -> Double.parseDouble(job.get(to)) - Double.parseDouble(job.get(from)))
        .max()
        .orElseThrow();
  }
}
