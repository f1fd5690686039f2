package dev.sluice.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.latency.LatencyModel;
import dev.sluice.executor.latency.Trainer;
import dev.sluice.executor.latency.Trainer.Trained;
import dev.sluice.executor.profile.ProfileFile;
import dev.sluice.executor.profile.ProfileRow;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.profile.TrainReport;
import dev.sluice.harness.terminal.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./sluice train PROFILES}: fits the latency model to a profile. */
@Command(
    name = "train",
    mixinStandardHelpOptions = true,
    description = {
      "Fits the latency model to what profile measured, and says how far it can be trusted on"
          + " passes and samples that it has not seen.",
      "Leaves a folder with model.sluice, report.html and its pictures. The same rows and seed give"
          + " the same model, byte for byte."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:done", "1:a bug", "2:a mistake in the command or in the profile"},
    footer = {"", "Example:", "  ./sluice train results/profiles.csv"})
final class TrainCommand implements Callable<Integer> {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  @Parameters(paramLabel = "PROFILES", description = "The profile (CSV).")
  private @Nullable Path profiles;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Where the model goes (default: models/latency, beside sluice).")
  private @Nullable Path out;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of the trees (default: ${DEFAULT-VALUE}).")
  private long seed = 42;

  @Option(
      names = "--device-kind",
      paramLabel = "KIND",
      description = "Only rows of these lanes; needed where the profile has several kinds.")
  private @Nullable String deviceKind;

  @Option(
      names = "--json",
      description = "Prints the figures as JSON on standard output, all else on standard error.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    PrintStream result = System.out;
    var console = json ? Console.standardError() : Console.standardOutput();
    try {
      if (profiles == null) {
        throw new IllegalStateException("the command line was not parsed");
      }
      Path home = Path.of(System.getProperty("sluice.home", "."));
      train(
          profiles, out == null ? home.resolve("models").resolve("latency") : out, console, result);
      return ExitStatus.DONE;
    } catch (UserMistakeException e) {
      System.err.println(e.getMessage());
      return ExitStatus.MISTAKE;
    }
  }

  private void train(Path file, Path folder, Console console, PrintStream result)
      throws UserMistakeException, IOException {
    List<ProfileRow> rows =
        Trainer.checked(ProfileFile.read(file).rows(), file.toString(), deviceKind);
    console.line("Sluice " + SluiceVersion.current() + ", training on " + file);
    Trained trained = Trainer.train(rows, seed);
    LatencyModel model = trained.model();
    var report = new TrainReport(file.toString(), trained);
    Path modelFile;
    try {
      modelFile = model.write(folder);
      report.write(folder);
    } catch (IOException e) {
      throw new UserMistakeException(
          "--out",
          "the folder cannot be written (" + folder + ": " + UserMistakeException.reason(e) + ")",
          "you want another --out, or have to give yourself the right to write there",
          e);
    }
    if (json) {
      result.println(JSON.writeValueAsString(report.figures()));
    }
    report.lines().forEach(line -> console.item(line.label(), line.text()));
    console.line("");
    console.line("Model     " + modelFile + ", version " + model.version());
    console.line("Report    " + folder.resolve(TrainReport.FILE));
  }
}
