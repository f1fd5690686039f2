package dev.sluice.executor.network;

import java.io.IOException;
import java.io.OutputStream;
import java.util.function.LongConsumer;

/**
 * Writes a network's float32 weights as safetensors, in the order of the operations: the weights of
 * consecutive layers are one piece of the file.
 */
public final class WeightsFile {
  private WeightsFile() {}

  /**
   * Writes the file; closes {@code out}.
   *
   * @param bytesWritten receives the number of bytes of each weight once they are written
   */
  public static void write(NetworkPart network, OutputStream out, LongConsumer bytesWritten)
      throws IOException {
    try (out) {
      out.write(SafetensorsHeader.write(network.tensors()));
      for (Weight weight : network.weights()) {
        out.write(Precision.FP32.littleEndian(weight.values(network.workload())));
        bytesWritten.accept(Precision.FP32.bytes(weight));
      }
    }
  }
}
