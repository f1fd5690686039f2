package dev.sluice.contract.file;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sizes as people write them. */
final class ByteSizeTest {
  @ParameterizedTest
  @CsvSource({
    "64MB, 64000000",
    "64 MB, 64000000",
    "64m, 64000000",
    "1.5GB, 1500000000",
    "61MiB, 63963136",
    "1GiB, 1073741824",
    "2k, 2000",
    "4096, 4096",
    "4096B, 4096",
    "0.3B, 0",
    "9223372036854775807, 9223372036854775807"
  })
  void readsASize(String text, long bytes) {
    assertThat(ByteSize.parse(text)).hasValue(bytes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "MB",
        "-1MB",
        "64 megabytes",
        "1e6",
        "64MB/s",
        "64Mi B",
        "9223372036855TB",
        "iB"
      })
  void refusesWhatIsNone(String text) {
    assertThat(ByteSize.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"28400000, 28.4 MB", "345600000, 346 MB", "1204000000, '1,204 MB'", "0, 0.0 MB"})
  void isPrintedInMb(long bytes, String text) {
    assertThat(ByteSize.text(bytes)).isEqualTo(text);
  }
}
