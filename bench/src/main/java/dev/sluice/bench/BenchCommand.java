package dev.sluice.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.sluice.cli.CheckoutCommands;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.HostLoad;
import dev.sluice.harness.machine.MachineClock;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice bench}: measures Sluice's own speed. */
@Command(
    name = "bench",
    description = {
      CheckoutCommands.BENCH,
      "Prints a table and writes bench.json, with the commit, the date, the machine and how noisy"
          + " it was. All takes about 25 minutes; nothing else should run meanwhile."
    },
    exitCodeList = {
      "0:every row reached its goal",
      "1:a bug, or a measurement failed",
      "2:a mistake in the command",
      "3:done, but a row missed its goal"
    },
    footer = {
      "  ./sluice bench",
      "  ./sluice bench --table docs/performance.md",
      "  ./sluice bench hop-100 sustained --repeats 3",
      "  ./sluice bench memory --warm-up 600 --seconds 3000"
    })
final class BenchCommand implements Callable<Integer> {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
  private static final long CALIBRATION_ROUNDS = 200_000_000L;

  @Parameters(
      paramLabel = "NAME",
      arity = "0..*",
      description =
          "Only these measurements (default: all of the table). core and decisions run only by"
              + " their names.")
  private List<String> names = new ArrayList<>();

  @Option(
      names = "--repeats",
      paramLabel = "N",
      description = "Repeats each measurement N times (default: 1).")
  private int repeats = 1;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Length of each run's measured window (default: 15; of memory 60).")
  private @Nullable Integer seconds;

  @Option(
      names = "--warm-up",
      paramLabel = "S",
      description = "Time that each run warms up before it (default: 10; of memory 30).")
  private @Nullable Integer warmUpSeconds;

  @Option(
      names = "--results",
      paramLabel = "DIR",
      description = "Where the bench's folder goes (default: results, beside sluice).")
  private @Nullable Path results;

  @Option(
      names = "--table",
      paramLabel = "FILE",
      description = "Writes the table into this Markdown document, between its lines of the bench.")
  private @Nullable Path table;

  @Option(names = "--json", description = "Prints bench.json instead of the table.")
  private boolean json;

  @Override
  public Integer call() throws UserMistakeException, IOException, InterruptedException {
    PrintStream out = System.out;
    var console = new Console(json ? System.err : out, false);
    atLeast(1, "--repeats", repeats);
    atLeast(1, "--seconds", seconds);
    atLeast(0, "--warm-up", warmUpSeconds);
    Path home = Path.of(System.getProperty("sluice.home", "."));
    Path folder =
        (results == null ? home.resolve("results") : results)
            .resolve("bench-" + MachineClock.stamp());
    List<Bench> benches = chosen(home, folder.resolve("runs"), console);
    if (table != null) {
      PublishedTable.check(table);
    }
    return measure(benches, BenchOrigin.now(home), folder, console, out);
  }

  private Benches.Window window(int defaultSeconds, int defaultWarmUpSeconds) {
    return new Benches.Window(
        seconds == null ? defaultSeconds : seconds,
        warmUpSeconds == null ? defaultWarmUpSeconds : warmUpSeconds);
  }

  private static void atLeast(int least, String option, @Nullable Integer value)
      throws UserMistakeException {
    if (value != null && value < least) {
      throw new UserMistakeException(
          option, "the value (" + value + ") is below " + least, "leave it out");
    }
  }

  private List<Bench> chosen(Path home, Path folder, Console console)
      throws IOException, UserMistakeException {
    List<Bench> ofTable =
        Benches.ofTable(home, folder, window(15, 10), window(60, 30), console::line);
    List<Bench> all = new ArrayList<>(ofTable);
    all.addAll(Benches.onlyByName(console::line));
    List<String> known = all.stream().map(Bench::name).toList();
    for (String name : names) {
      if (!known.contains(name)) {
        throw new UserMistakeException(
            "sluice bench",
            "the measurement (" + name + ") is unknown",
            "you meant one of " + String.join(", ", known));
      }
    }
    return names.isEmpty() ? ofTable : all.stream().filter(b -> names.contains(b.name())).toList();
  }

  private int measure(
      List<Bench> benches, BenchOrigin origin, Path folder, Console console, PrintStream out)
      throws IOException, InterruptedException, UserMistakeException {
    Optional<HostLoad> before = HostLoad.read();
    List<Double> loopsMs = new ArrayList<>();
    Map<Bench.Row, List<Double>> readings = new LinkedHashMap<>();
    benches.forEach(bench -> bench.rows().forEach(row -> readings.put(row, new ArrayList<>())));
    calibrate();
    boolean failed = false;
    for (int repeat = 1; repeat <= repeats; repeat++) {
      for (Bench bench : benches) {
        console.line("measuring " + bench.name() + ", " + repeat + " of " + repeats);
        loopsMs.add(calibrate());
        try {
          bench.measure().forEach((row, value) -> add(readings.get(row), value));
        } catch (MeasurementFailedException | IOException e) {
          failed = true; // the others are still measured
          System.err.println("sluice: error: a measurement failed: " + e.getMessage() + ".");
          if (e instanceof MeasurementFailedException known) {
            System.err.println("  Maybe its output says why: " + known.output());
          }
        }
      }
    }
    var report = new BenchReport(origin, readings, loopsMs, stealShare(before));
    Files.createDirectories(folder);
    String written = JSON.writeValueAsString(report.toTree()) + "\n";
    Files.writeString(folder.resolve("bench.json"), written);
    if (json) {
      out.print(written);
    }
    console.line(report.table());
    console.line("Figures   " + folder.resolve("bench.json"));
    if (table != null) {
      PublishedTable.write(table, report.markdown());
      console.line("Table     " + table);
    }
    if (failed) {
      return ExitStatus.BUG;
    }
    return report.isNoneMissed() ? ExitStatus.DONE : ExitStatus.MISSED;
  }

  private static void add(@Nullable List<Double> values, double reading) {
    if (values != null && !Double.isNaN(reading)) {
      values.add(reading);
    }
  }

  private static @Nullable Double stealShare(Optional<HostLoad> before) throws IOException {
    Optional<HostLoad> after = HostLoad.read();
    return before.isPresent() && after.isPresent()
        ? Double.valueOf(after.get().stealShareSince(before.get()))
        : null;
  }

  /** Milliseconds that one fixed loop of arithmetic takes: how fast the machine is just now. */
  private static double calibrate() {
    long startNs = MachineClock.monotonicNs();
    long value = 1;
    for (long i = 0; i < CALIBRATION_ROUNDS; i++) {
      value = value * 6364136223846793005L + i;
    }
    double ms = (MachineClock.monotonicNs() - startNs) / 1e6;
    if (value == 0) {
      throw new IllegalStateException(String.format(Locale.ROOT, "%d", value)); // keeps the loop
    }
    return ms;
  }
}
