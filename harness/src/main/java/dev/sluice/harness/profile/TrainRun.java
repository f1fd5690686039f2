package dev.sluice.harness.profile;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.latency.LatencyModel;
import dev.sluice.executor.latency.ModelFile;
import dev.sluice.executor.latency.ProfileFile;
import dev.sluice.executor.latency.ProfileRow;
import dev.sluice.executor.latency.Trainer;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.machine.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One training, from a profile to the latency model's folder. */
public record TrainRun(Options options, Console console) {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /**
   * Options of a training.
   *
   * @param profiles file of profile rows (CSV)
   * @param folder folder of the model; null: {@code models/latency} in the home of Sluice
   * @param seed seed of the trees
   * @param deviceKind kind of the lanes whose rows count; null: the profile has one kind
   */
  public record Options(
      Path profiles, @Nullable Path folder, long seed, @Nullable String deviceKind) {}

  public int execute() throws UserMistakeException, IOException {
    Path file = options.profiles();
    Path named = options.folder();
    Path folder =
        named != null
            ? named
            : Path.of(System.getProperty("sluice.home", ".")).resolve("models").resolve("latency");
    ModelFile.checkFolder(folder);
    TrainReport.checkFolder(folder);
    List<ProfileRow> rows =
        Trainer.checked(ProfileFile.read(file).rows(), file.toString(), options.deviceKind());
    console.line("Sluice " + SluiceVersion.current() + ", training on " + file);
    String disturbance = ProfileRow.disturbance(rows);
    if (disturbance != null) {
      console.item("", "warning: " + disturbance);
    }
    Trainer.Trained trained = Trainer.train(rows, options.seed());
    LatencyModel model = trained.model();
    var report = new TrainReport(file.toString(), model, trained.validation());
    Path modelFile;
    try {
      modelFile = ModelFile.write(model, folder);
      report.write(folder);
    } catch (IOException e) {
      throw RunFolder.notWritable("--out", folder, e);
    }
    if (console.hasResults()) {
      console.result(JSON.writeValueAsString(report.named()) + System.lineSeparator());
    }
    report.show(console);
    console.line("");
    console.line("Model     " + modelFile + ", version " + model.version());
    console.line("Report    " + folder.resolve(TrainReport.FILE));
    return ExitStatus.DONE;
  }
}
