package dev.sluice.harness.report;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.capacity.RunEvidence;
import dev.sluice.analytics.capacity.RunEvidence.Samples;
import dev.sluice.analytics.capacity.Target;
import dev.sluice.analytics.report.RunReport;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.analytics.row.Jobs.JobRow;
import dev.sluice.analytics.row.Summary;
import dev.sluice.contract.experiment.Experiment.Load;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.run.ChildRuns;
import dev.sluice.harness.run.RunSettings;
import dev.sluice.harness.simulate.SimulatedExperiment;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A search's runs: simulated in this process, or live, each in a process of its own. */
final class LoadRuns {
  private static final String SATURATED = "generator saturated";

  private final CapacityRun.Options options;
  private final Load load;
  private final Target target;
  private final Path folder;
  private final ChildRuns children;
  private volatile boolean stopped;

  LoadRuns(CapacityRun.Options options, Load load, Target target, Path folder, Console console) {
    this.options = options;
    this.load = load;
    this.target = target;
    this.folder = folder;
    var output = new RunSettings.Output(folder, false, /* noLog= */ true, null);
    var settings =
        new RunSettings(options.config(), List.of(), output, null); // each run has its own
    children = new ChildRuns(settings, false, console, Redirect.DISCARD);
  }

  static final class StoppedRunException extends Exception {
    private static final long serialVersionUID = 1;
  }

  /** Runs once, with a measured window that many times as long as the experiment's. */
  RunEvidence run(String policy, double rate, long seed, int lengths)
      throws UserMistakeException, IOException, InterruptedException, StoppedRunException {
    return options.simulate()
        ? simulated(policy, rate, seed, lengths)
        : live(policy, rate, seed, lengths);
  }

  /** Ends the live run that goes on. From any thread. */
  void stop() {
    stopped = true;
    children.kill();
  }

  private RunEvidence simulated(String policy, double rate, long seed, int lengths)
      throws UserMistakeException, IOException, StoppedRunException {
    if (stopped) {
      throw new StoppedRunException();
    }
    var parsed = options.read(options.overridesFor(load, rate, policy, seed, lengths));
    RunReport report =
        SimulatedExperiment.read(parsed, options.profile()).report(policy + "-" + seed);
    var samples = new Samples(target);
    for (JobRow job : report.rows().jobs().all()) {
      if (job.isMeasured()) {
        boolean done = job.isDone();
        samples.add(
            job.kind().classType(),
            job.kind().workload(),
            job.isViolation(),
            done,
            done ? job.endToEndNs() / 1e6 : Double.POSITIVE_INFINITY,
            done ? job.waitNs() / 1e6 : Double.POSITIVE_INFINITY);
      }
    }
    Summary summary = report.summary();
    Double p99 = summary.figure("all_p99_e2e_ms");
    Double goodput = summary.figure("all_goodput_jobs_sec");
    return new RunEvidence(
        policy,
        rate,
        seed,
        lengths,
        Boolean.TRUE.equals(summary.values().get("unstable")),
        /* late= */ false,
        String.join("; ", summary.notComparableReasons()),
        p99 == null ? Double.NaN : p99,
        goodput == null ? 0 : goodput,
        samples.build());
  }

  private RunEvidence live(String policy, double rate, long seed, int lengths)
      throws UserMistakeException, IOException, InterruptedException, StoppedRunException {
    String id = policy + "-" + rate + "-" + seed;
    RunFolder.removeAll(folder, id); // what an earlier command left
    int status = children.run(folder, id, options.overridesFor(load, rate, policy, seed, lengths));
    if (stopped) {
      throw new StoppedRunException();
    }
    Path finished = folder.resolve(id);
    Path left = Files.exists(finished) ? finished : folder.resolve(id + RunFolder.FAILED);
    if (status == ExitStatus.INCONCLUSIVE && Files.exists(left.resolve(FolderFiles.FAILURE))) {
      String why = Files.readString(left.resolve(FolderFiles.FAILURE)).strip();
      return new RunEvidence(
          policy,
          rate,
          seed,
          lengths,
          /* unstable= */ false,
          /* late= */ true,
          why,
          Double.POSITIVE_INFINITY,
          /* goodputJobsSec= */ 0,
          new Samples(target).build());
    }
    if (!FinishedRun.isFolder(left)) {
      throw new IOException(
          "the run " + id + " ended with status " + status + " and left no figures");
    }
    FinishedRun run = FinishedRun.of(left);
    JsonNode summary = run.summary();
    List<String> silent = run.notComparable();
    if (silent.isEmpty() && !ExitStatus.isWhole(status)) {
      silent.add("the run failed with status " + status);
    }
    return new RunEvidence(
        policy,
        rate,
        seed,
        lengths,
        summary.path("unstable").asBoolean(),
        silent.stream().anyMatch(reason -> reason.contains(SATURATED)),
        String.join("; ", silent),
        summary.path("all_p99_e2e_ms").isNumber()
            ? summary.path("all_p99_e2e_ms").asDouble()
            : Double.POSITIVE_INFINITY,
        summary.path("all_goodput_jobs_sec").asDouble(),
        samples(run));
  }

  private List<RunEvidence.Sample> samples(FinishedRun run) throws UserMistakeException {
    var samples = new Samples(target);
    run.each(
        FolderFiles.TRACE,
        job -> {
          if (job.says("phase", "measured")) {
            boolean done = job.says("status", "done");
            samples.add(
                job.name("class_type"),
                job.name("workload_name"),
                job.says("slo_violation", "1"),
                done,
                done ? job.msAsNs("e2e_ms") / 1e6 : Double.POSITIVE_INFINITY,
                done ? job.msAsNs("wait_ms") / 1e6 : Double.POSITIVE_INFINITY);
          }
        });
    return samples.build();
  }
}
