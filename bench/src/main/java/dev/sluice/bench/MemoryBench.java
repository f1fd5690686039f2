package dev.sluice.bench;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.Topics;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.ChildProcess;
import dev.sluice.harness.process.MemoryOf;
import dev.sluice.harness.process.Supervisor;
import dev.sluice.harness.run.ProcessesRun;
import dev.sluice.harness.run.RunSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Growth of the roles' memory, with each role as a process, under emulated load of half of what the
 * lanes can do. Resident memory is read each second; a process's growth is the median of the last
 * measured minute (or half, where less than two minutes are measured) beyond that of the first, in
 * percent. The reading is the growth of the process that grew most.
 */
final class MemoryBench implements Bench {
  private static final Row ROW = Row.atMost("memory_growth_percent", "%", 5);
  private static final int MINUTE_SECONDS = 60;

  /** Shortest stretch whose median counts in place of a minute's. */
  private static final int STRETCH_SECONDS_MIN = 10;

  private static final String LOAD =
      """
      tail_seconds: 5
      arrival_rate_jobs_per_sec: 60
      classes:
        interactive: {slo_ms: 5000}
        batch: {slo_ms: 10000}
      workloads:
      - {name: steady, tokens: 1, alpha_ms: 20, beta_ms: 0}
      - {name: quick, tokens: 1, alpha_ms: 10, beta_ms: 1}
      backends_enabled: [onnx]
      batch_sizes: [1, 8]
      scheduler_name: dynamic
      lanes: {kind: emulated, num_lanes: 2}
      """;

  private final Path folder;
  private final int stretches;
  private final int stretchSeconds;
  private final int warmUpSeconds;
  private final Consumer<String> out;
  private int runs;

  /**
   * @param folder where files of the measurement go
   * @param seconds how long to measure, minute by minute; below two minutes, in two halves of at
   *     least ten seconds
   * @param warmUpSeconds before that
   * @param out told each process's memory, minute by minute
   */
  MemoryBench(Path folder, int seconds, int warmUpSeconds, Consumer<String> out) {
    this.folder = folder;
    this.stretches = Math.max(2, seconds / MINUTE_SECONDS);
    this.stretchSeconds =
        Math.max(STRETCH_SECONDS_MIN, Math.min(MINUTE_SECONDS, seconds / stretches));
    this.warmUpSeconds = warmUpSeconds;
    this.out = out;
  }

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public List<Row> rows() {
    return List.of(ROW);
  }

  @Override
  public Map<Row, Double> measure()
      throws IOException, InterruptedException, MeasurementFailedException {
    Files.createDirectories(folder);
    String runId = "memory-" + ++runs;
    Path config = folder.resolve("memory.yaml");
    int startSeconds = MINUTE_SECONDS; // the load ends with the measurement in any case
    Files.writeString(
        config,
        "duration_seconds: "
            + (startSeconds + warmUpSeconds + stretches * stretchSeconds)
            + "\n"
            + LOAD);
    Path output = folder.resolve(runId + ".out");
    var sampling = new Sampling();
    try (var print = new PrintStream(output.toFile(), StandardCharsets.UTF_8)) {
      var options =
          new RunSettings(
              config, List.of(), new RunSettings.Output(folder, false, false, null), runId);
      int unused = new ProcessesRun(options, new Console(print, false), sampling).execute();
    } catch (UserMistakeException e) {
      throw new MeasurementFailedException("the run was refused: " + e.getMessage(), output);
    }
    return sampling.readings(output);
  }

  /** One child's memory. */
  static final class Memory {
    private final List<Double> stretchMedians = new ArrayList<>();
    private final List<Long> thisStretch = new ArrayList<>();

    void add(long residentBytes) {
      thisStretch.add(residentBytes);
    }

    void endStretch() {
      Collections.sort(thisStretch);
      if (!thisStretch.isEmpty()) {
        stretchMedians.add((double) thisStretch.get(thisStretch.size() / 2));
      }
      thisStretch.clear();
    }

    /** Returns the growth from the first stretch to the last one; negative: it shrank. */
    double growthPercent() {
      double first = stretchMedians.get(0);
      return 100 * (stretchMedians.get(stretchMedians.size() - 1) - first) / first;
    }

    String text() {
      return stretchMedians.stream()
          .map(bytes -> String.format(Locale.ROOT, "%.1f", bytes / (1 << 20)))
          .collect(Collectors.joining(" ", "", " MiB"));
    }
  }

  /** Goes beside the run, and ends its load when all is measured. */
  private final class Sampling implements ProcessesRun.Companion {
    private final Map<String, Memory> byChild = new LinkedHashMap<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private @Nullable Thread thread;
    private boolean complete;

    @Override
    public int restartsMax() {
      return 0;
    }

    @Override
    public boolean isShown() {
      return false;
    }

    @Override
    public void began(Supervisor children, KafkaAccess kafka) {
      var sampler = new Thread(() -> sample(children), "sluice-memory");
      sampler.setDaemon(true);
      thread = sampler;
      sampler.start();
    }

    @Override
    public void over(KafkaAccess kafka, Topics topics, Path folder) throws InterruptedException {
      over.countDown();
      if (thread != null) {
        thread.join();
      }
    }

    private void sample(Supervisor children) {
      try {
        if (over.await(warmUpSeconds, TimeUnit.SECONDS)) {
          return;
        }
        for (int stretch = 0; stretch < stretches; stretch++) {
          for (int second = 0; second < stretchSeconds; second++) {
            if (over.await(1, TimeUnit.SECONDS)) {
              return;
            }
            for (ChildProcess child : children.children()) {
              MemoryOf.residentBytes(child.pid()).ifPresent(memory(child)::add);
            }
          }
          byChild.values().forEach(Memory::endStretch);
        }
        complete = true;
        ChildProcess produce = children.child("produce");
        produce.expectEnd();
        produce.signal(ChildProcess.Signal.TERM);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private Memory memory(ChildProcess child) {
      return byChild.computeIfAbsent(child.name(), name -> new Memory());
    }

    /** The growth of the child that grew most. */
    Map<Row, Double> readings(Path output) throws MeasurementFailedException {
      if (!complete) {
        throw new MeasurementFailedException("the run ended before all was measured", output);
      }
      double most = Double.NaN;
      for (var entry : byChild.entrySet()) {
        Memory memory = entry.getValue();
        out.accept(String.format(Locale.ROOT, "  %-14s %s", entry.getKey(), memory.text()));
        if (!memory.stretchMedians.isEmpty()) {
          most =
              Double.isNaN(most) ? memory.growthPercent() : Math.max(most, memory.growthPercent());
        }
      }
      return Map.of(ROW, most);
    }
  }
}
