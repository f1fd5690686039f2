package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.layers.runtime.RunOptions;
import dev.sluice.layers.runtime.RunOptions.AskedSchedule;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Options of every command that computes a model's layers. */
final class RunOfLayers {
  static final int STEPS_MAX = 1_000_000;
  private static final int SAMPLES_MAX = 256;

  @Parameters(paramLabel = "MODEL", description = "Name of a built-in model, such as vit.")
  private String model = "";

  @Mixin private BudgetOption budget = new BudgetOption();

  @Option(
      names = "--schedule",
      paramLabel = "NAME",
      arity = "1..2",
      parameterConsumer = ScheduleWords.class,
      description =
          "auto, eager, on_demand, prefetch N (N layers ahead), or a schedule's file (default:"
              + " ${DEFAULT-VALUE}).")
  private String schedule = AskedSchedule.AUTO;

  @Option(
      names = "--steps",
      paramLabel = "N",
      description =
          "Number of steps; of a training those before --resume count (default:"
              + " ${DEFAULT-VALUE}).")
  private int steps;

  @Option(
      names = "--batch",
      paramLabel = "N",
      description = "Samples of each step (default: ${DEFAULT-VALUE}).")
  private int batch = 1;

  @Option(
      names = "--bandwidth",
      paramLabel = "RATE",
      description =
          "Paces reading as an emulated slower disk or link, such as 700MB/s (default: not paced).")
  private @Nullable String bandwidth;

  @Option(
      names = "--check-finite",
      description = "Searches each layer's parameters for NaN and infinity as they are read.")
  private boolean checkFinite;

  /**
   * @param steps number of steps unless the user gives one
   */
  RunOfLayers(int steps) {
    this.steps = steps;
  }

  /** The options as they count. */
  RunOptions checked(@Nullable Path trace) throws UserMistakeException {
    Amounts.range("--steps", steps, 1, STEPS_MAX);
    Amounts.range("--batch", batch, 1, SAMPLES_MAX);
    return new RunOptions(
        model,
        budget.bytes(),
        AskedSchedule.parse(schedule),
        steps,
        batch,
        bandwidth == null ? null : Long.valueOf(Amounts.bytesPerSecond("--bandwidth", bandwidth)),
        checkFinite,
        trace);
  }
}
