package dev.sluice.harness.report;

import dev.sluice.analytics.compare.Comparison;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.dispatch.LaneSource;
import dev.sluice.harness.frame.Registries;
import dev.sluice.producer.requests.OfferedRate;
import dev.sluice.producer.requests.RequestList;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Two settings of one experiment, each of which runs under the same seeds: A as the file says it, B
 * with what {@code --versus} changes.
 *
 * @param overrides {@code key=value} of both
 * @param changes {@code key=value} of B alone; not empty
 * @param repeats number of seeds
 */
public record Versus(
    Path config,
    List<String> overrides,
    List<String> changes,
    int repeats,
    CompareRun.Judging judging) {
  static final int REPEATS_MIN = 8;
  private static final int ID_DIGITS = 8;

  public Versus {
    overrides = List.copyOf(overrides);
    changes = List.copyOf(changes);
  }

  /** Both settings, read and found comparable as far as the experiment tells. */
  record Settings(ParsedExperiment a, ParsedExperiment b) {}

  List<String> overridesOfB() {
    List<String> all = new ArrayList<>(overrides);
    all.addAll(changes);
    return all;
  }

  /** Reads both settings, and checks them together before anything runs. */
  Settings read() throws UserMistakeException {
    ParsedExperiment a = ExperimentFile.read(config, overrides, Registries.vocabulary());
    ParsedExperiment b = ExperimentFile.read(config, overridesOfB(), Registries.vocabulary());
    UserMistakeException.throwIf(
        repeats < REPEATS_MIN,
        "--repeat",
        "the value (" + repeats + ") is below 8, and fewer pairs have no verdict",
        "--repeat 8 will do");
    var jobs = a.experiment().jobs();
    Comparison.checkPrimary(
        judging.primary(),
        jobs.classes().stream().map(c -> c.name()).toList(),
        jobs.workloads().stream().map(w -> w.name()).toList());
    if (!judging.anyway()) {
      refuse("seeds", a.experiment().seed() != b.experiment().seed());
      refuse(
          "kinds of lanes", a.experiment().lanes().emulated() != b.experiment().lanes().emulated());
      refuse(
          "values of lanes.ahead",
          a.experiment().lanes().ahead() != b.experiment().lanes().ahead());
      refuse("requests", !requests(a).equals(requests(b)));
    }
    return new Settings(a, b);
  }

  private static String requests(ParsedExperiment asked) throws UserMistakeException {
    ParsedExperiment parsed = OfferedRate.provisional(asked);
    try (LaneSource lanes = LaneSource.of(parsed)) {
      return RequestList.of(parsed, lanes::isolatedMs).digest();
    }
  }

  private void refuse(String what, boolean differs) throws UserMistakeException {
    UserMistakeException.throwIf(
        differs,
        "--versus",
        "the change (" + String.join(", ", changes) + ") gives the two other " + what,
        "you want to change the policy or a key of it, or --anyway, which each output repeats");
  }

  /** The same command has the same id, so that it goes on; how is what else the runs depend on. */
  String id(Settings settings, String how) {
    Experiment a = settings.a.experiment();
    String all =
        ResolvedConfig.digest(a) + ResolvedConfig.digest(settings.b.experiment()) + repeats + how;
    return a.runName()
        + "-versus-"
        + Sha256.hex(all.getBytes(StandardCharsets.UTF_8)).substring(0, ID_DIGITS);
  }

  String nameOfA() {
    return "as the file says" + (overrides.isEmpty() ? "" : ", " + String.join(", ", overrides));
  }

  String nameOfB() {
    return "with " + String.join(", ", changes);
  }
}
