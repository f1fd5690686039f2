package dev.sluice.producer.requests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.producer.requests.RequestList.PackedRequests;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests in few bytes are the requests that were added. */
final class PackedRequestsTest {
  @ParameterizedTest
  @CsvSource({
    "0, 1, 1",
    "1, 1, 1",
    "1024, 128, 1000",
    "1025, 129, 1000",
    "5000, 12, 450000",
    "5000, 1000, 2000000",
    "5000, 300, 2099202",
    "5000, 3, 9000000000"
  })
  void areAsAdded(int count, int kinds, long gapNsMax) {
    var random = new Random(count);
    var packed = new PackedRequests();
    var kindOf = new int[count];
    var atNs = new long[count];
    long nowNs = -17;
    for (int i = 0; i < count; i++) {
      nowNs += random.nextLong(gapNsMax);
      kindOf[i] = random.nextInt(kinds);
      atNs[i] = nowNs;
      packed.add(kindOf[i], nowNs);
    }
    assertThat(packed.size()).isEqualTo(count);
    for (int i = 0; i < count; i++) {
      assertThat(packed.kind(i)).isEqualTo(kindOf[i]);
      assertThat(packed.intendedAtNs(i)).isEqualTo(atNs[i]);
    }
    assertThatThrownBy(() -> packed.kind(count)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> packed.intendedAtNs(-1)).isInstanceOf(IndexOutOfBoundsException.class);
  }
}
