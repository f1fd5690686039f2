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

/**
 * Finished live runs, each compared with a simulation of its own requests.
 *
 * @param folders folders of live runs, or of repeats
 * @param profile source of service times; null: the one that the experiment names
 */
public record LikeRuns(
    List<Path> folders, List<String> overrides, @Nullable Path profile, Console console) {
  private static final ObjectMapper JSON = new ObjectMapper();

  public LikeRuns {
    folders = List.copyOf(folders);
    overrides = List.copyOf(overrides);
  }

  /** Simulates all runs, prints the comparison, and returns the exit status. */
  public int execute() throws UserMistakeException, IOException {
    List<FinishedRun> runs = new ArrayList<>();
    for (Path folder : folders) {
      for (Path single : FinishedRun.folders(folder)) {
        runs.add(HopsFile.live(single));
      }
    }
    Profile times = Profile.read(profile);
    List<JsonNode> live = new ArrayList<>();
    List<JsonNode> simulated = new ArrayList<>();
    Set<String> notes = new LinkedHashSet<>();
    Set<Boolean> emulated = new LinkedHashSet<>();
    for (FinishedRun run : runs) {
      SimulatedExperiment experiment = experiment(run, times);
      emulated.add(experiment.parsed().experiment().lanes().emulated());
      notes.addAll(ExperimentFiles.changed(experiment.parsed()));
      notes.addAll(experiment.notes());
      live.add(run.summary());
      simulated.add(JSON.readTree(experiment.report(run.name()).summary().toJson()));
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

  private SimulatedExperiment experiment(FinishedRun run, @Nullable Profile times)
      throws UserMistakeException {
    List<String> all = new ArrayList<>(overrides);
    Path config = run.config();
    ParsedExperiment parsed = ExperimentFile.read(config, all, Registries.vocabulary());
    refuseItsOwn(run, times, parsed);
    String named = parsed.experiment().lanes().latencyTable();
    if (named != null && !Files.exists(parsed.resolve(named))) {
      if (profile == null || times == null || times.run() != null) {
        throw new UserMistakeException(
            parsed.location("lanes.latency_table"),
            "lanes.latency_table (" + named + ") cannot be found from the run's folder",
            "--profile FILE or --set lanes.latency_table=FILE names it");
      }
      all.add("lanes.latency_table=" + profile.toAbsolutePath());
      parsed = ExperimentFile.read(config, all, Registries.vocabulary());
    }
    SimulatedExperiment experiment = SimulatedExperiment.of(parsed, times);
    UserMistakeException.throwIf(
        !experiment.requests().digest().equals(run.requestDigest()),
        run.folder().toString(),
        "the run's requests cannot be drawn again (request digest %s, drawn %s)"
            .formatted(run.requestDigest(), experiment.requests().digest()),
        "another version of Sluice made the run, or a --set changes its load");
    return experiment;
  }

  private void refuseItsOwn(FinishedRun run, @Nullable Profile times, ParsedExperiment parsed)
      throws UserMistakeException {
    FinishedRun source = times == null ? null : times.run();
    boolean same = source != null && source.requestDigest().equals(run.requestDigest());
    UserMistakeException.throwIf(
        profile != null && (run.holds(profile) || same),
        "--profile",
        "these service times ("
            + profile
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
