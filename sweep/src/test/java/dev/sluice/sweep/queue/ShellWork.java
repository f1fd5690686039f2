package dev.sluice.sweep.queue;

import dev.sluice.sweep.queue.Scheduler.Work;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tasks whose configs are lines of shell. */
record ShellWork(Path folder, @Nullable Path markers) implements Work {
  @Override
  public Plan plan(String name, String config, int gpu) {
    return new Plan(
        List.of("/bin/sh", "-c", config, "task", name),
        Map.of("GPU", Integer.toString(gpu)),
        folder,
        folder.resolve(name.replace('/', '_') + ".log"),
        Integer.toHexString(config.hashCode()));
  }

  @Override
  public @Nullable Path marker(String name) {
    return markers == null ? null : markers.resolve(name + "_completed.txt");
  }
}
