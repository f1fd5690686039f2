package dev.sluice.sweep.queue;

import dev.sluice.sweep.queue.QueueEvent.Aside;
import dev.sluice.sweep.queue.QueueEvent.Ended;
import dev.sluice.sweep.queue.QueueEvent.Outcome;
import dev.sluice.sweep.queue.QueueEvent.Queued;
import dev.sluice.sweep.queue.QueueEvent.Resumed;
import dev.sluice.sweep.queue.QueueEvent.Started;
import dev.sluice.sweep.queue.TaskState.Phase;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The fold of a queue's events, and what starts next. Pure; not safe for threads. */
public final class QueueState {
  /** Id in place of a GPU's where there is none. */
  public static final int NO_GPU = -1;

  /** Longest run of a failure that speaks against its GPU, milliseconds. */
  static final long QUICK_MS = 10_000;

  private final Map<String, TaskState> byName = new LinkedHashMap<>();
  private final List<TaskState> byNumber = new ArrayList<>();
  private final Map<Integer, TaskState> running = new LinkedHashMap<>();
  private final Map<Integer, Integer> quickFailures = new HashMap<>();
  private final Set<Integer> aside = new TreeSet<>();
  private long orders;

  public record Start(TaskState task, int gpu) {}

  /** All tasks, in the order in which they were first queued. */
  public Collection<TaskState> tasks() {
    return Collections.unmodifiableCollection(byName.values());
  }

  /** Tasks of a phase: those that wait or run in that order, all others as first queued. */
  public List<TaskState> tasks(Phase phase) {
    return switch (phase) {
      case WAITING -> waiting();
      case RUNNING -> running();
      case DONE, FAILED -> tasks().stream().filter(task -> task.phase == phase).toList();
    };
  }

  public @Nullable TaskState task(String name) {
    return byName.get(name);
  }

  TaskState task(int number) {
    return byNumber.get(number);
  }

  /** Number that the next new task gets. */
  int nextNumber() {
    return byNumber.size();
  }

  /** Tasks that run, in the order of their starts. */
  public List<TaskState> running() {
    return List.copyOf(running.values());
  }

  public boolean anyWaits() {
    return waits().findAny().isPresent();
  }

  /** Tasks that wait, in the order of the queue. */
  public List<TaskState> waiting() {
    return waits().sorted(Comparator.comparingLong(task -> task.order)).toList();
  }

  private Stream<TaskState> waits() {
    return byNumber.stream().filter(task -> task.phase == Phase.WAITING);
  }

  /** GPUs that get no more tasks. */
  public Set<Integer> aside() {
    return Collections.unmodifiableSet(aside);
  }

  /** Failures in a row on a GPU, each within {@link #QUICK_MS}. */
  int quickFailures(int gpu) {
    return quickFailures.getOrDefault(gpu, 0);
  }

  /**
   * What starts next: the task that waits longest of those that a free slot can take, on its GPU,
   * or on the GPU with the fewest tasks, the preferred one of equals. Null: nothing can start.
   */
  public @Nullable Start next(QueueSettings settings) {
    Map<Integer, Integer> tasksByFreeGpu = new LinkedHashMap<>();
    settings.slotIds().stream()
        .filter(gpu -> !aside.contains(gpu))
        .forEach(gpu -> tasksByFreeGpu.put(gpu, 0));
    for (TaskState task : running.values()) {
      tasksByFreeGpu.computeIfPresent(task.gpu(), (gpu, tasks) -> tasks + 1);
    }
    tasksByFreeGpu.values().removeIf(tasks -> tasks >= settings.perGpu());
    if (tasksByFreeGpu.isEmpty()) {
      return null;
    }
    TaskState first =
        waits()
            .filter(task -> task.bound() == null || tasksByFreeGpu.containsKey(task.bound()))
            .min(Comparator.comparingLong(task -> task.order))
            .orElse(null);
    if (first == null) {
      return null;
    }
    int emptiest =
        Collections.min(tasksByFreeGpu.entrySet(), Map.Entry.comparingByValue()).getKey();
    return new Start(first, first.bound() == null ? emptiest : first.bound());
  }

  /**
   * Takes in an event.
   *
   * @throws IllegalArgumentException if it cannot follow the events before it
   */
  public void apply(QueueEvent event) {
    if (event instanceof Queued e) {
      queue(e);
    } else if (event instanceof Started e) {
      start(e);
    } else if (event instanceof Ended e) {
      end(e);
    } else if (event instanceof Aside e) {
      aside.add(e.gpu());
    } else if (event instanceof Resumed) {
      aside.clear();
      quickFailures.clear();
    }
  }

  private TaskState known(int number) {
    if (number < 0 || number >= byNumber.size()) {
      throw new IllegalArgumentException("task " + number + " was never queued");
    }
    return byNumber.get(number);
  }

  private void queue(Queued e) {
    boolean isNew = e.task() == byNumber.size() && !byName.containsKey(e.name());
    if (isNew) {
      var task = new TaskState(e);
      byNumber.add(task);
      byName.put(e.name(), task);
    }
    TaskState task = known(e.task());
    boolean free = isNew || task.phase == Phase.DONE || task.phase == Phase.FAILED;
    if (!free || !task.name().equals(e.name())) {
      throw new IllegalArgumentException("task " + e.name() + " cannot be queued");
    }
    task.queued = e;
    task.failures = 0;
    toWaiting(task, orders++, e.atMs());
  }

  private static void toWaiting(TaskState task, long order, long atMs) {
    task.phase = Phase.WAITING;
    task.order = order;
    task.sinceMs = atMs;
  }

  private static void checkWaits(TaskState task) {
    if (task.phase != Phase.WAITING) {
      throw new IllegalArgumentException("task " + task.name() + " does not wait");
    }
  }

  private void start(Started e) {
    TaskState task = known(e.task());
    if (e.attempt() != task.attempt() + 1) {
      throw new IllegalArgumentException("attempt " + e.attempt() + " follows " + task.attempt());
    }
    checkWaits(task);
    task.phase = Phase.RUNNING;
    task.started = e;
    task.sinceMs = e.atMs();
    running.put(task.number, task);
  }

  private void end(Ended e) {
    TaskState task = known(e.task());
    if (task.phase == Phase.RUNNING) {
      if (e.attempt() != task.attempt()) {
        throw new IllegalArgumentException("attempt " + e.attempt() + " does not run");
      }
      running.remove(task.number);
      count(task.gpu(), e);
    } else {
      checkWaits(task);
    }
    if (e.outcome() == Outcome.WITHDRAWN) {
      toWaiting(task, task.order, e.atMs());
      return;
    }
    task.ended = e;
    task.sinceMs = e.atMs();
    boolean done = e.outcome() == Outcome.DONE || e.outcome() == Outcome.DONE_BEFORE;
    task.phase = done ? Phase.DONE : Phase.FAILED;
    if (e.again()) {
      task.failures++;
      toWaiting(task, orders++, e.atMs());
    }
  }

  private void count(int gpu, Ended e) {
    if (e.outcome() == Outcome.FAILED && e.ranMs() < QUICK_MS) {
      quickFailures.merge(gpu, 1, Integer::sum);
    } else if (e.outcome() == Outcome.DONE || e.outcome() == Outcome.FAILED) {
      quickFailures.remove(gpu);
    }
  }
}
