package dev.sluice.sweep.queue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the tasks of a queue run. Called by one thread, just before a start, so it must be quick.
 */
public interface Work {
  /**
   * What an attempt runs.
   *
   * @param gpu id of the GPU; {@link QueueState#NO_GPU} without
   * @throws IOException if it cannot be made; the attempt has failed then
   */
  Plan plan(String name, String config, int gpu) throws IOException;

  /** The file that says that a task is done; null: its exit status alone says so. */
  @Nullable Path marker(String name);

  /**
   * What an attempt runs.
   *
   * @param command the program and its arguments, which no shell reads
   * @param environment variables beside those of the scheduler
   * @param directory the folder in which it runs
   * @param log file that its output is appended to; /dev/null: none
   * @param digest digest of all that the outcome rests on, to tell a changed task
   */
  record Plan(
      List<String> command,
      Map<String, String> environment,
      Path directory,
      Path log,
      String digest) {
    public Plan {
      command = List.copyOf(command);
      environment = Map.copyOf(environment);
    }
  }
}
