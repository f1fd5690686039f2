package dev.sluice.layers.demo;

import dev.sluice.contract.time.Pacer;
import java.util.function.LongSupplier;

/**
 * A layer that logs, waits and returns its input.
 *
 * @param fetchNs time that reading its parameters takes
 * @param forwardNs time that its forward takes
 * @param backwardNs time that its backward takes
 */
record ToyLayer(String name, long fetchNs, long forwardNs, long backwardNs) {
  /** Clock and wait of the toys. */
  record Time(LongSupplier monotonicNs, Pacer pacer) {
    void pass(long ns) throws InterruptedException {
      pacer.awaitNs(monotonicNs.getAsLong() + ns);
    }
  }

  double forward(double x, DemoLog log, Time time) throws InterruptedException {
    DemoLog.Row row = log.begin("compute " + name);
    time.pass(forwardNs);
    log.end(row);
    return x;
  }

  double backward(double gradient, DemoLog log, Time time) throws InterruptedException {
    DemoLog.Row row = log.begin("compute " + name);
    time.pass(backwardNs);
    log.end(row);
    return gradient;
  }
}
