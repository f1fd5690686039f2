package dev.sluice.sweep.workspace;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/**
 * Where a workspace's logs are. A file that another workspace wrote, or that is a link, is left
 * alone: then the name begins with the workspace's task_name, and else the log stays in the queue's
 * folder. A log's first line names the queue's folder.
 */
final class LogPaths {
  /** Folder of the tasks' logs, in log_dir. */
  static final String TASKS = "train_logs";

  private static final Path NOWHERE = Path.of("/dev/null");

  private final Workspace workspace;

  LogPaths(Workspace workspace) {
    this.workspace = workspace;
  }

  /** The log of a task. */
  Path task(String name) throws IOException {
    Path folder = workspace.config().folders().logs().resolve(TASKS);
    String prefix = workspace.config().names().task();
    return first(
        List.of(folder.resolve(name + ".log"), folder.resolve(prefix + "_" + name + ".log")),
        name + ".log");
  }

  /** The name of the scheduler's session, and of its log without the ending. */
  String schedulerName() {
    return workspace.config().names().task() + workspace.config().names().schedulerSuffix();
  }

  /** The log of the scheduler. */
  Path scheduler() throws IOException {
    String name = schedulerName() + ".log";
    return first(List.of(workspace.config().folders().logs().resolve(name)), name);
  }

  private Path first(List<Path> wanted, String name) throws IOException {
    if (!workspace.config().folders().logging()) {
      return NOWHERE;
    }
    for (Path path : wanted) {
      if (isFreeOrOwn(path)) {
        return path;
      }
    }
    return workspace.queue().folder().resolve(name);
  }

  private boolean isFreeOrOwn(Path path) throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return true;
    }
    if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS) || !Files.isWritable(path)) {
      return false;
    }
    try (BufferedReader lines = Files.newBufferedReader(path, StandardCharsets.ISO_8859_1)) {
      String line = lines.readLine();
      String own = workspace.queue().folder().toString().replace('\n', ' ');
      String read =
          line == null
              ? ""
              : new String(line.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
      return line == null || read.endsWith(own);
    }
  }
}
