package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.sweep.workspace.Workspace;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that name a workspace of the queue, as its scheduler.sh passes them. */
public final class WorkspaceOptions {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The workspace's config (default: scheduler_config.yml in the workspace).")
  private @Nullable Path config;

  @Option(
      names = "--workspace",
      paramLabel = "DIR",
      description = "The workspace (default: this folder).")
  private Path workspace = Path.of("");

  /**
   * The workspace.
   *
   * @throws UserMistakeException with all mistakes of its config
   */
  Workspace open() throws UserMistakeException {
    return Workspace.open(config == null ? workspace.resolve(Workspace.CONFIG) : config, workspace);
  }
}
