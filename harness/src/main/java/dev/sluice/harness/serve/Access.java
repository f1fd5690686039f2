package dev.sluice.harness.serve;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Who may read: a browser that asked for this server by a loopback name, by the address that it
 * reached, or by a name that the user allowed. A page of another site, whose name was made to point
 * here, sends its own name and is refused.
 */
final class Access {
  private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

  /** Nothing from elsewhere, no inline code, in no other page's frame. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
          + " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private final Set<String> names = new HashSet<>(Set.of("localhost"));

  Access(@Nullable String bind, List<String> allowedHosts) {
    names.addAll(allowedHosts);
    if (bind != null) {
      names.add(bind.toLowerCase(Locale.ROOT));
    }
  }

  /** Sets the headers of every answer. */
  static void protect(HttpFields.Mutable headers) {
    headers.put("Content-Security-Policy", POLICY);
    headers.put("X-Content-Type-Options", "nosniff");
    headers.put("Referrer-Policy", "no-referrer");
    headers.put("Cross-Origin-Resource-Policy", "same-origin");
    headers.put("Cross-Origin-Opener-Policy", "same-origin");
    headers.put(HttpHeader.CACHE_CONTROL, "no-store");
  }

  /** True if the request's host is one of those for which this server answers. */
  boolean allows(Request request) {
    String host = request.getHttpURI().getHost();
    return host != null
        && request.getHeaders().contains(HttpHeader.HOST)
        && allows(host, request.getConnectionMetaData().getLocalSocketAddress());
  }

  private boolean allows(String host, SocketAddress reached) {
    String name = host.toLowerCase(Locale.ROOT);
    if (names.contains(name)) {
      return true;
    }
    boolean ipv6 = name.startsWith("[") && name.endsWith("]");
    if (!ipv6 && !IPV4.matcher(name).matches()) {
      return false;
    }
    try {
      InetAddress address =
          InetAddress.getByName(ipv6 ? name.substring(1, name.length() - 1) : name);
      return address.isLoopbackAddress()
          || (reached instanceof InetSocketAddress local && address.equals(local.getAddress()));
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
