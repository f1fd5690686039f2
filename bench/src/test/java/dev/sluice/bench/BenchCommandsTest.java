package dev.sluice.bench;

import static dev.sluice.cli.BadInputCommand.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.Benches.Window;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mistakes in the commands {@code bench} and {@code chaos}: two lines, exit 2. */
final class BenchCommandsTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bench --repeats 0 | --repeats: error: the value (0) is below 1",
        "bench hop-100 --seconds 0 | --seconds: error: the value (0) is below 1",
        "bench hop-100 --warm-up -1 | --warm-up: error: the value (-1) is below 0",
        "bench --repeats two | sluice: error: --repeats cannot be (two)",
        "chaos x.yaml --kills 0 | --kills: error: the number of faults (0) is below 1"
      })
  void namesTheOption_whenItsValueCannotBe(String words, String what) {
    sluice(words.split(" ")).isRefused(1).says(what);
  }

  @Test
  void namesTheMeasurements_whenOneIsUnknown() {
    System.setProperty("sluice.home", "..");
    try {
      sluice("bench", "hop-100", "hop-10")
          .isRefused(1)
          .says("sluice bench: error: the measurement (hop-10) is unknown")
          .says("hop-1000")
          .says("core");
    } finally {
      System.clearProperty("sluice.home");
    }
  }

  @Test
  void namesTheDocument_whenItHasNoPlaceForTheTable() throws Exception {
    Path document = Files.writeString(folder.resolve("numbers.md"), "# Numbers\n");
    System.setProperty("sluice.home", "..");
    try {
      sluice("bench", "plan", "--table", document.toString())
          .isRefused(1)
          .says(document + ": error: the document has no place for the table");
    } finally {
      System.clearProperty("sluice.home");
    }
  }

  @Test
  void theDocumentedCommandsNameMeasurementsThatExist() throws Exception {
    var window = new Window(15, 10);
    List<Bench> benches = Benches.ofTable(Path.of(".."), folder, window, window, text -> {});
    List<String> known = benches.stream().map(Bench::name).toList();
    List<String> lines =
        Files.readAllLines(Path.of("../.ci/commands")).stream()
            .filter(line -> line.startsWith("./sluice bench"))
            .map(line -> line.replace("./sluice bench", "").replaceAll("=> (parsed|\\+)|--.*", ""))
            .map(String::strip)
            .filter(line -> !line.isEmpty())
            .toList();

    assertThat(lines).isNotEmpty();
    assertThat(lines).flatExtracting(line -> List.of(line.split(" +"))).isSubsetOf(known);
  }
}
