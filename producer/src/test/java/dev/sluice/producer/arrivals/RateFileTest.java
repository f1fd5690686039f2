package dev.sluice.producer.arrivals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.contract.experiment.ArrivalKeys;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.LoadShape.Rates;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.Vocabulary;
import dev.sluice.contract.experiment.Vocabulary.PolicyWeights;
import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rates from a file: their proportions, at the experiment's mean rate. */
final class RateFileTest {
  private static final Vocabulary VOCABULARY =
      new Vocabulary(
          Map.of("fifo", PolicyWeights.NONE),
          Map.of("poisson", ArrivalKeys.NONE),
          Map.of("resnet18", 80, "resnet50", 160, "vit", 260),
          Map.of(),
          List.of());

  @TempDir private Path folder;
  private String experiment = "";

  @BeforeEach
  void setUp() {
    experiment =
        """
        duration_seconds: 20
        warmup_seconds: 10
        arrival_rate_jobs_per_sec: 100
        load: {rates: rates.csv}
        """;
  }

  /** The mean from 10 s to 20 s is 3, so that a rate of 1 is a third of the asked one. */
  @Test
  void areScaledToTheRate_inTheMeasuredWindow() throws Exception {
    RescaledTime time = read("second,rate\n0,1\n10,2\n15,4\n20,6\n");
    assertThat(time.atNs(1_000_000_000L)).isEqualTo(3_000_000_000L);
    assertThat(time.atNs(3_333_333_333L)).isCloseTo(10_000_000_000L, within(2L));
    assertThat(time.atNs(3_333_333_334L + 10_000_000_000L)).isCloseTo(20_000_000_000L, within(2L));
    assertThat(time.atNs(3_333_333_334L + 12_000_000_000L)).isCloseTo(21_000_000_000L, within(2L));
  }

  @Test
  void proportionsAloneCount_andTheOrderOfTheColumnsDoesNot() throws Exception {
    RescaledTime one = read("second,rate\n0,1\n12.5,3\n");
    RescaledTime other =
        read("# from elsewhere\r\nname, rate ,second\r\na,100,0\r\nb,300,12.5\r\n");
    for (long evenNs = 0; evenNs < 30_000_000_000L; evenNs += 777_777_777L) {
      assertThat(other.atNs(evenNs)).isEqualTo(one.atNs(evenNs));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "second;0                   | 1 | the column rate is missing",
        "second,rate,rate;0,1,1     | 1 | the column rate stands here twice",
        "second,rate                | 1 | the file of rates has no row",
        "second,rate;1,1            | 2 | second (1) of the first row must be 0, when the run begins",
        "second,rate;0,1;5,1;5,2    | 4 | second (5) is not after that of the row above it, 5",
        "second,rate;0,1;5,1;4,2    | 4 | second (4) is not after that of the row above it, 5",
        "second,rate;0,-1           | 2 | rate (-1) must be a number of at least 0 and at most 1000000000000",
        "second,rate;0,NaN          | 2 | rate (NaN) must be a number of at least 0 and at most 1000000000000",
        "second,rate;0,many         | 2 | rate (many) must be a number of at least 0 and at most 1000000000000",
        "second,rate;soon,1         | 2 | second (soon) must be a number of at least 0 and at most 1000000000000",
        "second,rate;0              | 2 | this row has 1 fields, not 2",
      })
  void aMistake_isNamedWithItsLine(String lines, int line, String what) {
    assertThatThrownBy(() -> read(lines.strip().replace(';', '\n') + "\n"))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("rates.csv:" + line + ": error: " + what);
  }

  @Test
  void anEmptyFile_isNamed() {
    assertThatThrownBy(() -> read(""))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("rates.csv: error: the column second is missing");
  }

  @Test
  void aMissingFile_isNamedAtItsKey() {
    assertThatThrownBy(() -> RateFile.read(parse(), new Rates("rates.csv"), 1000))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("experiment.yaml:4: error: load.rates (")
        .hasMessageContaining("rates.csv) does not exist");
  }

  @Test
  void aWindowWithoutArrivals_isRefused() {
    assertThatThrownBy(() -> read("second,rate\n0,5\n10,0\n20,5\n"))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("experiment.yaml:4: error: load.rates (")
        .hasMessageContaining(
            "has no rate above 0 from warmup_seconds (10) to duration_seconds (20)");
  }

  /** A tail of 30 s at a thousand times the window's rate: 100 × (10 + 30,000) jobs and more. */
  @Test
  void tooManyJobs_areRefused() {
    assertThatThrownBy(() -> read("second,rate\n0,1\n20,1000\n"))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("asks for about 3002000 jobs")
        .hasMessageContaining("more than 3000000");
  }

  /** 100 jobs a second for the 20 s of the run and the 30 s of its tail. */
  @Test
  void asManyJobsAsAreAllowed_areTaken_andSoIsTheHighestRate() throws Exception {
    Files.writeString(folder.resolve("rates.csv"), "second,rate\n0,1000000000000\n");
    assertThat(RateFile.read(parse(), new Rates("rates.csv"), 5000).atNs(7)).isEqualTo(7);
    assertThatThrownBy(() -> RateFile.read(parse(), new Rates("rates.csv"), 4999))
        .hasMessageContaining("asks for about 5000 jobs");
  }

  private RescaledTime read(String text) throws UserMistakeException, IOException {
    Files.writeString(folder.resolve("rates.csv"), text);
    return RateFile.read(parse(), new Rates("rates.csv"), 3_000_000);
  }

  private ParsedExperiment parse() throws UserMistakeException, IOException {
    Path file = folder.resolve("experiment.yaml");
    Files.writeString(file, experiment);
    return ExperimentFile.read(file, List.of(), VOCABULARY);
  }
}
