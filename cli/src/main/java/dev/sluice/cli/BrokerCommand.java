package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.process.LogFile;
import dev.sluice.harness.process.News;
import dev.sluice.harness.process.ParentWatch;
import dev.sluice.harness.process.Secrets;
import dev.sluice.harness.process.Signals;
import dev.sluice.harness.process.TemporaryFolder;
import dev.sluice.harness.terminal.Console;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./sluice broker}: a Kafka of one node as a process of its own. */
@Command(
    name = "broker",
    mixinStandardHelpOptions = true,
    description = {
      "Starts a Kafka of one node, for this machine alone, until Ctrl-C.",
      "It stands in for your own Kafka; it keeps no copies and asks nobody for a password."
    },
    footer = {"", "Example:", "  ./sluice broker --port 9092 --data /tmp/sluice-broker"})
final class BrokerCommand implements Callable<Integer> {
  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Where it listens (default: ${DEFAULT-VALUE}).")
  private int port = 9092;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Where its log outlives it (default: a temporary folder).")
  private @Nullable Path data;

  @Option(names = "--child", hidden = true, description = "Started by Sluice; see produce.")
  private boolean child;

  private final CountDownLatch stopping = new CountDownLatch(1);
  private @Nullable Path temporary;

  @Override
  public Integer call() throws Exception {
    if (child) {
      ParentWatch.start(line -> {}, this::endAtOnce);
    }
    try (var log = LogFile.toStandardError(Secrets.NONE);
        var signals =
            child
                ? Signals.listenAsChild(stopping::countDown, this::removeTemporary)
                : Signals.listen(stopping::countDown, this::removeTemporary)) {
      checkPort();
      try (var broker = EmbeddedBroker.startAt(folder(), port, Map.of())) {
        Console.standardOutput().line("Kafka answers: --bootstrap " + broker.bootstrapServers());
        News.up(broker.bootstrapServers());
        stopping.await();
      } finally {
        removeTemporary();
      }
      return signals.exitStatus();
    } catch (UserMistakeException e) {
      News.error(String.valueOf(e.getMessage()));
      return ExitStatus.MISTAKE;
    } catch (IOException e) {
      News.error("sluice: error: " + e.getMessage() + ".\n  Maybe the lines before say more.");
      return ExitStatus.BUG;
    }
  }

  private void checkPort() throws UserMistakeException {
    if (port < 1 || port > 65_535) {
      throw new UserMistakeException(
          "--port", "there is no port (" + port + ")", "one of 1 to 65535 was meant");
    }
    try (var probe = new ServerSocket()) {
      probe.setReuseAddress(true);
      probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    } catch (IOException e) {
      throw new UserMistakeException(
          "--port",
          "the port can not be listened on (" + port + ": " + UserMistakeException.reason(e) + ")",
          "a broker runs there already, or you want another --port",
          e);
    }
  }

  private Path folder() throws IOException, UserMistakeException {
    if (data == null) {
      temporary = Files.createTempDirectory("sluice-broker-");
      return temporary;
    }
    try {
      return Files.createDirectories(data);
    } catch (IOException e) {
      throw new UserMistakeException(
          "--data",
          "the folder can not be made (" + data + ": " + UserMistakeException.reason(e) + ")",
          "you want another --data, or have to give yourself the right to write there",
          e);
    }
  }

  private void endAtOnce() {
    removeTemporary();
    Runtime.getRuntime().halt(ExitStatus.BUG);
  }

  private void removeTemporary() {
    TemporaryFolder.remove(temporary);
  }
}
