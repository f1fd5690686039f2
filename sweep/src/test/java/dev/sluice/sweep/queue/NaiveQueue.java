package dev.sluice.sweep.queue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decides as {@link QueueState} does, by a plain scan over all that waits. */
final class NaiveQueue {
  /** A task that waits or runs. */
  record Task(int number, @Nullable Integer bound) {}

  private final List<Task> waiting = new ArrayList<>();
  private final Map<Task, Integer> gpuByRunning = new HashMap<>();
  final Set<Integer> aside = new HashSet<>();

  void queue(Task task) {
    waiting.add(task);
  }

  void start(Task task, int gpu) {
    waiting.remove(task);
    gpuByRunning.put(task, gpu);
  }

  void end(Task task) {
    waiting.remove(task);
    gpuByRunning.remove(task);
  }

  /** A task whose attempt never ran waits where it waited: in the order of its last queueing. */
  void withdraw(Task task, List<Task> order) {
    gpuByRunning.remove(task);
    waiting.add(task);
    waiting.sort((a, b) -> Integer.compare(order.lastIndexOf(a), order.lastIndexOf(b)));
  }

  /** The number of the task that starts next and its GPU; empty: none. */
  List<Integer> next(List<Integer> gpus, int perGpu) {
    for (Task task : waiting) {
      int best = -2;
      for (int gpu : gpus) {
        boolean allowed = task.bound == null || task.bound == gpu;
        if (allowed && !aside.contains(gpu) && running(gpu) < perGpu) {
          best = best == -2 || running(gpu) < running(best) ? gpu : best;
        }
      }
      if (best != -2) {
        return List.of(task.number, best);
      }
    }
    return List.of();
  }

  private int running(int gpu) {
    return (int) gpuByRunning.values().stream().filter(on -> on == gpu).count();
  }
}
