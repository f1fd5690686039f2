package dev.sluice.producer.requests;

import dev.sluice.contract.codec.JsonOutput;
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

  /** Bytes of one line, about: a longer one only makes the buffer grow. */
  private static final int LINE = 100;

  private static final byte[] PREFIX = JobId.PREFIX.getBytes(StandardCharsets.UTF_8);

  private final PackedRequests requests;
  private final List<byte[]> ofKinds;
  private @Nullable String whole;

  RequestDigest(List<JobKind> kinds, PackedRequests requests) {
    this.requests = requests;
    ofKinds = kinds.stream().map(RequestDigest::line).toList();
  }

  /** What stands between the id and the intended time of each job of a kind. */
  private static byte[] line(JobKind kind) {
    return String.join(
            "\t",
            "",
            kind.classType(),
            kind.workload(),
            kind.backend(),
            kind.precision(),
            Integer.toString(kind.samples()),
            Long.toString(kind.sloNs()),
            "")
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the digest, in hexadecimal. */
  synchronized String whole() {
    if (whole == null) {
      MessageDigest sha256 = Sha256.begin();
      for (int from = 0; from < requests.size(); from += AT_ONCE) {
        int to = Math.min(requests.size(), from + AT_ONCE);
        var lines = new JsonOutput(AT_ONCE * LINE); // no JSON, but numbers as it writes them
        for (int i = from; i < to; i++) {
          lines.number(PREFIX, i);
          lines.number(ofKinds.get(requests.kind(i)), requests.intendedAtNs(i));
          lines.one('\n');
        }
        sha256.update(lines.bytes(0, lines.length()));
      }
      whole = HexFormat.of().formatHex(sha256.digest());
    }
    return whole;
  }
}
