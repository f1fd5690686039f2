package dev.sluice.cli;

import dev.sluice.harness.serve.PageAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say where the page is served, and to whom. */
public final class PageOptions {
  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Port of the page (default: " + PageAddress.PORT + "; 0: any free port).")
  private int port = PageAddress.PORT;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description = "Address to answer at (default: loopback; 0.0.0.0: all).")
  private @Nullable String bind;

  @Option(
      names = "--allow-host",
      paramLabel = "NAME",
      description =
          "A name under which browsers may ask for the page, beside localhost and the address"
              + " itself; may be repeated.")
  private List<String> allowedHosts = new ArrayList<>();

  @Option(
      names = "--max-pages",
      paramLabel = "N",
      description = "Most pages that stream at a time (default: " + PageAddress.PAGES_MAX + ").")
  private int pagesMax = PageAddress.PAGES_MAX;

  boolean isGiven() {
    return port != PageAddress.PORT
        || bind != null
        || !allowedHosts.isEmpty()
        || pagesMax != PageAddress.PAGES_MAX;
  }

  /** The address, not checked yet. */
  public PageAddress address() {
    return new PageAddress(port, bind, allowedHosts, pagesMax);
  }
}
