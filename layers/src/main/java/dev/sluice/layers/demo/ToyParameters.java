package dev.sluice.layers.demo;

import dev.sluice.layers.schedule.ScheduleWalk.LayerOperations;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The toys' parameters: reading a layer is a wait on the reader's thread, one layer after the
 * other, as a disk reads.
 */
final class ToyParameters implements LayerOperations, AutoCloseable {
  private final List<ToyLayer> layers;
  private final DemoLog log;
  private final ToyLayer.Time time;
  private final ExecutorService reader = Executors.newSingleThreadExecutor();

  /** Readings that were asked for, by layer, until the layer is released. */
  private final Map<Integer, Future<?>> readings = new HashMap<>();

  ToyParameters(List<ToyLayer> layers, DemoLog log, ToyLayer.Time time) {
    this.layers = layers;
    this.log = log;
    this.time = time;
  }

  @Override
  public void fetch(int layer) {
    DemoLog.Row row = log.begin("fetch " + layers.get(layer).name());
    Future<?> reading =
        readings.computeIfAbsent(
            layer, absent -> reader.submit(() -> pass(layers.get(layer).fetchNs())));
    await(reading);
    log.end(row);
  }

  /** Waits until the reader's thread has begun and reads nothing. */
  void awaitReader() {
    await(reader.submit(() -> pass(0)));
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
    DemoLog.Row row = log.begin("prefetch " + layers.get(layer).name());
    readings.put(
        layer,
        reader.submit(
            () -> {
              log.restart(row);
              pass(layers.get(layer).fetchNs());
              log.end(row);
            }));
  }

  private void pass(long ns) {
    try {
      time.pass(ns);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void release(int layer) {
    readings.remove(layer);
    log.end(log.begin("release " + layers.get(layer).name()));
  }

  @Override
  public void close() {
    reader.shutdownNow();
  }
}
