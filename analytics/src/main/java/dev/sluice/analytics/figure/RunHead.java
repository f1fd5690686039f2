package dev.sluice.analytics.figure;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.row.Origin;
import dev.sluice.analytics.row.Summary;
import dev.sluice.analytics.statistic.Decimals;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Replay;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** First lines of a summary, about the run itself, and its last lines, about provenance. */
public final class RunHead {
  /** Beginning of the note that the clocks of processes differ. */
  public static final String CLOCKS_DIFFER = "clocks differ by up to ";

  private static final long CLOCK_OFFSET_NOTED_NS = 1_000_000;

  private RunHead() {}

  /** Notes that every output of the run shows first. */
  static List<String> notes(RunRows run) {
    List<String> notes = new ArrayList<>();
    if (run.context().simulated()) {
      notes.add("simulated: nothing ran and nothing waited");
    }
    notes.addAll(notes(run.context().experiment(), run.isEmulated(), run.context().notes()));
    if (run.log().clockOffsetNsMax() > CLOCK_OFFSET_NOTED_NS) {
      notes.add(CLOCKS_DIFFER + Decimals.short3(run.log().clockOffsetNsMax() / 1e6) + " ms");
    }
    return notes;
  }

  /** Notes of a run that are known when it begins, those of its parts last. */
  public static List<String> notes(Experiment experiment, boolean emulated, List<String> more) {
    List<String> notes = new ArrayList<>();
    if (emulated) {
      notes.add("emulated lanes: they waited instead of computing");
    }
    if (experiment.load().arrivals() instanceof Replay replay) {
      notes.add(replay.words());
    }
    notes.addAll(more);
    return notes;
  }

  static void addTo(Summary summary, RunRows run) {
    summary.put("schema_version", Origin.SCHEMA_VERSION);
    summary.put("run_id", run.context().runId());
    summary.put("run_name", run.context().experiment().runName());
    Experiment.Scheduling scheduling = run.context().experiment().scheduling();
    summary.put("scheduler_name", scheduling.schedulerName());
    if (!scheduling.decides().isEmpty()) {
      summary.put("scheduler_decides", scheduling.decides());
    }
    summary.put("emulated", run.isEmulated());
    summary.put("simulated", run.context().simulated());
    summary.put("notes", notes(run));
    summary.put(Summary.NOT_COMPARABLE, List.of());
    summary.put("warmup_seconds", run.context().experiment().load().warmupSeconds());
    summary.put("duration_seconds", run.context().experiment().load().durationSeconds());
    summary.put("window_seconds", run.windowSeconds());
  }

  static void addProvenanceTo(Summary summary, RunRows run) {
    RunStarted started = run.log().started();
    summary.put("seed", started == null ? null : started.seed());
    summary.put("request_digest", started == null ? null : started.requestDigest());
    summary.put("config_digest", started == null ? null : started.configDigest());
    summary.put(
        "clock_offset_ms_max",
        run.context().simulated() ? null : run.log().clockOffsetNsMax() / 1e6);
    Map<String, Object> versions = new TreeMap<>(run.context().versions());
    summary.put("versions", versions);
    origin(run).values().forEach(summary::put);
    summary.put("verdict", summary.verdict().text());
    summary.put("verdict_reasons", summary.verdictReasons());
    summary.put("device_kinds", run.log().deviceKinds());
    summary.put("fit_cpu_seconds", run.log().fitCpuSeconds());
  }

  /** The run's origin, with the times that its log says. */
  private static Origin origin(RunRows run) {
    Origin origin = run.context().origin();
    RunStarted started = run.log().started();
    RunEnded ended = run.log().ended();
    if (origin.startedAt() != null || started == null) {
      return origin;
    }
    Instant zero = Instant.ofEpochMilli(started.timeZeroEpochMs());
    return origin.at(zero, ended == null ? null : zero.plusNanos(ended.endedAtNs()));
  }
}
