package dev.sluice.harness.frame;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The link {@code latest} in the folder of all runs, which leads to the one that ended last. */
public final class LatestRun {
  public static final String NAME = "latest";

  private static final Logger LOG = LoggerFactory.getLogger(LatestRun.class);

  private LatestRun() {}

  /**
   * Points the link to a finished run, unless the system has no links, a run is itself called so,
   * or the run is part of a series that goes on.
   */
  public static void point(Path finished) {
    if (String.valueOf(finished.toAbsolutePath().getParent()).endsWith(RunFolder.RUNNING)) {
      return;
    }
    Path link = finished.resolveSibling(NAME);
    if (Files.exists(link) && !Files.isSymbolicLink(link)) {
      return;
    }
    Path fresh = finished.resolveSibling("." + NAME + "-" + ProcessHandle.current().pid());
    try {
      Files.deleteIfExists(fresh);
      Files.createSymbolicLink(fresh, Objects.requireNonNull(finished.getFileName()));
      Files.move(fresh, link, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | UnsupportedOperationException e) {
      LOG.debug("no link {}", link, e);
    }
  }

  public static void removeIfDangling(Path results) throws IOException {
    Path link = results.resolve(NAME);
    if (Files.isSymbolicLink(link) && !Files.exists(link)) {
      Files.delete(link);
    }
  }

  public static boolean is(Path path) {
    return path.endsWith(NAME) && Files.isSymbolicLink(path);
  }
}
