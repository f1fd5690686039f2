package dev.sluice.sweep.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.sweep.queue.NaiveQueue.Task;
import dev.sluice.sweep.queue.QueueEvent.Aside;
import dev.sluice.sweep.queue.QueueEvent.Ended;
import dev.sluice.sweep.queue.QueueEvent.Outcome;
import dev.sluice.sweep.queue.QueueEvent.Queued;
import dev.sluice.sweep.queue.QueueEvent.Resumed;
import dev.sluice.sweep.queue.QueueEvent.Started;
import dev.sluice.sweep.queue.QueueState.Start;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/** What starts next, on hand-made and random histories: no clock, file or process. */
final class QueueStateTest {
  private static final int STEPS = 60;

  private final QueueState state = new QueueState();

  private static QueueSettings settings(List<Integer> gpus, int perGpu) {
    return new QueueSettings(gpus, perGpu, 0, 3, false, false, Duration.ofSeconds(30));
  }

  private void queue(int task, @Nullable Integer gpu) {
    state.apply(new Queued(task, "t" + task, "c", gpu, 0));
  }

  private void start(int task, int attempt, int gpu) {
    state.apply(new Started(task, attempt, gpu, "", "", "", 0));
  }

  private static Ended end(int task, int attempt, Outcome outcome, boolean again, long ranMs) {
    return new Ended(task, attempt, outcome, 1, "", again, ranMs, 0);
  }

  private List<Integer> next(QueueSettings settings) {
    Start start = state.next(settings);
    return start == null ? List.of() : List.of(start.task().number, start.gpu());
  }

  @Example
  void startsTheFirst_onTheEmptiestGpu_thePreferredOfEquals() {
    queue(0, null);
    queue(1, null);
    QueueSettings settings = settings(List.of(2, 0, 1), 2);
    assertThat(next(settings)).containsExactly(0, 2);
    start(0, 1, 2);
    assertThat(next(settings)).containsExactly(1, 0);
  }

  @Example
  void aTaskBoundToABusyGpu_holdsUpNobody() {
    queue(0, 0);
    queue(1, 0);
    queue(2, null);
    start(0, 1, 0);
    assertThat(next(settings(List.of(0, 1), 1))).containsExactly(2, 1);
  }

  @Example
  void withoutGpus_slotsAreCounted() {
    queue(0, null);
    queue(1, null);
    start(0, 1, QueueState.NO_GPU);
    assertThat(next(settings(List.of(), 1))).isEmpty();
    assertThat(next(settings(List.of(), 2))).containsExactly(1, QueueState.NO_GPU);
  }

  @Example
  void quickFailuresInARow_areCounted_untilOneIsSlowOrDone() {
    for (int task = 0; task < 4; task++) {
      queue(task, null);
    }
    start(0, 1, 0);
    state.apply(end(0, 1, Outcome.FAILED, false, 9_999));
    start(1, 1, 0);
    state.apply(end(1, 1, Outcome.FAILED, false, 0));
    assertThat(state.quickFailures(0)).isEqualTo(2);
    start(2, 1, 0);
    state.apply(end(2, 1, Outcome.FAILED, false, 10_000));
    assertThat(state.quickFailures(0)).isZero();
  }

  /** Random histories, each decision beside that of the naive twin. */
  @Property(tries = 10_000)
  void decidesAsItsNaiveTwin(@ForAll long seed) {
    var history = new History(new Random(seed));
    for (int step = 0; step < STEPS; step++) {
      history.step();
    }
  }

  /** One random history, told to the state and to its twin. */
  private static final class History {
    private final Random random;
    private final QueueState state = new QueueState();
    private final NaiveQueue naive = new NaiveQueue();
    private final QueueSettings settings;

    /** Tasks by number, and each task once more for each time that it was queued. */
    private final List<Task> tasks = new ArrayList<>();

    private final List<Task> order = new ArrayList<>();
    private final List<Task> running = new ArrayList<>();

    History(Random random) {
      this.random = random;
      List<List<Integer>> gpus = List.of(List.of(), List.of(0), List.of(1, 0), List.of(3, 0, 2, 1));
      this.settings = settings(gpus.get(random.nextInt(gpus.size())), 1 + random.nextInt(3));
    }

    void step() {
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> queueNew();
        case 3, 4 -> startNext();
        case 5, 6 -> endOne();
        default -> asideOrResumed();
      }
      Start start = state.next(settings);
      assertThat(start == null ? List.<Integer>of() : List.of(start.task().number, start.gpu()))
          .isEqualTo(naive.next(settings.slotIds(), settings.perGpu()));
    }

    private void queueNew() {
      boolean bound = !settings.gpus().isEmpty() && random.nextBoolean();
      var task = new Task(tasks.size(), bound ? Integer.valueOf(random.nextInt(5)) : null);
      tasks.add(task);
      queue(task);
    }

    private void queue(Task task) {
      state.apply(new Queued(task.number(), "t" + task.number(), "c", task.bound(), 0));
      naive.queue(task);
      order.add(task);
    }

    private void startNext() {
      Start start = state.next(settings);
      if (start != null) {
        Task task = tasks.get(start.task().number);
        state.apply(
            new Started(task.number(), start.task().attempt() + 1, start.gpu(), "", "", "", 0));
        naive.start(task, start.gpu());
        running.add(task);
      }
    }

    private void endOne() {
      if (running.isEmpty()) {
        return;
      }
      Task task = running.remove(random.nextInt(running.size()));
      int attempt = state.task(task.number()).attempt();
      switch (random.nextInt(3)) {
        case 0 -> {
          state.apply(end(task.number(), attempt, Outcome.WITHDRAWN, false, 0));
          naive.withdraw(task, order);
        }
        case 1 -> {
          state.apply(end(task.number(), attempt, Outcome.FAILED, true, 20_000));
          naive.end(task);
          naive.queue(task);
          order.add(task);
        }
        default -> {
          state.apply(end(task.number(), attempt, Outcome.DONE, false, 0));
          naive.end(task);
          if (random.nextBoolean()) {
            queue(task); // a person runs it again
          }
        }
      }
    }

    private void asideOrResumed() {
      if (random.nextBoolean() && !settings.gpus().isEmpty()) {
        int gpu = settings.gpus().get(random.nextInt(settings.gpus().size()));
        state.apply(new Aside(gpu, 0));
        naive.aside.add(gpu);
      } else {
        state.apply(new Resumed(0));
        naive.aside.clear();
      }
    }
  }
}
