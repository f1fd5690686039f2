package dev.sluice.layers.parameters;

import dev.sluice.contract.time.Pacer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/**
 * Emulates a slower disk or link: each read takes at least its bytes over the bandwidth, during
 * which the processor is free.
 */
public final class PacedParameters implements ParameterSource {
  private static final double NS_PER_SECOND = 1e9;

  private final ParameterSource source;
  private final long bytesPerSecond;
  private final LongSupplier monotonicNs;
  private final Pacer pacer;

  /**
   * @param source source that is read, and closed with this
   * @param bytesPerSecond bandwidth, at least 1
   * @param monotonicNs clock of {@code pacer}
   */
  public PacedParameters(
      ParameterSource source, long bytesPerSecond, LongSupplier monotonicNs, Pacer pacer) {
    if (bytesPerSecond < 1) {
      throw new IllegalArgumentException("bytesPerSecond (" + bytesPerSecond + ") is below 1");
    }
    this.source = source;
    this.bytesPerSecond = bytesPerSecond;
    this.monotonicNs = monotonicNs;
    this.pacer = pacer;
  }

  @Override
  public long bytes(int layer) {
    return source.bytes(layer);
  }

  @Override
  public void read(int layer, ByteBuffer into) throws IOException {
    long startNs = monotonicNs.getAsLong();
    source.read(layer, into);
    try {
      pacer.awaitNs(startNs + Math.round(NS_PER_SECOND * source.bytes(layer) / bytesPerSecond));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      var interrupted = new InterruptedIOException("the reading was ended");
      interrupted.initCause(e);
      throw interrupted;
    }
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
