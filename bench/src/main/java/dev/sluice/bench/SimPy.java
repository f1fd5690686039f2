package dev.sluice.bench;

import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.Launch;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.function.Consumer;

/** The bench's queue in SimPy, as a whole process on one core. */
final class SimPy {
  private static final String PROGRAM = "queue.py";

  /** Pythons of this machine: that of the path, and that of the system. */
  private static final List<String> PYTHONS = List.of("python3", "/usr/bin/python3");

  private SimPy() {}

  /**
   * Simulates the queue.
   *
   * @param folder where the program goes
   * @param out receives SimPy's version and percentiles, or what to install
   * @return seconds of the whole process; empty: this machine has no SimPy
   */
  static OptionalDouble seconds(
      int jobs, double jobsPerSecond, int lanes, Path folder, Consumer<String> out)
      throws IOException, InterruptedException {
    Path program = folder.resolve(PROGRAM);
    try (InputStream source = SimPy.class.getResourceAsStream(PROGRAM)) {
      Files.write(program, Objects.requireNonNull(source, PROGRAM).readAllBytes());
    }
    for (String python : PYTHONS) {
      long beganNs = MachineClock.monotonicNs();
      String printed;
      try {
        printed =
            Launch.of(
                    CommandsBench.onOneCore(
                        List.of(
                            python,
                            program.toString(),
                            Integer.toString(jobs),
                            Double.toString(jobsPerSecond),
                            Integer.toString(lanes))))
                .printed(python);
      } catch (IOException e) {
        continue; // no such program, or it does not know SimPy
      }
      double seconds = (MachineClock.monotonicNs() - beganNs) / 1e9;
      String[] fields = printed.strip().split(" ", -1); // version, p50 and p99 in ms
      out.accept(
          String.format(
              Locale.ROOT,
              "  SimPy %s: %.2f s, p50 %s ms, p99 %s ms",
              fields[0],
              seconds,
              fields[1],
              fields[2]));
      return OptionalDouble.of(seconds);
    }
    out.accept("  SimPy or taskset is missing: pip install simpy, or apt install python3-simpy3");
    return OptionalDouble.empty();
  }
}
