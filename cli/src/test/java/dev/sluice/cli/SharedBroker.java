package dev.sluice.cli;

import dev.sluice.harness.kafka.EmbeddedBroker;
import dev.sluice.harness.process.TemporaryFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One embedded broker for all tests of this JVM that can share it: those that name their runs as no
 * other test does, and harm no broker. It ends with the JVM.
 */
public final class SharedBroker {
  private static @Nullable EmbeddedBroker broker;

  private SharedBroker() {}

  public static synchronized EmbeddedBroker get() throws IOException, InterruptedException {
    EmbeddedBroker started = broker;
    if (started == null) {
      Path folder = Files.createTempDirectory("sluice-shared-broker-");
      EmbeddedBroker fresh = EmbeddedBroker.start(folder);
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    fresh.close();
                    TemporaryFolder.remove(folder);
                  },
                  "shared-broker-end"));
      broker = fresh;
      return fresh;
    }
    return started;
  }
}
