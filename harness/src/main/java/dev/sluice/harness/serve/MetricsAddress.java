package dev.sluice.harness.serve;

import dev.sluice.contract.file.UserMistakeException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Address where a process serves its meters; without a port nothing is served.
 *
 * @param port 0: any free port
 * @param bind host name or address to listen on; null: loopback, which only this machine reaches
 */
public record MetricsAddress(@Nullable Integer port, @Nullable String bind) {
  public static final MetricsAddress NOWHERE = new MetricsAddress(null, null);

  static final String PORT_OPTION = "--metrics-port";
  private static final String BIND_OPTION = "--metrics-bind";
  private static final int PORT_MAX = 65_535;

  public InetAddress check() throws UserMistakeException {
    if (port == null && bind != null) {
      throw new UserMistakeException(
          BIND_OPTION,
          "nothing is served at (" + bind + ") without a port",
          "you want " + PORT_OPTION + " too, such as " + PORT_OPTION + " 9464");
    }
    if (port != null && (port < 0 || port > PORT_MAX)) {
      throw new UserMistakeException(
          PORT_OPTION,
          "there is no such port (" + port + ")",
          "you want a port from 1 to " + PORT_MAX + ", or 0 for any free one");
    }
    return PageAddress.toListenOn(bind, BIND_OPTION, "there is no such address (" + bind + ")");
  }

  public List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    if (port != null) {
      arguments.addAll(List.of(PORT_OPTION, port.toString()));
    }
    if (bind != null) {
      arguments.addAll(List.of(BIND_OPTION, bind));
    }
    return arguments;
  }

  /** The address of another process beside this one, that many ports further on. */
  public MetricsAddress plus(int ports) {
    return new MetricsAddress(port == null ? null : port + ports, bind);
  }
}
