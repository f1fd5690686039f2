package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.log.Topics;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.kafka.EmbeddedBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A role that cannot go on ends the run: exit 1, a folder marked as failed, nothing else left. */
@Tag("slow")
final class FailingRoleTest {
  private static final Duration LIMIT = Duration.ofSeconds(300);

  @TempDir private Path folder;

  @Test
  void endsTheRun_whenTheLogTakesNothingMore() throws Exception {
    var threads = new LeftThreads();
    try (var broker = EmbeddedBroker.start(folder.resolve("broker"))) {
      for (String topic : List.of("facts", "outcomes")) {
        var run = new Run(broker, "refused-" + topic);
        refuseAll(broker, run.topics.prefix() + "." + topic);
        run.assertFailed();
      }
    }
    assertThat(threads.names()).isEmpty();
  }

  @Test
  void endsTheRun_whenTheBrokerGoes() throws Exception {
    Run run;
    try (var broker = EmbeddedBroker.start(folder.resolve("broker"))) {
      run = new Run(broker, "no-broker");
    }
    run.assertFailed();
  }

  /** A run in full course. */
  private final class Run {
    private final Topics topics;
    private final Loop loop;
    private final Screen screen = new Screen();
    private final FutureTask<Integer> running;

    Run(EmbeddedBroker broker, String runId) throws Exception {
      topics = new Topics(runId);
      loop = new Loop(folder, broker.bootstrapServers());
      Path impatient =
          Files.writeString(
              folder.resolve("client.properties"),
              "delivery.timeout.ms=6000\nrequest.timeout.ms=3000\nmax.block.ms=6000\n");
      running =
          new FutureTask<>(
              loop.prepare(runId, screen, true, impatient, "duration_seconds=300")::execute);
      new Thread(running, "the-run").start();
      screen.await(" done ", Duration.ofSeconds(60));
    }

    void assertFailed() throws Exception {
      assertThat(running.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(ExitStatus.BUG);
      assertThat(screen.text())
          .contains("sluice: error: the run failed: ")
          .contains("run.log")
          .doesNotContain("..\n");
      Path failed = loop.results().resolve(topics.prefix() + ".failed");
      assertThat(loop.left()).contains(failed.getFileName().toString());
      assertThat(loop.left()).doesNotContain(topics.prefix(), topics.prefix() + ".running");
      assertThat(Files.readString(failed.resolve("run.log"))).contains("the run failed");
      assertThat(failed.resolve("temporary")).doesNotExist();
    }
  }

  private static void refuseAll(EmbeddedBroker broker, String topic) throws Exception {
    try (var admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
      var entry = new ConfigEntry("max.message.bytes", "1");
      admin
          .incrementalAlterConfigs(
              Map.of(resource, List.of(new AlterConfigOp(entry, AlterConfigOp.OpType.SET))))
          .all()
          .get();
    }
  }
}
