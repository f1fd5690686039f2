package dev.sluice.harness.role;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.DiskSpace;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.LogFile;
import dev.sluice.harness.process.News;
import dev.sluice.harness.process.Secrets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A Kafka of one node as a process of its own. */
public final class BrokerProcess extends Host {
  private final int port;
  private final @Nullable Path data;
  private final boolean child;

  /**
   * Prepares a broker.
   *
   * @param data folder of the log, which outlives the broker; null: a temporary folder
   * @param child true if another process of Sluice started this one, and ends it
   */
  public BrokerProcess(int port, @Nullable Path data, boolean child) {
    super("broker", Console.standardOutput());
    this.port = port;
    this.data = data;
    this.child = child;
  }

  /** Runs the broker until a signal or its parent stops it, and returns the exit status. */
  public int execute() throws Exception {
    try (var log = LogFile.toStandardError(Secrets.NONE)) {
      return runInProcess(child, line -> {}, this::serve);
    } catch (IOException e) {
      News.error("sluice: error: " + e.getMessage() + ".\n  Maybe the lines before say more.");
      return ExitStatus.BUG;
    }
  }

  private int serve() throws Exception {
    checkPort();
    Path folder = folder();
    EmbeddedBroker.beforeHalt(() -> sayWhy(folder));
    EmbeddedBroker broker = add(EmbeddedBroker.startAt(folder, port, Map.of()));
    Console.standardOutput().line("Kafka answers: --bootstrap " + broker.bootstrapServers());
    News.up(broker.bootstrapServers());
    awaitEnd();
    return ExitStatus.DONE;
  }

  private void checkPort() throws UserMistakeException {
    if (port < 1 || port > 65_535) {
      throw new UserMistakeException(
          "--port", "the port (" + port + ") must be between 1 and 65535", "--port 9092 will do");
    }
    try (var probe = new ServerSocket()) {
      probe.setReuseAddress(true);
      probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    } catch (IOException e) {
      throw new UserMistakeException(
          "--port",
          "the port (" + port + ") cannot be listened on (" + UserMistakeException.reason(e) + ")",
          "a broker runs there already, or you want another --port",
          e);
    }
  }

  private Path folder() throws IOException, UserMistakeException {
    if (data == null) {
      return temporary();
    }
    try {
      return Files.createDirectories(data);
    } catch (IOException e) {
      throw new UserMistakeException(
          "--data",
          "the folder (" + data + ") cannot be made (" + UserMistakeException.reason(e) + ")",
          "you want another --data, or lack the right to write there",
          e);
    }
  }

  private void sayWhy(Path folder) {
    News.error(
        DiskSpace.isFull(folder)
            ? "sluice: error: the disk of the broker's log is full ("
                + folder
                + ").\n  Maybe make room there, or name a folder on another disk: --data DIR."
            : "sluice: error: the broker cannot go on.\n  Maybe the lines before say more.");
    removeTemporary();
  }
}
