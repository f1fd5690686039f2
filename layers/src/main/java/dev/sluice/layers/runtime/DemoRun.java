package dev.sluice.layers.runtime;

import dev.sluice.analytics.report.TextTable;
import dev.sluice.contract.log.Pacer;
import dev.sluice.harness.machine.Console;
import dev.sluice.layers.schedule.Hooks;
import dev.sluice.layers.schedule.Hooks.Hook;
import dev.sluice.layers.schedule.LayerSchedule;
import dev.sluice.layers.schedule.Layers;
import dev.sluice.layers.schedule.ScheduleWalk;
import dev.sluice.layers.schedule.ScheduleWalk.LayerOperations;
import dev.sluice.layers.schedule.Schedules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;

/** {@code layers demo}: one training step of a toy model, without prefetching and with it. */
public final class DemoRun {
  private static final double NS_PER_MS = 1e6;
  private static final List<String> LAYERS = List.of("L1", "L2", "L3");
  private static final int FETCH_UNITS = 4;
  private static final int FORWARD_UNITS = 5;
  private static final int BACKWARD_UNITS = 8;

  private final Console console;
  private final LongSupplier monotonicNs;
  private final Pacer pacer;
  private final long unitNs;

  /**
   * @param unitNs length of all waits: a fetch takes 4 of these, a forward 5, a backward 8
   */
  public DemoRun(Console console, LongSupplier monotonicNs, Pacer pacer, long unitNs) {
    this.console = console;
    this.monotonicNs = monotonicNs;
    this.pacer = pacer;
    this.unitNs = unitNs;
  }

  public void execute() throws InterruptedException {
    var all = new Layers(LAYERS, LAYERS.stream().map(layer -> 1L).toList(), true);
    console.line(
        "A toy model of %d layers that wait and return x: one training step, twice."
            .formatted(LAYERS.size()));
    console.line("");
    pass(0); // classes are loaded before anything counts
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

  /** Trains one step: a hook at each border of a layer, and between two hooks a wait. */
  private DemoLog step(LayerSchedule schedule) throws InterruptedException {
    try (var parameters = new ToyParameters()) {
      DemoLog log = parameters.log;
      var walk = new ScheduleWalk(schedule, LAYERS, parameters);
      fire(walk, log, Hook.STEP_START, Hooks.NO_LAYER);
      for (int layer = 0; layer < LAYERS.size(); layer++) {
        fire(walk, log, Hook.PRE_FORWARD, layer);
        compute(layer, FORWARD_UNITS, log);
        fire(walk, log, Hook.POST_FORWARD, layer);
      }
      for (int layer = LAYERS.size() - 1; layer >= 0; layer--) {
        fire(walk, log, Hook.PRE_BACKWARD, layer);
        compute(layer, BACKWARD_UNITS, log);
        fire(walk, log, Hook.POST_BACKWARD, layer);
      }
      fire(walk, log, Hook.STEP_END, Hooks.NO_LAYER);
      return log;
    }
  }

  private static void fire(ScheduleWalk walk, DemoLog log, Hook hook, int layer) {
    log.add(hook + (layer == Hooks.NO_LAYER ? "" : " " + LAYERS.get(layer)), "");
    walk.on(hook, layer);
  }

  private void compute(int layer, int units, DemoLog log) throws InterruptedException {
    DemoLog.Row row = log.add("", "compute " + LAYERS.get(layer));
    pass(units);
    log.end(row);
  }

  private void pass(int units) throws InterruptedException {
    pacer.awaitNs(monotonicNs.getAsLong() + units * unitNs);
  }

  /**
   * The toys' parameters: reading a layer is a wait on the reader's thread, one layer after the
   * other, as a disk reads.
   */
  private final class ToyParameters implements LayerOperations, AutoCloseable {
    private final ExecutorService reader = Executors.newSingleThreadExecutor();
    private final DemoLog log;

    /** Readings that were asked for, by layer, until the layer is released. */
    private final Map<Integer, Future<?>> readings = new HashMap<>();

    /** Waits until the reader's thread has begun and reads nothing; then the step's time begins. */
    ToyParameters() {
      await(reader.submit(() -> read(0)));
      log = new DemoLog();
    }

    @Override
    public void fetch(int layer) {
      DemoLog.Row row = log.add("", "fetch " + LAYERS.get(layer));
      await(readings.computeIfAbsent(layer, absent -> reader.submit(() -> read(FETCH_UNITS))));
      log.end(row);
    }

    private static void await(Future<?> reading) {
      try {
        reading.get();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (ExecutionException e) {
        throw new IllegalStateException("a wait failed", e);
      }
    }

    @Override
    public void prefetch(int layer) {
      DemoLog.Row row = log.add("", "prefetch " + LAYERS.get(layer));
      readings.put(
          layer,
          reader.submit(
              () -> {
                log.restart(row);
                read(FETCH_UNITS);
                log.end(row);
              }));
    }

    private void read(int units) {
      try {
        pass(units);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void release(int layer) {
      readings.remove(layer);
      log.end(log.add("", "release " + LAYERS.get(layer)));
    }

    @Override
    public void close() {
      reader.shutdownNow();
    }
  }

  /**
   * What happened in one step, in the order of the loop's thread: hooks, and below each what it led
   * to. A prefetch's row has the times of its reading, which another thread ends later. Safe for
   * threads.
   */
  private final class DemoLog {
    private static final TextTable TABLE = new TextTable("  %-21s %-12s %8s %8s  %s");
    private static final int BAR_WIDTH = 48;

    private final long originNs = monotonicNs.getAsLong();
    private final List<Row> rows = new ArrayList<>();

    /** A row; times are ns since the step began. */
    private static final class Row {
      final String hook;
      final String operation;
      long startNs;
      long endNs;

      Row(String hook, String operation, long startNs) {
        this.hook = hook;
        this.operation = operation;
        this.startNs = startNs;
        this.endNs = startNs;
      }
    }

    private long nowNs() {
      return monotonicNs.getAsLong() - originNs;
    }

    /** Adds a hook that fires or an operation that begins; the other text is empty. */
    synchronized Row add(String hook, String operation) {
      var row = new Row(hook, operation, nowNs());
      rows.add(row);
      return row;
    }

    /** An operation that was asked for before begins now. */
    synchronized void restart(Row row) {
      row.startNs = nowNs();
      row.endNs = row.startNs;
    }

    synchronized void end(Row row) {
      row.endNs = nowNs();
    }

    /** Time at which the last row ended. */
    synchronized long lastNs() {
      return rows.stream().mapToLong(row -> row.endNs).max().orElse(0);
    }

    /**
     * The rows as text, with a bar from start to end for each operation that took time.
     *
     * @param widthNs time that the widest bar stands for
     */
    synchronized List<String> lines(long widthNs) {
      List<String> lines = new ArrayList<>();
      lines.add(TABLE.row("hook", "operation", "start ms", "end ms", ""));
      for (Row row : rows) {
        if (row.operation.isEmpty()) {
          lines.add(TABLE.row(row.hook, "", ms(row.startNs), "", ""));
        } else {
          int from = column(row.startNs, widthNs);
          int to = column(row.endNs, widthNs);
          lines.add(
              TABLE.row(
                  "",
                  row.operation,
                  ms(row.startNs),
                  ms(row.endNs),
                  " ".repeat(from) + "#".repeat(to - from)));
        }
      }
      return lines;
    }

    private static int column(long ns, long widthNs) {
      return (int) Math.min(BAR_WIDTH, Math.round((double) ns * BAR_WIDTH / Math.max(1, widthNs)));
    }

    private static String ms(long ns) {
      return String.format(Locale.ROOT, "%.1f", ns / NS_PER_MS);
    }
  }
}
