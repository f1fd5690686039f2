package dev.sluice.harness.report;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.simulate.SimulatedRun;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Simulations of two settings: all seeds of one, then all of the other. Nothing that changes with
 * time can favor either.
 */
public record VersusSimulation(Versus versus, SimulatedRun.Options options, Console console) {
  public int execute() throws UserMistakeException, IOException, InterruptedException {
    Versus.Settings settings = versus.read();
    var inEach = new SimulatedRun.Output(options.output().noTrace(), options.output().log(), null);
    String id = versus.id(settings, "simulate" + options.profile() + inEach);
    List<String> rate = SimulatedRun.rateOf(settings.a(), options);
    try (var series = VersusSeries.take(options.results(), options.runId(), id)) {
      RunFolder.writeNote(series.folder(), options.output().note());
      for (String side : List.of(VersusSeries.A, VersusSeries.B)) {
        if (series.isWhole(side)) {
          continue;
        }
        RunFolder.removeAll(series.folder(), side);
        console.step(
            "Simulating " + versus.repeats() + " seeds of " + side.toUpperCase(Locale.ROOT));
        int status = simulate(series, side, rate, inEach);
        if (!ExitStatus.isWhole(status)) {
          console.line("The simulations failed. Maybe their folders say more: " + series.folder());
          return status;
        }
      }
      return series.conclude(versus, console);
    }
  }

  private int simulate(
      VersusSeries series, String side, List<String> rate, SimulatedRun.Output output)
      throws UserMistakeException, IOException, InterruptedException {
    List<String> overrides =
        new ArrayList<>(side.equals(VersusSeries.B) ? versus.overridesOfB() : versus.overrides());
    overrides.addAll(rate);
    var silent =
        new Console(
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8), false);
    return new SimulatedRun(
            new SimulatedRun.Options(
                options.config(),
                overrides,
                series.folder(),
                side,
                options.profile(),
                output,
                versus.repeats()),
            silent)
        .execute();
  }
}
