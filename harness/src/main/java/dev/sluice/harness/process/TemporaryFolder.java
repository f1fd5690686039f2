package dev.sluice.harness.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes the temporary folder of a process that ends. */
public final class TemporaryFolder {
  private static final Logger LOG = LoggerFactory.getLogger(TemporaryFolder.class);

  private TemporaryFolder() {}

  /** Removes the folder and its content; a file that cannot be removed is logged, and stays. */
  public static void remove(@Nullable Path folder) {
    try {
      if (folder != null) {
        removeTree(folder);
      }
    } catch (IOException | UncheckedIOException e) {
      LOG.warn("temporary files stay behind in {}", folder, e);
    }
  }

  /** Removes a folder and all that is in it; of a link to a folder, the link alone. */
  public static void removeTree(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    try (Stream<Path> tree = Files.walk(root)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
