package dev.sluice.cli;

import dev.sluice.harness.serve.MetricsAddress;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say where a process answers Prometheus. */
public final class MetricsOptions {
  @Option(
      names = "--metrics-port",
      paramLabel = "N",
      description =
          "Port that answers GET /metrics, for Prometheus (default: none; 0: any free port).")
  private @Nullable Integer port;

  @Option(
      names = "--metrics-bind",
      paramLabel = "ADDRESS",
      description = "Address to answer at (default: loopback; 0.0.0.0: all).")
  private @Nullable String bind;

  /** The address, not checked yet. */
  public MetricsAddress address() {
    return new MetricsAddress(port, bind);
  }
}
