package dev.sluice.harness.profile;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * How much memory each model takes with each batch, and the tokens that would follow: in units such
 * that all models with their smallest batch cost as many tokens as by the formula.
 */
final class MemoryTable {
  private static final double MIB = 1 << 20;

  private final List<Row> rows;
  private final double mibPerToken;

  /**
   * One model with one batch.
   *
   * @param peakMib above what the process held before the model was loaded
   * @param formulaTokens by the experiment's formula
   */
  record Row(ModelKey model, int samples, double peakMib, long formulaTokens) {}

  /**
   * @param rows at least one; each model's by rising samples
   */
  MemoryTable(List<Row> rows) {
    this.rows = List.copyOf(rows);
    int least = rows.stream().mapToInt(Row::samples).min().orElseThrow();
    List<Row> smallest = rows.stream().filter(row -> row.samples() == least).toList();
    mibPerToken =
        Math.max(
            smallest.stream().mapToDouble(Row::peakMib).sum()
                / smallest.stream().mapToLong(Row::formulaTokens).sum(),
            1e-6);
  }

  /** Memory that is one token. */
  double mibPerToken() {
    return mibPerToken;
  }

  /** Tokens that the row's peak comes to, rounded up. */
  long measuredTokens(Row row) {
    return (long) Math.ceil(row.peakMib() / mibPerToken - 1e-9);
  }

  /**
   * Measures one model in a child process.
   *
   * @param overrides of the experiment
   * @throws IOException if the child fails; its own words are on standard error
   */
  static List<Row> measure(
      Path config,
      List<String> overrides,
      Experiment experiment,
      ModelKey model,
      List<Integer> samples)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>();
    arguments.add(config.toString());
    arguments.addAll(List.of(model.workload(), model.backend(), model.precision()));
    arguments.add(samples.stream().map(String::valueOf).collect(Collectors.joining(",")));
    arguments.addAll(overrides);
    Process child =
        Launch.of(ChildJvm.of(MemoryProbe.JVM_OPTIONS, MemoryProbe.class.getName(), arguments))
            .errors(ProcessBuilder.Redirect.DISCARD)
            .start();
    List<Row> rows = new ArrayList<>();
    try (var printed =
        new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
      int modelTokens = experiment.workload(model.workload()).tokens();
      for (String line = printed.readLine(); line != null; line = printed.readLine()) {
        String[] words = line.split(" ", -1);
        if (words.length == 3 && words[0].equals("peak")) {
          int count = Integer.parseInt(words[1]);
          rows.add(
              new Row(
                  model,
                  count,
                  Long.parseLong(words[2]) / MIB,
                  Experiment.tokens(modelTokens, model.precision(), count)));
        }
      }
      if (child.waitFor() != 0 || rows.size() != samples.size()) {
        throw new IOException(
            "the memory of " + model + " could not be measured (status " + child.exitValue() + ")");
      }
      return rows;
    } finally {
      child.destroyForcibly();
    }
  }

  /** Whether a file that was written holds all these models. */
  static boolean holds(Path file, List<ModelKey> models) throws IOException {
    List<String> lines = Files.readAllLines(file);
    return models.stream()
        .map(model -> model.workload() + "," + model.backend() + "," + model.precision() + ",")
        .allMatch(start -> lines.stream().anyMatch(line -> line.startsWith(start)));
  }

  /** Writes all rows. */
  void write(Path file) throws IOException {
    var text = new StringBuilder();
    text.append(
            "# Peak memory of a process above what it held before the model was loaded, with one")
        .append(" session.\n");
    text.append(
        String.format(
            Locale.ROOT,
            "# One token is %.3f MiB, so that all models with their smallest batch cost as many"
                + " measured tokens as by the formula.\n",
            mibPerToken));
    text.append("workload,backend,precision,samples,peak_mib,measured_tokens,formula_tokens\n");
    for (Row row : rows) {
      text.append(
          String.format(
              Locale.ROOT,
              "%s,%s,%s,%d,%.1f,%d,%d\n",
              row.model().workload(),
              row.model().backend(),
              row.model().precision(),
              row.samples(),
              row.peakMib(),
              measuredTokens(row),
              row.formulaTokens()));
    }
    Files.writeString(file, text);
  }

  /** A line for each model with its smallest and its largest batch. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (ModelKey model : rows.stream().map(Row::model).distinct().toList()) {
      List<Row> own = rows.stream().filter(row -> row.model().equals(model)).toList();
      Row least = own.get(0);
      Row most = own.get(own.size() - 1);
      lines.add(
          String.format(
              Locale.ROOT,
              "%-30s %5.0f MiB at %d, %5.0f MiB at %d; tokens %d to %d, by the formula %d to %d",
              model,
              least.peakMib(),
              least.samples(),
              most.peakMib(),
              most.samples(),
              measuredTokens(least),
              measuredTokens(most),
              least.formulaTokens(),
              most.formulaTokens()));
    }
    return lines;
  }
}
