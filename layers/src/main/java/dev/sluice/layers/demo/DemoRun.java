package dev.sluice.layers.demo;

import dev.sluice.contract.time.Pacer;
import dev.sluice.harness.terminal.Console;
import dev.sluice.layers.schedule.LayerSchedule;
import dev.sluice.layers.schedule.Layers;
import dev.sluice.layers.schedule.ScheduleWalk;
import dev.sluice.layers.schedule.Schedules;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/** {@code layers demo}: one training step of a toy model, without prefetching and with it. */
public final class DemoRun {
  private static final double NS_PER_MS = 1e6;
  private static final int LAYERS = 3;
  private static final int FETCH_UNITS = 4;
  private static final int FORWARD_UNITS = 5;
  private static final int BACKWARD_UNITS = 8;

  private final Console console;
  private final ToyLayer.Time time;
  private final List<ToyLayer> layers;

  /**
   * @param unitNs length of all waits: a fetch takes 4 of these, a forward 5, a backward 8
   */
  public DemoRun(Console console, LongSupplier monotonicNs, Pacer pacer, long unitNs) {
    this.console = console;
    this.time = new ToyLayer.Time(monotonicNs, pacer);
    this.layers =
        IntStream.rangeClosed(1, LAYERS)
            .mapToObj(
                number ->
                    new ToyLayer(
                        "L" + number,
                        FETCH_UNITS * unitNs,
                        FORWARD_UNITS * unitNs,
                        BACKWARD_UNITS * unitNs))
            .toList();
  }

  /** Runs and prints both. */
  public void execute() throws InterruptedException {
    var all =
        new Layers(
            layers.stream().map(ToyLayer::name).toList(),
            layers.stream().map(layer -> 1L).toList(),
            true);
    console.line(
        "A toy model of %d layers that wait and return x: one training step, twice."
            .formatted(LAYERS));
    console.line("");
    time.pass(0); // classes are loaded before anything counts
    console.line("Without prefetching, a layer is fetched when it is needed.");
    DemoLog onDemand = step(Schedules.onDemand(all));
    console.line("");
    onDemand.lines(onDemand.lastNs()).forEach(console::line);
    console.line("");
    console.line("With prefetching, the next layer is fetched while this one is computed.");
    DemoLog prefetched = step(Schedules.prefetch(all, 1));
    console.line("");
    prefetched.lines(onDemand.lastNs()).forEach(console::line);
    console.line("");
    console.line(
        String.format(
            Locale.ROOT,
            "Without prefetching %.1f ms, with prefetching %.1f ms.",
            onDemand.lastNs() / NS_PER_MS,
            prefetched.lastNs() / NS_PER_MS));
  }

  private DemoLog step(LayerSchedule schedule) throws InterruptedException {
    var log = new DemoLog(time.monotonicNs());
    try (var parameters = new ToyParameters(layers, log, time)) {
      parameters.awaitReader();
      log.restart();
      var names = layers.stream().map(ToyLayer::name).toList();
      var walk = new ScheduleWalk(schedule, names, parameters);
      new ToyTraining(layers, walk, log, time).trainOneStep(1);
    }
    return log;
  }
}
