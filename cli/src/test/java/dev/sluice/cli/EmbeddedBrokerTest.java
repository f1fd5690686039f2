package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.harness.kafka.EmbeddedBroker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The broker in this process: that it serves, goes, and tries once more on other ports. */
@Tag("loop")
final class EmbeddedBrokerTest {
  @TempDir private Path folder;

  @Test
  void servesOnTheSecondPorts_whenTheFirstAreTaken_andLeavesNoThread() throws Exception {
    var threads = new LeftThreads();
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int free = freePort();
      Iterator<Integer> ports =
          List.of(taken.getLocalPort(), freePort(), free, freePort()).iterator();
      try (var broker = EmbeddedBroker.start(folder, ports::next);
          var admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
        assertThat(broker.bootstrapServers()).isEqualTo("127.0.0.1:" + free);
        assertThat(admin.describeCluster().nodes().get()).hasSize(1);
      }
    }
    assertThat(threads.names()).isEmpty();
  }

  @Test
  void namesThePort_whenTheSecondIsTakenToo() throws Exception {
    var threads = new LeftThreads();
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      Iterator<Integer> ports = List.of(port, freePort(), port, freePort()).iterator();
      assertThatThrownBy(() -> EmbeddedBroker.start(folder, ports::next))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("on port " + port);
    }
    assertThat(threads.names()).isEmpty();
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
