package dev.sluice.layers.schedule;

import dev.sluice.layers.schedule.LayerSchedule.Kind;
import dev.sluice.layers.schedule.LayerSchedule.Operation;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds what is wrong with a schedule before it runs. A list without faults runs to its end for any
 * number of steps, within its budget, however long its reads and computes take: bytes are taken and
 * given back in the list's order, so that no operation ever waits for memory.
 */
public final class ScheduleCheck {
  private final Layers layers;
  private final long budgetBytes;
  private final Set<Fault> faults = new LinkedHashSet<>();

  /** By layer, the operation that took it; null: the layer is not there. */
  private final @Nullable Operation[] taken;

  /** Layers that a fetch or a compute has waited for since they were taken. */
  private final boolean[] awaited;

  /** Layers that were computed since they were taken. */
  private final boolean[] used;

  private long residentBytes;

  /** Operations that take more than the budget has left, each once, in the list's order. */
  private final Set<Operation> overBudget = new LinkedHashSet<>();

  /** Number of other faults before the first of these, and the bytes there and at the worst. */
  private int faultsBefore;

  private long overBytes;
  private long overBytesMax;

  private ScheduleCheck(Layers layers, long budgetBytes) {
    this.layers = layers;
    this.budgetBytes = budgetBytes;
    this.taken = new Operation[layers.count()];
    this.awaited = new boolean[layers.count()];
    this.used = new boolean[layers.count()];
  }

  /** Returns all faults in the list's order; none: the schedule can run within the budget. */
  public static List<Fault> faults(LayerSchedule schedule, Layers layers, long budgetBytes) {
    var check = new ScheduleCheck(layers, budgetBytes);
    check.budgetHoldsEachLayer();
    for (Operation operation : schedule.first()) {
      if (operation.kind() == Kind.COMPUTE) {
        check.fault(
            operation,
            "a compute of (%s) stands before the first step",
            "computes belong to the steps");
      } else {
        check.apply(operation);
      }
    }
    boolean[] before = check.there();
    check.computesInOrder(schedule.step());
    schedule.step().forEach(check::apply);
    if (check.endsAsItBegan(schedule, before)) {
      schedule.step().forEach(check::apply); // a later step finds what the first one left
    }
    List<Fault> all = new ArrayList<>(check.faults);
    check.overBudget().ifPresent(over -> all.add(check.faultsBefore, over));
    return List.copyOf(all);
  }

  private boolean[] there() {
    var there = new boolean[taken.length];
    for (int layer = 0; layer < there.length; layer++) {
      there[layer] = taken[layer] != null;
    }
    return there;
  }

  private void budgetHoldsEachLayer() {
    long largest = layers.largestBytes();
    if (largest > budgetBytes) {
      faults.add(
          new Fault(
              0,
              "the budget (%s) is smaller than layer (%s), which takes %s"
                  .formatted(
                      bytes(budgetBytes),
                      layers.names().get(layers.bytes().indexOf(largest)),
                      bytes(largest)),
              "the budget should be at least " + bytes(largest)));
    }
  }

  private void computesInOrder(List<Operation> step) {
    int use = 0;
    for (Operation operation : step) {
      if (operation.kind() != Kind.COMPUTE) {
        continue;
      }
      if (use == layers.uses()) {
        fault(
            operation,
            "a compute of (%s) stands behind the last one of the step",
            "it is one too many");
        return;
      }
      if (operation.layer() != layers.layer(use)) {
        fault(
            operation,
            "a compute of (%s) stands where " + words(use) + " is due",
            layers.training()
                ? "a step computes all layers forward, then all backward in reverse order"
                : "a step computes all layers in the model's order");
        return;
      }
      use++;
    }
    if (use < layers.uses()) {
      faults.add(
          new Fault(
              lastLine(step),
              "the step ends without " + words(use),
              layers.training()
                  ? "the second compute of each layer, in reverse order, is its backward"
                  : "each layer needs one compute"));
    }
  }

  private String words(int use) {
    return (layers.training()
            ? use < layers.count() ? "the forward of (" : "the backward of ("
            : "(")
        + layers.names().get(layers.layer(use))
        + ")";
  }

  private void apply(Operation operation) {
    switch (operation.kind()) {
      case FETCH -> fetch(operation);
      case PREFETCH -> {
        if (taken[operation.layer()] == null) {
          take(operation);
        } else {
          twice(operation);
        }
      }
      case COMPUTE -> {
        if (taken[operation.layer()] == null) {
          fault(
              operation,
              "a compute of (%s) stands where the layer is not there",
              "a fetch of it should stand before");
        } else {
          awaited[operation.layer()] = true;
          used[operation.layer()] = true;
        }
      }
      case RELEASE -> release(operation);
    }
  }

  private void fetch(Operation operation) {
    int layer = operation.layer();
    if (taken[layer] == null) {
      take(operation);
    } else if (awaited[layer]) {
      twice(operation);
    }
    awaited[layer] = true;
  }

  private void twice(Operation operation) {
    fault(
        operation,
        "a "
            + operation.kind().text()
            + " of (%s) stands where the layer is there already"
            + since(taken[operation.layer()]),
        "one of the two is too many, or a release is missing between them");
  }

  private void take(Operation operation) {
    int layer = operation.layer();
    taken[layer] = operation;
    awaited[layer] = false;
    used[layer] = false;
    residentBytes += layers.bytes().get(layer);
    if (residentBytes > budgetBytes) {
      if (overBudget.isEmpty()) {
        faultsBefore = faults.size();
        overBytes = residentBytes;
      }
      overBudget.add(operation);
      overBytesMax = Math.max(overBytesMax, residentBytes);
    }
  }

  /** All that is over the budget is one fault, at the first entry: a list too large often is. */
  private Optional<Fault> overBudget() {
    return overBudget.stream()
        .findFirst()
        .map(
            first ->
                new Fault(
                    first.line(),
                    "with (%s) there are %s, %s over the budget (%s)%s"
                        .formatted(
                            layers.names().get(first.layer()),
                            bytes(overBytes),
                            bytes(overBytes - budgetBytes),
                            bytes(budgetBytes),
                            moreOverBudget()),
                    "another layer should be released before"));
  }

  private String moreOverBudget() {
    int more = overBudget.size() - 1;
    return more == 0
        ? ""
        : "; %d more %s over it, by %s at most"
            .formatted(
                more, more == 1 ? "entry is" : "entries are", bytes(overBytesMax - budgetBytes));
  }

  private void release(Operation operation) {
    int layer = operation.layer();
    Operation by = taken[layer];
    if (by == null) {
      fault(
          operation,
          "a release of (%s) stands where the layer is not there",
          "it was released before, or never fetched");
      return;
    }
    if (!used[layer]) {
      if (by.kind() == Kind.PREFETCH && !awaited[layer]) {
        fault(by, "(%s) is prefetched and never used", "its release stands too early");
      } else {
        fault(
            operation,
            "a release of (%s) stands before the layer is computed" + since(by),
            "it should stand behind the compute");
      }
    }
    taken[layer] = null;
    residentBytes -= layers.bytes().get(layer);
  }

  private boolean endsAsItBegan(LayerSchedule schedule, boolean[] before) {
    boolean[] after = there();
    List<String> more = new ArrayList<>();
    List<String> fewer = new ArrayList<>();
    for (int layer = 0; layer < layers.count(); layer++) {
      if (after[layer] && !before[layer]) {
        more.add(layers.names().get(layer));
      } else if (before[layer] && !after[layer]) {
        fewer.add(layers.names().get(layer));
      }
    }
    if (more.isEmpty() && fewer.isEmpty()) {
      return true;
    }
    String what =
        more.isEmpty()
            ? "the step ends without (" + String.join(", ", fewer) + "), which it begins with"
            : "the step ends with ("
                + String.join(", ", more)
                + "), which it begins without"
                + (fewer.isEmpty() ? "" : ", and without (" + String.join(", ", fewer) + ")");
    faults.add(
        new Fault(
            lastLine(schedule.step()),
            what,
            "a step should leave what the next one finds: release, or fetch under first"));
    return false;
  }

  private static int lastLine(List<Operation> step) {
    return step.isEmpty() ? 0 : step.get(step.size() - 1).line();
  }

  private static String since(Operation by) {
    return by.line() == 0 ? "" : " (" + by.kind().text() + " in line " + by.line() + ")";
  }

  /** Notes a fault, with the layer's name in place of %s. */
  private void fault(Operation operation, String what, String maybe) {
    faults.add(
        new Fault(
            operation.line(), what.replace("%s", layers.names().get(operation.layer())), maybe));
  }

  private static String bytes(long bytes) {
    return String.format(Locale.ROOT, "%,d B", bytes);
  }

  /**
   * A rule that a schedule breaks.
   *
   * @param line line of the operation that breaks it; 0: no line of a file
   * @param what what is wrong, as a clause
   * @param maybe what to try, as a clause
   */
  public record Fault(int line, String what, String maybe) {}
}
