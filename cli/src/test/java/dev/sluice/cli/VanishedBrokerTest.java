package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.kafka.EmbeddedBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A broker in a process of its own that is killed in mid-run, and comes back with its log. */
@Tag("slow")
final class VanishedBrokerTest {
  private static final Duration TOLD_LIMIT = Duration.ofSeconds(10);

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"", "--processes"})
  void isToldWithinTenSeconds_andTheRunGoesOnWithTheNextOne(String how) throws Exception {
    int port = EmbeddedBroker.freePort();
    var loop = new Loop(folder, "127.0.0.1:" + port);
    try (var broker = broker(port)) {
      broker.screen().await("Kafka answers", SluiceProcess.LIMIT);
      try (var run = run(loop, how)) {
        run.screen().awaitJobs(SluiceProcess.LIMIT);
        broker.signal("KILL");
        run.screen()
            .await(
                "warning: the broker (" + loop.bootstrap() + ") has not answered since ",
                TOLD_LIMIT);
        try (var next = broker(port)) {
          next.screen().await("Kafka answers", SluiceProcess.LIMIT);
          run.screen()
              .await("The broker (" + loop.bootstrap() + ") answers again, after", TOLD_LIMIT);
          assertThat(run.exitStatus()).as(run.screen().text()).isIn(0, 4);
        }
        assertThat(loop.left()).as(run.screen().text()).containsExactly("lonely");
      }
    }
  }

  private SluiceProcess broker(int port) throws Exception {
    return SluiceProcess.piped(
        List.of(
            "broker",
            "--port",
            Integer.toString(port),
            "--data",
            folder.resolve("kafka").toString()));
  }

  private SluiceProcess run(Loop loop, String how) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "run",
                loop.write(Loop.EMULATED).toString(),
                "--set",
                "duration_seconds=25",
                "--set",
                "tail_seconds=30",
                "--results",
                loop.results().toString(),
                "--run-id",
                "lonely",
                "--bootstrap",
                String.valueOf(loop.bootstrap())));
    if (!how.isEmpty()) {
      arguments.add(how);
    }
    return SluiceProcess.piped(arguments);
  }
}
