package dev.sluice.bench;

import dev.sluice.harness.process.Launch;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A queue in other simulators, each a whole process on one core. A simulator that this machine
 * lacks is said to be missing, with what to do.
 */
final class OtherSimulators {
  /** Variable of the environment that names SSJ's library, {@code ca.umontreal.iro.simul:ssj}. */
  private static final String SSJ_JAR = "SSJ_JAR";

  private static final int READINGS = 3;
  private static final double NS_PER_SECOND = 1e9;

  private final Path folder;
  private final LongSupplier nanoTime;
  private final Consumer<String> out;

  /**
   * @param folder where programs and classes go
   * @param nanoTime a monotonic clock
   * @param out receives what each simulator says, or that it is missing
   */
  OtherSimulators(Path folder, LongSupplier nanoTime, Consumer<String> out) {
    this.folder = folder;
    this.nanoTime = nanoTime;
    this.out = out;
  }

  /** Returns the command line of a program on one core. */
  static List<String> onOneCore(List<String> command) {
    List<String> pinned = new ArrayList<>(List.of("taskset", "-c", "0"));
    pinned.addAll(command);
    return pinned;
  }

  /** Measures SimPy, by its resources; empty: it is missing. */
  Optional<Double> simPySeconds(BenchQueue queue) throws IOException, InterruptedException {
    Path program = copied("queue.py");
    List<String> command = new ArrayList<>(List.of("python3", program.toString()));
    command.addAll(numbers(queue));
    return seconds(
        "SimPy", command, "pip install simpy or apt install python3-simpy, and PYTHONPATH, help");
  }

  /** Measures SSJ, by its events; empty: it is missing. */
  Optional<Double> ssjSeconds(BenchQueue queue) throws IOException, InterruptedException {
    String jar = System.getenv(SSJ_JAR);
    if (jar == null) {
      out.accept("SSJ is missing: set " + SSJ_JAR + " to its jar, of ca.umontreal.iro.simul:ssj");
      return Optional.empty();
    }
    Path java = Path.of(System.getProperty("java.home"), "bin");
    Path source = copied("SsjQueue.java");
    String classPath = jar + System.getProperty("path.separator") + folder;
    int compiled =
        Launch.of(
                java.resolve("javac").toString(),
                "-cp",
                jar,
                "-d",
                folder.toString(),
                source.toString())
            .errors(ProcessBuilder.Redirect.INHERIT)
            .start()
            .waitFor();
    if (compiled != 0) {
      out.accept("SSJ is missing: its program does not compile with " + SSJ_JAR + " (" + jar + ")");
      return Optional.empty();
    }
    List<String> command =
        new ArrayList<>(List.of(java.resolve("java").toString(), "-cp", classPath, "SsjQueue"));
    command.addAll(numbers(queue));
    return seconds("SSJ", command, "a later Java or another version of SSJ may help");
  }

  private static List<String> numbers(BenchQueue queue) {
    return List.of(
        Integer.toString(queue.jobs()),
        Double.toString(queue.jobsPerSecond()),
        Integer.toString(BenchQueue.LANES));
  }

  private Path copied(String program) throws IOException {
    Path copy = folder.resolve(program);
    try (InputStream source = OtherSimulators.class.getResourceAsStream(program)) {
      Files.write(copy, Objects.requireNonNull(source, program).readAllBytes());
    }
    return copy;
  }

  /** Returns the median of some whole processes. */
  private Optional<Double> seconds(String name, List<String> command, String maybe)
      throws InterruptedException {
    List<Double> seconds = new ArrayList<>();
    String said = "";
    try {
      for (int i = 0; i < READINGS; i++) {
        long beganNs = nanoTime.getAsLong();
        said = Launch.of(onOneCore(command)).printed(name).strip();
        seconds.add((nanoTime.getAsLong() - beganNs) / NS_PER_SECOND);
      }
    } catch (IOException e) {
      out.accept(name + " is missing: " + e.getMessage() + "; " + maybe);
      return Optional.empty();
    }
    Collections.sort(seconds);
    double median = seconds.get(READINGS / 2);
    String[] fields = said.split(" ", -1); // version, p50 and p99 in ms
    out.accept(
        String.format(
            Locale.ROOT,
            "%s (%s): %.2f s, p50 %.2f ms, p99 %.1f ms",
            name,
            fields[0],
            median,
            Double.parseDouble(fields[1]),
            Double.parseDouble(fields[2])));
    return Optional.of(median);
  }
}
