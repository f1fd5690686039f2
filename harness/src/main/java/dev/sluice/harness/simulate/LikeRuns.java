package dev.sluice.harness.simulate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.analytics.compare.Agreement;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.ExperimentFiles;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.machine.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finished live runs, each compared with a simulation of its own requests. */
public record LikeRuns(Options options, Console console) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Folders of live runs, or of repeats; service times come from the profile, or as the experiment
   * says.
   */
  public record Options(List<Path> folders, List<String> overrides, @Nullable Path profile) {
    public Options {
      folders = List.copyOf(folders);
      overrides = List.copyOf(overrides);
    }
  }

  /** Simulates all runs, prints the comparison, and returns the exit status. */
  public int execute() throws UserMistakeException, IOException {
    List<FinishedRun> runs = new ArrayList<>();
    for (Path folder : options.folders()) {
      for (Path single : FinishedRun.folders(folder)) {
        runs.add(HopsFile.live(single));
      }
    }
    Profile profile = Profile.read(options.profile());
    List<JsonNode> live = new ArrayList<>();
    List<JsonNode> simulated = new ArrayList<>();
    Set<String> notes = new LinkedHashSet<>();
    Set<Boolean> emulated = new LinkedHashSet<>();
    for (FinishedRun run : runs) {
      SimulatedExperiment experiment = experiment(run, profile);
      emulated.add(experiment.parsed().experiment().lanes().emulated());
      notes.addAll(ExperimentFiles.changed(experiment.parsed()));
      notes.addAll(experiment.notes());
      live.add(run.summary());
      var report = experiment.simulate(run.name(), experiment.environment(), null).report();
      simulated.add(JSON.readTree(report.summary().toJson()));
      if (run.summary().path("not_comparable").size() > 0) {
        notes.add(run.folder() + " is not comparable: " + run.summary().path("not_comparable"));
      }
    }
    UserMistakeException.throwIf(
        emulated.size() > 1,
        "--like",
        "some of these runs had emulated lanes, others real ones",
        "you want to name runs of one kind");
    notes.forEach(note -> console.line("! " + note));
    var agreement = new Agreement(live, simulated, emulated.contains(true));
    console.line("");
    console.line(agreement.render().stripTrailing());
    console.result(agreement.toJson());
    return ExitStatus.DONE;
  }

  private SimulatedExperiment experiment(FinishedRun run, @Nullable Profile profile)
      throws UserMistakeException {
    List<String> all = new ArrayList<>(options.overrides());
    Path config = run.config();
    ParsedExperiment parsed = ExperimentFile.read(config, all, Registries.vocabulary());
    refuseItsOwn(run, profile, parsed);
    String named = parsed.experiment().lanes().latencyTable();
    if (named != null && !Files.exists(parsed.resolve(named))) {
      Path profilePath = options.profile();
      if (profilePath == null || profile == null || profile.run() != null) {
        throw new UserMistakeException(
            parsed.location("lanes.latency_table"),
            "lanes.latency_table (" + named + ") cannot be found from the run's folder",
            "--profile FILE or --set lanes.latency_table=FILE names it");
      }
      all.add("lanes.latency_table=" + profilePath.toAbsolutePath());
      parsed = ExperimentFile.read(config, all, Registries.vocabulary());
    }
    SimulatedExperiment experiment = SimulatedExperiment.of(parsed, profile);
    UserMistakeException.throwIf(
        !experiment.requests().digest().equals(run.requestDigest()),
        run.folder().toString(),
        "the run's requests cannot be drawn again (request digest %s, drawn %s)"
            .formatted(run.requestDigest(), experiment.requests().digest()),
        "another version of Sluice made the run, or a --set changes its load");
    return experiment;
  }

  private void refuseItsOwn(FinishedRun run, @Nullable Profile profile, ParsedExperiment parsed)
      throws UserMistakeException {
    FinishedRun source = profile == null ? null : profile.run();
    Path profilePath = options.profile();
    boolean same = source != null && source.requestDigest().equals(run.requestDigest());
    UserMistakeException.throwIf(
        profilePath != null && (run.holds(profilePath) || same),
        "--profile",
        "these service times ("
            + profilePath
            + ") come from the run itself, or from a run with equal requests",
        "you want --profile to name a latency table, or a run with another seed");
    String hops = parsed.experiment().simulation().hops();
    UserMistakeException.throwIf(
        hops != null && run.holds(parsed.resolve(hops)),
        parsed.location("simulation.hops"),
        "these hops (" + hops + ") are the run's own",
        "you want simulation.hops to name another run");
  }
}
