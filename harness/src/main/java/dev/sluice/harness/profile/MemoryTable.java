package dev.sluice.harness.profile;

import dev.sluice.contract.value.ModelKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Memory of each model with each batch, and the tokens that would follow from it. The unit is
 * chosen so that all models with their smallest batch cost as many tokens as by the formula.
 */
final class MemoryTable {
  private final List<Row> rows;
  private final double mibPerToken;

  /**
   * Memory of one model with one batch.
   *
   * @param peakMib peak above the memory that the process held before it loaded the model
   * @param formulaTokens tokens by the experiment's formula
   */
  record Row(ModelKey model, int samples, double peakMib, long formulaTokens) {}

  /**
   * @param rows at least one row; each model's rows by rising samples
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

  /** The memory that one token stands for. */
  double mibPerToken() {
    return mibPerToken;
  }

  /** The tokens that the row's peak comes to, rounded up. */
  long measuredTokens(Row row) {
    return (long) Math.ceil(row.peakMib() / mibPerToken - 1e-9);
  }

  /** True if an existing file holds all these models. */
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
