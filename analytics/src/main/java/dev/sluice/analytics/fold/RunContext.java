package dev.sluice.analytics.fold;

import dev.sluice.contract.experiment.Experiment;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a report says that stands in no event.
 *
 * @param runId names the folder and fills the column run_id
 * @param notes lines that every output shows first, for example where an emulated lane's latency
 *     table comes from; that lanes were emulated is added without being told
 * @param versions of what took part, by name: Sluice, Kafka, engines, Java
 * @param begunAtEpochMs when the process began that ran all of it; null: each role had its own
 * @param simulated whether the run was a simulation, which the notes then say more of
 */
public record RunContext(
    Experiment experiment,
    String runId,
    List<String> notes,
    Map<String, String> versions,
    @Nullable Long begunAtEpochMs,
    boolean simulated) {
  public RunContext {
    notes = List.copyOf(notes);
  }

  /** Of a run that was no simulation. */
  public RunContext(
      Experiment experiment,
      String runId,
      List<String> notes,
      Map<String, String> versions,
      @Nullable Long begunAtEpochMs) {
    this(experiment, runId, notes, versions, begunAtEpochMs, false);
  }
}
