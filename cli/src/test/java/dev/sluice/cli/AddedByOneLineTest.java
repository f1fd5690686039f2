package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.cli.Loop.Ended;
import dev.sluice.cli.added.CertainLastCome;
import dev.sluice.cli.added.LastCome;
import dev.sluice.cli.added.LongestWait;
import dev.sluice.cli.added.TwinArrivals;
import dev.sluice.harness.frame.ExitStatus;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A policy, a figure and an arrival process that Sluice does not have, each added by one line in a
 * file of services and by no other file, are simulated, checked and compared. Sluice's classes are
 * loaded a second time, beside the lines, so that no other test sees them.
 */
final class AddedByOneLineTest {
  private static final String EXPERIMENT =
      """
      duration_seconds: 12
      warmup_seconds: 0
      arrival_rate_jobs_per_sec: 58
      arrivals: {process: twins, closeness: 0.5}
      workloads: [{name: steady, alpha_ms: 30, beta_ms: 1, tokens: 10}]
      backends_enabled: [onnx]
      batch_sizes: [1]
      scheduler_name: last_come
      microbatch: {enabled: false}
      lanes: {num_lanes: 2, kind: emulated}
      thresholds: {longest_wait_ms: "< 60000"}
      """;

  @TempDir private Path folder;
  private Path config = Path.of("");

  /** Sluice, with the lines in its class path. */
  private static final class Extended extends URLClassLoader {
    Extended(URL[] classPath) {
      super(classPath, AddedByOneLineTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        Class<?> known = findLoadedClass(name);
        return known != null
            ? known
            : name.startsWith("dev.sluice.") ? findClass(name) : super.loadClass(name, resolve);
      }
    }
  }

  @BeforeEach
  void addTheLines() throws IOException {
    config = Files.writeString(folder.resolve("added.yaml"), EXPERIMENT);
    line("dev.sluice.scheduling.policies.PolicyEntry", LastCome.class, CertainLastCome.class);
    line("dev.sluice.analytics.figure.Figure", LongestWait.class);
    line("dev.sluice.producer.arrivals.ArrivalEntry", TwinArrivals.class);
  }

  private void line(String registry, Class<?>... added) throws IOException {
    Path services = Files.createDirectories(folder.resolve("jar/META-INF/services"));
    Files.write(services.resolve(registry), Stream.of(added).map(Class::getName).toList());
  }

  private BadInputCommand sluice(String... words) throws Exception {
    List<URL> classPath = new ArrayList<>(List.of(url(folder.resolve("jar"))));
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      classPath.add(url(Path.of(entry)));
    }
    try (var extended = new Extended(classPath.toArray(new URL[0]))) {
      Class<?> command = extended.loadClass(BadInputCommand.class.getName());
      Object done = command.getMethod("sluice", String[].class).invoke(null, new Object[] {words});
      return new BadInputCommand(
          (int) command.getMethod("status").invoke(done),
          (String) command.getMethod("out").invoke(done),
          (String) command.getMethod("err").invoke(done));
    }
  }

  private static URL url(Path path) throws MalformedURLException {
    return path.toUri().toURL();
  }

  private Ended simulate(String runId, String... options) throws Exception {
    List<String> words =
        new ArrayList<>(
            List.of(
                "simulate", config.toString(), "--results", folder.toString(), "--run-id", runId));
    words.addAll(List.of(options));
    BadInputCommand done = sluice(words.toArray(String[]::new));
    assertThat(done.status()).as(done.err()).isIn(ExitStatus.DONE, ExitStatus.INCONCLUSIVE);
    return new Ended(done.status(), folder.resolve(runId), done.out());
  }

  @Test
  void areUnknown_withoutTheirLines() {
    BadInputCommand.sluice("simulate", config.toString(), "--results", folder.toString())
        .isRefused(3)
        .says("scheduler_name (last_come) is unknown")
        .says("arrivals.process (twins) is unknown")
        .says("longest_wait_ms");
  }

  @Test
  void aRunFollowsThePolicyAndTheArrivals_andHasTheFigure() throws Exception {
    Ended run = simulate("added");
    Ended fifo = simulate("fifo", "--set", "scheduler_name=fifo");

    List<Map<String, String>> jobs = run.rows("trace.csv");
    assertThat(jobs).hasSizeGreaterThan(600);
    List<Double> atSeconds =
        jobs.stream().map(job -> Double.valueOf(job.get("enqueue_time"))).sorted().toList();
    for (int i = 1; i < atSeconds.size(); i++) {
      double gap = atSeconds.get(i) - atSeconds.get(i - 1);
      assertThat(Math.abs(gap - (i % 2 == 0 ? 1.5 : 0.5) / 58)).as("gap %d", i).isLessThan(2e-6);
    }

    JsonNode summary = run.summary();
    assertThat(summary.path("request_digest")).isEqualTo(fifo.summary().path("request_digest"));
    assertThat(order(fifo)).isSorted();
    List<Integer> order = order(run);
    assertThat(order).hasSizeGreaterThan(600).isNotEqualTo(order.stream().sorted().toList());
    double longestMs =
        jobs.stream()
            .filter(job -> job.get("phase").equals("measured") && job.get("status").equals("done"))
            .mapToDouble(job -> Double.parseDouble(job.get("wait_ms")))
            .max()
            .orElse(0);
    assertThat(Math.abs(summary.path("longest_wait_ms").asDouble() - longestMs)).isLessThan(0.002);
    assertThat(longestMs).isGreaterThan(fifo.summary().path("longest_wait_ms").asDouble());
    assertThat(summary.at("/thresholds/longest_wait_ms/value"))
        .isEqualTo(summary.path("longest_wait_ms"));
  }

  @Test
  void aPolicyThatNeedsBoundsIsRefused_whereThePredictorIsOff() throws Exception {
    List<String> words =
        List.of(
            "simulate",
            config.toString(),
            "--results",
            folder.toString(),
            "--run-id",
            "certain",
            "--set",
            "scheduler_name=certain_last_come");
    sluice(words.toArray(String[]::new))
        .isRefused(1)
        .says("--set scheduler_name=certain_last_come: error: scheduler (certain_last_come)")
        .says("Maybe you want predictor: {enabled: true}");

    Files.writeString(config, "predictor: {enabled: false}\n" + EXPERIMENT);
    sluice(words.toArray(String[]::new)).isRefused(1).says("added.yaml:1: error: scheduler (");

    assertThat(
            simulate("certain", "--set", words.get(7), "--set", "predictor.enabled=true")
                .rows("trace.csv"))
        .hasSizeGreaterThan(600);
  }

  private static List<Integer> order(Ended run) throws IOException {
    return run.rows("dispatches.csv").stream()
        .map(row -> Integer.valueOf(row.get("job_ids").replace("job-", "")))
        .toList();
  }

  @Test
  void checkPasses_andNamesWhatItCannotRecount() throws Exception {
    Ended run = simulate("added");
    BadInputCommand checked = sluice("check", run.folder().toString());
    assertThat(checked.status()).as(checked.out() + checked.err()).isZero();
    assertThat(checked.out())
        .contains("the process of the arrivals is not known here")
        .contains("longest_wait_ms");
  }

  /** What waits longest is worse: the figure itself says so. */
  @Test
  void compareJudgesByTheFigure() throws Exception {
    Ended fifo = simulate("fifo", "--repeat", "8", "--no-trace", "--set", "scheduler_name=fifo");
    Ended added = simulate("added", "--repeat", "8", "--no-trace");
    BadInputCommand compared =
        sluice(
            "compare",
            fifo.folder().toString(),
            added.folder().toString(),
            "--primary",
            "longest_wait_ms");
    assertThat(compared.status()).as(compared.err()).isZero();
    assertThat(compared.out())
        .containsPattern("longest_wait_ms \\* .* worse")
        .contains("(last_come, 8 runs)");
  }
}
