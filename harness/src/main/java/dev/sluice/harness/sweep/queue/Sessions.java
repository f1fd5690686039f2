package dev.sluice.harness.sweep.queue;

import dev.sluice.harness.process.Launch;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How the keeper of an attempt gets a session of its own. */
@FunctionalInterface
public interface Sessions {
  /**
   * Starts an attempt's keeper in a session of its own.
   *
   * @return the keeper; null: another process starts it, and it may not be there yet
   */
  @Nullable Process begin(Begin begin) throws IOException;

  /** An attempt has ended. */
  default void ended(String task, int gpu, boolean cleanup) {}

  /**
   * A keeper to start.
   *
   * @param gpu id of the GPU; {@link QueueState#NO_GPU} without
   * @param command the keeper, as a program with its arguments
   * @param environment variables that the keeper must have beside the scheduler's
   */
  record Begin(
      String task,
      int gpu,
      List<String> command,
      Map<String, String> environment,
      Path directory) {}

  /** Sessions without a terminal. */
  static Sessions plain() {
    return begin ->
        Launch.of(begin.command())
            .ownSession()
            .in(begin.directory())
            .environment(begin.environment())
            .output(Redirect.DISCARD)
            .errorsToOutput()
            .start();
  }
}
