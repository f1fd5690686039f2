package dev.sluice.executor.latency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.ModelKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Profiles as files: written rows are read back, and errors name their line. */
final class ProfileFileTest {
  private static final String HEADER = String.join(",", ProfileFile.COLUMNS) + "\n";
  private static final String GOOD = "cpu,resnet18,onnx,fp32,1,2,1,1,1,0.5,12.25,0.1,36,11\n";

  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void nameTheFile() {
    file = folder.resolve("profiles.csv");
  }

  @Test
  void rowsThatWereAppendedAreReadAgain() throws Exception {
    LatencyKey key = new LatencyKey(new ModelKey("a", "onnx", "fp32"), 2, 8, 3);
    var first = new ProfileRow("odd, \"kind\"", key, 1, 1, 2_000_000, 1, 0.125, 0, 0);
    var second =
        new ProfileRow("odd, \"kind\"", key, 1, 2, 7_000, 123_456_789_012L, null, 1L << 40, 7);
    ProfileFile.create(file, List.of("Made up.", "began: 2026-11-21T10:00:00Z"));
    ProfileFile.append(file, List.of(first));
    ProfileFile.append(file, List.of(second));
    var read = ProfileFile.read(file);
    assertThat(read.rows()).containsExactly(first, second);
    assertThat(read.comments()).containsExactly("Made up.", "began: 2026-11-21T10:00:00Z");
    assertThat(read.said("began")).isEqualTo("2026-11-21T10:00:00Z");
    assertThat(read.said("ended")).isNull();
  }

  @Test
  void aLineThatWasCutByAKillIsTakenAway() throws Exception {
    Files.writeString(file, HEADER + GOOD + "cpu,resnet18,on");
    assertThat(ProfileFile.mend(file)).isTrue();
    assertThat(file).hasContent(HEADER + GOOD);
    assertThat(ProfileFile.mend(file)).isFalse();
    assertThat(ProfileFile.read(file).rows()).hasSize(1);
  }

  @Test
  void whatIsUnknown_isEmpty_andZeroInFilesOfEarlierVersions() throws Exception {
    String row = "cpu,a,onnx,fp32,1,2,1,1,1,0.000000,1.500000,,";
    Files.writeString(file, HEADER + row + ",\n");
    List<ProfileRow> rows = ProfileFile.read(file).rows();
    assertThat(rows.get(0).flopsPerSample()).isZero();
    assertThat(rows.get(0).parameters()).isZero();
    ProfileFile.append(file, rows);
    assertThat(Files.readAllLines(file)).endsWith(row + ",", row + ",");
    Files.writeString(file, HEADER + row + "0,0\n");
    assertThat(ProfileFile.read(file).rows()).isEqualTo(rows);
  }

  @Test
  void columnsMayStandInAnyOrder() throws Exception {
    Files.writeString(
        file,
        "service_ms,device_kind,workload,backend,precision,threads,samples,busy_lanes,pass,repeat,"
            + "at_s,foreign_load,flops_per_sample,parameters\n"
            + "1.5,cpu,a,onnx,fp32,1,2,1,1,1,0,,0,0\n");
    assertThat(ProfileFile.read(file).rows().get(0).serviceNs()).isEqualTo(1_500_000);
  }

  @Test
  void aFileThatIsNoProfileIsRefused() throws Exception {
    assertRefused("", "the profile does not exist", "./sluice profile configs/profile.yaml");
    Files.writeString(file, "");
    assertRefused("", "the profile is empty", "measures one");
    Files.writeString(file, HEADER);
    assertRefused("", "the profile holds no row", "measures one");
    Files.write(file, new byte[] {'a', (byte) 0xff, (byte) 0xfe});
    assertRefused(":1", "the file is not UTF-8 text", "another encoding");
    assertThatThrownBy(() -> ProfileFile.read(folder)).hasMessageContaining("this is a folder");
  }

  @Test
  void aMissingOrMisspeltColumnIsNamed() throws Exception {
    Files.writeString(file, HEADER.replace("service_ms", "servise_ms") + GOOD);
    assertRefused(":1", "column (servise_ms) is unknown", "Maybe you meant service_ms.");
    Files.writeString(file, HEADER.replace(",parameters", "") + GOOD);
    assertRefused(":1", "column (parameters) is missing", "Columns: device_kind, workload");
    Files.writeString(file, HEADER.replace("pass", "repeat") + GOOD);
    assertRefused(":1", "a column occurs twice", "remove one");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "12.25 | -12.25 | service_ms (-12.25) must be a number of at least 0.000001",
        "12.25 | 0 | service_ms (0) must be a number of at least 0.000001",
        "12.25 | NaN | service_ms (NaN) must be a number of at least 0.000001",
        "12.25 | twelve | service_ms (twelve) must be a number of at least 0.000001",
        "12.25 | 1e99999999 | service_ms (1e99999999) must be a number of at least 0.000001",
        "12.25 | 1e-99999999 | service_ms (1e-99999999) must be a number of at least 0.000001",
        "12.25 | 1e10 | service_ms (1e10) must be a number of at least 0.000001 and at most 1000000000",
        "0.5,12 | 1e-99999999,12 | at_s (1e-99999999) must be a number of at least 0",
        "cpu, | '\"cp\u0000\",' | device_kind (cp\\u0000) holds a control character",
        "0.5,12 | -1,12 | at_s (-1) must be a number of at least 0",
        "fp32,1,2 | fp32,1,0 | samples (0) must be a whole number of at least 1",
        "fp32,1,2 | fp32,1,two | samples (two) must be a whole number of at least 1",
        "0.1,36 | 55,36 | foreign_load (55) must be a number of at least 0 and at most 1",
        "36,11 | 36,-1 | parameters (-1) must be a whole number of at least 0",
        "resnet18, | , | workload is empty",
        "cpu, | cpu,cpu, | this row has 15 fields, not 14",
      })
  void aBadFieldIsNamedWithItsLine(String from, String to, String what) throws Exception {
    Files.writeString(file, HEADER + GOOD + "# note\n" + GOOD.replace(from, to));
    assertRefused(":4", what, "");
  }

  @Test
  void aRowThatStandsThereTwiceIsRefused() throws Exception {
    Files.writeString(file, HEADER + GOOD + GOOD.replace("12.25", "13.25"));
    assertRefused(":3", "a second row for resnet18 on onnx", "line 2 has the first");
  }

  @Test
  void severalMistakesAreNamedAtOnce_butNotHundreds() throws IOException {
    Files.writeString(file, HEADER + GOOD.replace("12.25", "x").repeat(200));
    assertThatThrownBy(() -> ProfileFile.read(file))
        .isInstanceOfSatisfying(
            UserMistakeException.class, e -> assertThat(e.problems()).hasSize(5));
  }

  private void assertRefused(String line, String what, String maybe) {
    assertThatThrownBy(() -> ProfileFile.read(file))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageStartingWith(file + line + ": error: ")
        .hasMessageContaining(what)
        .hasMessageContaining(maybe);
  }
}
