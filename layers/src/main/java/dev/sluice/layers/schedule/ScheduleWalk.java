package dev.sluice.layers.schedule;

import dev.sluice.layers.schedule.LayerSchedule.Kind;
import dev.sluice.layers.schedule.LayerSchedule.Operation;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Walks a schedule's list as the hooks of a loop fire. A hook before a compute runs the list up to
 * the next compute, which must be of the hook's layer; a hook behind it runs the releases and
 * prefetches that follow, up to the next fetch or compute. The end of a step runs what is left. A
 * layer that was only prefetched is fetched before it is computed, so that its compute waits. So a
 * layer that stays needs no fetch in the steps, and the first step computes while later layers are
 * still read. A hook that the list does not have there throws an {@link IllegalStateException}.
 *
 * <p>Not safe for several threads: a loop fires its hooks one after the other.
 */
public final class ScheduleWalk implements Hooks {
  private final LayerSchedule schedule;
  private final List<String> names;
  private final LayerOperations operations;
  private final BooleanSupplier stopped;

  /** Layers that were asked for, and that nobody has waited for. */
  private final boolean[] pending;

  /** Layers whose first compute of the step is done. */
  private final boolean[] computed;

  private boolean began;
  private int next;

  /** Layer between its hooks; -1: none. */
  private int computing = -1;

  /** A walk that nobody stops. */
  public ScheduleWalk(LayerSchedule schedule, List<String> names, LayerOperations operations) {
    this(schedule, names, operations, () -> false);
  }

  /**
   * @param names names of the layers, for messages
   * @param stopped asked behind each layer: true ends the loop there
   */
  public ScheduleWalk(
      LayerSchedule schedule,
      List<String> names,
      LayerOperations operations,
      BooleanSupplier stopped) {
    this.schedule = schedule;
    this.names = List.copyOf(names);
    this.operations = operations;
    this.stopped = stopped;
    this.pending = new boolean[names.size()];
    this.computed = new boolean[names.size()];
    this.next = schedule.step().size();
  }

  /**
   * Runs the part of the list that belongs to the hook; the first step's begin also runs what
   * stands before all steps.
   *
   * @throws IllegalStateException if the list does not have the hook there
   */
  @Override
  public void on(Hook hook, int layer) {
    switch (hook) {
      case STEP_START -> {
        expectNoCompute(hook);
        if (!began) {
          began = true;
          schedule.first().forEach(this::run);
        }
        Arrays.fill(computed, false);
        next = 0;
      }
      case PRE_FORWARD, PRE_BACKWARD -> runUntilCompute(hook, layer);
      case POST_FORWARD, POST_BACKWARD -> runAfterCompute(hook, layer);
      case STEP_END -> {
        expectNoCompute(hook);
        while (next < schedule.step().size()) {
          run(schedule.step().get(next++));
        }
      }
    }
  }

  private void runUntilCompute(Hook hook, int layer) {
    if (computing >= 0) {
      throw new IllegalStateException(
          "%s of %s came before %s was over"
              .formatted(hook, names.get(layer), names.get(computing)));
    }
    Operation compute = nextCompute();
    if (compute == null) {
      throw new IllegalStateException(
          "%s came for %s, and the list has no compute left".formatted(hook, names.get(layer)));
    }
    if (compute.layer() != layer || computed[layer] != (hook == Hook.PRE_BACKWARD)) {
      throw new IllegalStateException(
          "%s came for %s, and the list's next is %s"
              .formatted(hook, names.get(layer), words(compute)));
    }
    while (schedule.step().get(next).kind() != Kind.COMPUTE) {
      run(schedule.step().get(next++));
    }
    next++;
    computing = layer;
    if (pending[layer]) {
      run(new Operation(Kind.FETCH, layer, compute.line()));
    }
    run(compute);
  }

  private void runAfterCompute(Hook hook, int layer) {
    if (computing != layer) {
      throw new IllegalStateException(
          computing < 0
              ? "%s came for %s, and no layer was computed".formatted(hook, names.get(layer))
              : "%s came for %s, and the list's last compute is of %s%s"
                  .formatted(
                      hook,
                      names.get(layer),
                      names.get(computing),
                      lineOf(schedule.step().get(next - 1))));
    }
    computing = -1;
    computed[layer] = true;
    while (next < schedule.step().size() && neverWaits(schedule.step().get(next))) {
      run(schedule.step().get(next++));
    }
    if (stopped.getAsBoolean()) {
      throw new StoppedAtLayerException();
    }
  }

  private static boolean neverWaits(Operation operation) {
    return operation.kind() == Kind.RELEASE || operation.kind() == Kind.PREFETCH;
  }

  private void expectNoCompute(Hook hook) {
    if (computing >= 0) {
      throw new IllegalStateException(
          "%s came before %s was over".formatted(hook, names.get(computing)));
    }
    Operation compute = nextCompute();
    if (compute != null) {
      throw new IllegalStateException(
          "%s came, and the list's next is %s".formatted(hook, words(compute)));
    }
  }

  private @Nullable Operation nextCompute() {
    for (int i = next; i < schedule.step().size(); i++) {
      if (schedule.step().get(i).kind() == Kind.COMPUTE) {
        return schedule.step().get(i);
      }
    }
    return null;
  }

  private String words(Operation compute) {
    return "the %s compute of %s%s"
        .formatted(
            computed[compute.layer()] ? "second" : "first",
            names.get(compute.layer()),
            lineOf(compute));
  }

  private static String lineOf(Operation operation) {
    return operation.line() == 0 ? "" : " (line " + operation.line() + ")";
  }

  private void run(Operation operation) {
    int layer = operation.layer();
    pending[layer] = operation.kind() == Kind.PREFETCH;
    switch (operation.kind()) {
      case FETCH -> operations.fetch(layer);
      case PREFETCH -> operations.prefetch(layer);
      case COMPUTE -> operations.compute(layer);
      case RELEASE -> operations.release(layer);
    }
  }

  /** Ends a run after the layer that was computed, because a person asked. */
  public static final class StoppedAtLayerException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /**
   * What a {@link ScheduleWalk} does with layers; each is called with the layer's index, from 0.
   */
  public interface LayerOperations {
    /** Waits until the layer is there, and reads it if no prefetch has asked for it. */
    void fetch(int layer);

    /** Asks for the layer and does not wait. */
    void prefetch(int layer);

    /** Says that the layer is computed next; the loop that fires the hooks computes it. */
    default void compute(int layer) {}

    /** Frees the layer. */
    void release(int layer);
  }
}
