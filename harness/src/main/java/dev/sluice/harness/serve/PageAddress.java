package dev.sluice.harness.serve;

import dev.sluice.contract.file.UserMistakeException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where the page is served, and to whom.
 *
 * @param bind address of an interface; null: loopback
 * @param allowedHosts names under which browsers may ask for the page, beside loopback and the
 *     bound address
 * @param pagesMax most streams at a time
 */
public record PageAddress(
    int port, @Nullable String bind, List<String> allowedHosts, int pagesMax) {
  public static final int PORT = 8642;
  public static final int PAGES_MAX = 100;
  private static final int PORT_MAX = 65_535;
  private static final int PAGES_LIMIT = 10_000;

  public static final PageAddress USUAL = new PageAddress(PORT, null, List.of(), PAGES_MAX);

  public PageAddress {
    allowedHosts = allowedHosts.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
  }

  InetAddress check() throws UserMistakeException {
    if (port < 0 || port > PORT_MAX) {
      throw new UserMistakeException(
          "--port",
          "there is no such port (" + port + ")",
          "you want a port from 1024 to " + PORT_MAX + ", or 0 for any free one");
    }
    if (pagesMax < 1 || pagesMax > PAGES_LIMIT) {
      throw new UserMistakeException(
          "--max-pages",
          "the value (" + pagesMax + ") must be between 1 and " + PAGES_LIMIT,
          "--max-pages " + PAGES_MAX + " will do");
    }
    return toListenOn(bind, "--bind", "the address (" + bind + ") is not known");
  }

  /** The address that an option names, or loopback; what is said of it if it is not known. */
  static InetAddress toListenOn(@Nullable String bind, String option, String unknown)
      throws UserMistakeException {
    if (bind == null) {
      return InetAddress.getLoopbackAddress();
    }
    try {
      return InetAddress.getByName(bind);
    } catch (UnknownHostException e) {
      throw new UserMistakeException(
          option, unknown, "you want an address of this machine, or 0.0.0.0 for all of them", e);
    }
  }
}
