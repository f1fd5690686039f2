package dev.sluice.harness.frame;

import dev.sluice.analytics.row.Origin;
import dev.sluice.harness.machine.HostLoad;
import dev.sluice.harness.process.CommandLine;
import dev.sluice.harness.process.Launch;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** What made a run's folder: the command, the commit and the machine, as far as they are known. */
public final class RunOrigin {
  /** Commits by working copy: what this process loaded is of the commit that it saw first. */
  private static final Map<Path, Optional<String>> COMMITS = new ConcurrentHashMap<>();

  private RunOrigin() {}

  public static Origin here() throws IOException {
    return new Origin(
        CommandLine.known(),
        commit(Path.of(System.getProperty("sluice.home", "."))).orElse(null),
        new Origin.Machine(
            HostLoad.hostName().orElse(null),
            Runtime.getRuntime().availableProcessors(),
            HostLoad.processorName().orElse(null),
            HostLoad.memoryBytes()),
        null,
        null);
  }

  /**
   * The commit of a working copy, with {@code -dirty} where files differ from it, or of a release;
   * empty where the folder is neither, or git does not tell.
   */
  public static Optional<String> commit(Path home) {
    return COMMITS.computeIfAbsent(home, RunOrigin::described);
  }

  private static Optional<String> described(Path home) {
    try {
      if (!Files.exists(home.resolve(".git"))) {
        Path ofRelease = home.resolve("commit");
        return Files.exists(ofRelease)
            ? Optional.of(Files.readString(ofRelease).strip())
            : Optional.empty();
      }
      return Optional.of(
          Launch.of(
                  "git", "-C", home.toString(), "describe", "--always", "--dirty", "--exclude", "*")
              .errors(Redirect.DISCARD)
              .printed("git")
              .strip());
    } catch (IOException e) {
      return Optional.empty(); // no git here, or it does not trust the folder
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
