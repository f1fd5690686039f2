package dev.sluice.cli;

import dev.sluice.harness.process.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Uuid;

/**
 * Kafka as it is started without Sluice: its own main over a server.properties, one node that is
 * broker and controller, in a process of its own. It has Kafka's defaults where one node can.
 */
final class BrokerProcess implements AutoCloseable {
  private static final int ATTEMPTS = 2;
  private static final long STOP_LIMIT_SECONDS = 30;

  private final Process process;
  private final int port;

  private BrokerProcess(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Formats the folder, starts the process and waits until it answers.
   *
   * @throws IOException if it did not, on a second pair of ports either
   */
  static BrokerProcess start(Path folder) throws Exception {
    String said = "";
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Path own = Files.createDirectories(folder.resolve("attempt-" + attempt));
      var broker = startOnce(own, freePort(), freePort());
      if (broker.answers()) {
        return broker;
      }
      broker.close();
      said = Files.readString(own.resolve("output"));
    }
    throw new IOException("no broker answered; the last one said: " + said);
  }

  private static BrokerProcess startOnce(Path folder, int port, int controllerPort)
      throws IOException {
    Path properties =
        Files.write(
            folder.resolve("server.properties"),
            List.of(
                "node.id=1",
                "process.roles=broker,controller",
                "listeners=PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d"
                    .formatted(port, controllerPort),
                "controller.listener.names=CONTROLLER",
                "controller.quorum.voters=1@127.0.0.1:" + controllerPort,
                "log.dirs=" + folder.resolve("log"),
                "offsets.topic.replication.factor=1",
                "transaction.state.log.replication.factor=1",
                "transaction.state.log.min.isr=1"));
    int formatted =
        StorageTool.execute(
            new String[] {
              "format", "-t", Uuid.randomUuid().toString(), "-c", properties.toString()
            },
            new Screen().stream());
    if (formatted != 0) {
      throw new IOException("the storage could not be formatted (status " + formatted + ")");
    }
    Process process =
        new ProcessBuilder(
                ChildJvm.of(List.of("-Xmx512m"), "kafka.Kafka", List.of(properties.toString())))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output").toFile())
            .start();
    return new BrokerProcess(process, port);
  }

  /** Waits until it answers, or has ended instead. */
  private boolean answers() throws Exception {
    try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
      var answer = admin.describeCluster().nodes().toCompletionStage().toCompletableFuture();
      CompletableFuture.anyOf(answer, process.onExit()).get();
      return answer.isDone();
    }
  }

  private static int freePort() {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where clients reach it. */
  String bootstrapServers() {
    return "127.0.0.1:" + port;
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
  }
}
