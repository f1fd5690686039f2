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
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The fold of a queue's events, and what starts next. Pure; not safe for threads. */
public final class QueueState {
  /** Id in place of a GPU's where there is none. */
  public static final int NO_GPU = -1;

  /** Longest run of a failure that speaks against its GPU, milliseconds. */
  static final long QUICK_MS = 10_000;

  private final Map<String, TaskState> byName = new LinkedHashMap<>();
  private final List<TaskState> byNumber = new ArrayList<>();

  /**
   * Waiting tasks by place in the queue, by the GPU that they are bound to; {@link #NO_GPU}: any.
   */
  private final Map<Integer, TreeMap<Long, TaskState>> waiting = new TreeMap<>();

  private final Map<Integer, TaskState> running = new LinkedHashMap<>();
  private final Map<Integer, Integer> runningByGpu = new HashMap<>();
  private final Map<Integer, Integer> quickFailures = new HashMap<>();
  private final Set<Integer> aside = new TreeSet<>();
  private long orders;

  /** A start that the state allows. */
  public record Start(TaskState task, int gpu) {}

  /** All tasks, in the order in which they were first queued. */
  public Collection<TaskState> tasks() {
    return Collections.unmodifiableCollection(byName.values());
  }

  /** The task of a name; null: none. */
  public @Nullable TaskState task(String name) {
    return byName.get(name);
  }

  /** The task of a number. */
  TaskState task(int number) {
    return byNumber.get(number);
  }

  /** Number that the next new task gets. */
  int nextNumber() {
    return byNumber.size();
  }

  /** Tasks that run. */
  public List<TaskState> running() {
    return List.copyOf(running.values());
  }

  /** Tells whether any task waits. */
  public boolean anyWaits() {
    return waiting.values().stream().anyMatch(tasks -> !tasks.isEmpty());
  }

  /** Tasks that wait, in the order of the queue. */
  public List<TaskState> waiting() {
    TreeMap<Long, TaskState> all = new TreeMap<>();
    waiting.values().forEach(all::putAll);
    return List.copyOf(all.values());
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
    int best = NO_GPU;
    int fewest = Integer.MAX_VALUE;
    TaskState first = null;
    int on = NO_GPU;
    for (int gpu : settings.slotIds()) {
      int tasks = runningByGpu.getOrDefault(gpu, 0);
      if (tasks >= settings.perGpu() || aside.contains(gpu)) {
        continue;
      }
      if (tasks < fewest) {
        fewest = tasks;
        best = gpu;
      }
      TaskState bound = gpu == NO_GPU ? null : head(gpu);
      if (bound != null && (first == null || bound.order < first.order)) {
        first = bound;
        on = gpu;
      }
    }
    TaskState free = fewest == Integer.MAX_VALUE ? null : head(NO_GPU);
    if (free != null && (first == null || free.order < first.order)) {
      first = free;
      on = best;
    }
    return first == null ? null : new Start(first, on);
  }

  private @Nullable TaskState head(int bound) {
    TreeMap<Long, TaskState> tasks = waiting.get(bound);
    return tasks == null || tasks.isEmpty() ? null : tasks.firstEntry().getValue();
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
    if (e.task() == byNumber.size() && !byName.containsKey(e.name())) {
      var task = new TaskState(e.task(), e.name(), e.config());
      byNumber.add(task);
      byName.put(e.name(), task);
    }
    TaskState task = known(e.task());
    if (!task.name.equals(e.name()) || task.phase == Phase.RUNNING || isWaiting(task)) {
      throw new IllegalArgumentException("task " + e.name() + " cannot be queued");
    }
    task.config = e.config();
    task.bound = e.gpu();
    task.failures = 0;
    task.order = orders++;
    toWaiting(task, e.atMs());
  }

  private boolean isWaiting(TaskState task) {
    TreeMap<Long, TaskState> tasks = waiting.get(boundId(task));
    return tasks != null && tasks.get(task.order) == task;
  }

  private static int boundId(TaskState task) {
    return task.bound == null ? NO_GPU : task.bound;
  }

  private void toWaiting(TaskState task, long atMs) {
    task.phase = Phase.WAITING;
    task.sinceMs = atMs;
    waiting.computeIfAbsent(boundId(task), gpu -> new TreeMap<>()).put(task.order, task);
  }

  private void noLongerWaiting(TaskState task) {
    TreeMap<Long, TaskState> tasks = waiting.get(boundId(task));
    if (tasks == null || tasks.remove(task.order) == null) {
      throw new IllegalArgumentException("task " + task.name + " does not wait");
    }
  }

  private void start(Started e) {
    TaskState task = known(e.task());
    if (e.attempt() != task.attempt + 1) {
      throw new IllegalArgumentException("attempt " + e.attempt() + " follows " + task.attempt);
    }
    noLongerWaiting(task);
    task.phase = Phase.RUNNING;
    task.attempt = e.attempt();
    task.gpu = e.gpu();
    task.digest = e.digest();
    task.log = e.log();
    task.boot = e.boot();
    task.sinceMs = e.atMs();
    running.put(task.number, task);
    runningByGpu.merge(e.gpu(), 1, Integer::sum);
  }

  private void end(Ended e) {
    TaskState task = known(e.task());
    if (task.phase == Phase.RUNNING) {
      if (e.attempt() != task.attempt) {
        throw new IllegalArgumentException("attempt " + e.attempt() + " does not run");
      }
      running.remove(task.number);
      task.boot = "";
      runningByGpu.merge(task.gpu, -1, Integer::sum);
      count(task.gpu, e);
    } else {
      noLongerWaiting(task);
    }
    if (e.outcome() == Outcome.WITHDRAWN) {
      toWaiting(task, e.atMs());
      return;
    }
    task.outcome = e.outcome();
    task.status = e.status();
    task.why = e.why();
    task.ranMs = e.ranMs();
    task.sinceMs = e.atMs();
    boolean done = e.outcome() == Outcome.DONE || e.outcome() == Outcome.DONE_BEFORE;
    task.phase = done ? Phase.DONE : Phase.FAILED;
    if (e.again()) {
      task.failures++;
      task.order = orders++;
      toWaiting(task, e.atMs());
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
