package dev.sluice.bench;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.process.TemporaryFolder;
import dev.sluice.producer.trace.Trace;
import dev.sluice.producer.trace.TraceFile;
import dev.sluice.producer.trace.TraceOptions;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Reading of made-up traces of two million rows, in this process: one as Azure publishes them, with
 * dates, and one of a user's own with all its columns. Each reading is the median of five, after
 * three that warm the code up.
 */
public final class TraceBench implements Bench {
  private static final Row DATED = Row.atLeast("trace_rows_per_s", "rows/s", 1_000_000);
  private static final Row OWN = Row.atLeast("own_trace_rows_per_s", "rows/s", 1_000_000);
  private static final Row BYTES = Row.atMost("trace_bytes_per_kept_job", "bytes", 12);
  private static final int ROWS = 2_000_000;
  private static final int WARM_UPS = 3;
  private static final int READINGS = 5;

  private final Path folder;
  private final LongSupplier nanoTime;

  /**
   * @param folder where the traces go while they are read
   */
  public TraceBench(Path folder, LongSupplier nanoTime) {
    this.folder = folder;
    this.nanoTime = nanoTime;
  }

  @Override
  public String name() {
    return "traces";
  }

  @Override
  public List<Row> rows() {
    return List.of(DATED, OWN, BYTES);
  }

  @Override
  public Map<Row, Double> measure() throws IOException {
    Path files = Files.createTempDirectory(Files.createDirectories(folder), name());
    try {
      Path dated = files.resolve("dated.csv");
      Path own = files.resolve("own.csv");
      write(dated, own);
      Trace trace = read(own);
      double bytes = 4.0 * trace.kindByIndex().length + 8.0 * trace.atNsByIndex().length;
      return Map.of(DATED, rowsPerS(dated), OWN, rowsPerS(own), BYTES, bytes / trace.size());
    } finally {
      TemporaryFolder.remove(files);
    }
  }

  private double rowsPerS(Path file) {
    List<Double> readings = new ArrayList<>();
    for (int i = 0; i < WARM_UPS + READINGS; i++) {
      long beginNs = nanoTime.getAsLong();
      long rows = read(file).read();
      if (i >= WARM_UPS) {
        readings.add(rows * 1e9 / (nanoTime.getAsLong() - beginNs));
      }
    }
    return readings.stream().sorted().toList().get(READINGS / 2);
  }

  private static Trace read(Path file) {
    try {
      return TraceFile.read(file, TraceOptions.WHOLE);
    } catch (UserMistakeException e) {
      throw new IllegalStateException("the bench wrote this trace", e);
    }
  }

  /** Forty rows a second, over fourteen hours. */
  private static void write(Path dated, Path own) throws IOException {
    try (BufferedWriter one = Files.newBufferedWriter(dated);
        BufferedWriter other = Files.newBufferedWriter(own)) {
      one.write("TIMESTAMP,ContextTokens,GeneratedTokens\n");
      other.write("time_s,class,workload,backend,precision,samples,slo_ms\n");
      for (int i = 0; i < ROWS; i++) {
        int second = i / 40;
        String fraction = Integer.toString(10_000_000 + i % 40 * 250_000).substring(1);
        one.write("2023-11-16 ");
        one.write(two(second / 3600) + ':' + two(second / 60 % 60) + ':' + two(second % 60));
        one.write('.' + fraction + ',' + i % 5000 + ',' + i % 700 + '\n');
        other.write(second + "." + fraction + ",batch,resnet50,onnx,fp32," + (1 + i % 8));
        other.write(",1000\n");
      }
    }
  }

  private static String two(int number) {
    return number < 10 ? "0" + number : Integer.toString(number);
  }
}
