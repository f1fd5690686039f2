package dev.sluice.producer.requests;

import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.value.JobId;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The SHA-256 of a list of requests, made when it is first asked for. Safe for threads. */
final class RequestDigest {
  private static final int AT_ONCE = 1 << 7;

  private final PackedRequests requests;
  private final List<String> ofKinds;
  private @Nullable String whole;

  RequestDigest(List<JobKind> kinds, PackedRequests requests) {
    this.requests = requests;
    ofKinds = kinds.stream().map(RequestDigest::line).toList();
  }

  /** What stands between the id and the intended time of each job of a kind. */
  private static String line(JobKind kind) {
    return String.join(
        "\t",
        "",
        kind.classType(),
        kind.workload(),
        kind.backend(),
        kind.precision(),
        Integer.toString(kind.samples()),
        Long.toString(kind.sloNs()),
        "");
  }

  /** Returns the digest, in hexadecimal. */
  synchronized String whole() {
    if (whole == null) {
      MessageDigest sha256 = Sha256.begin();
      var lines = new StringBuilder();
      for (int from = 0; from < requests.size(); from += AT_ONCE) {
        int to = Math.min(requests.size(), from + AT_ONCE);
        lines.setLength(0);
        for (int i = from; i < to; i++) {
          lines.append(JobId.PREFIX).append(i).append(ofKinds.get(requests.kind(i)));
          lines.append(requests.intendedAtNs(i)).append('\n');
        }
        sha256.update(lines.toString().getBytes(StandardCharsets.UTF_8));
      }
      whole = HexFormat.of().formatHex(sha256.digest());
    }
    return whole;
  }
}
