package dev.sluice.analytics.fold;

import dev.sluice.analytics.row.Origin;
import dev.sluice.contract.experiment.Experiment;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Facts of a run that its report needs and no event holds.
 *
 * @param runId name of the folder, and value of the column run_id
 * @param notes lines that every output shows first, for example the origin of an emulated lane's
 *     latency table; the note that lanes were emulated is added by itself
 * @param versions versions of Sluice, Kafka, engines and Java, by name
 * @param begunAtEpochMs start of the process that ran every role; null: each role had its own
 * @param simulated true if the run was a simulation, which the notes then describe
 * @param origin machine, command and commit
 */
public record RunContext(
    Experiment experiment,
    String runId,
    List<String> notes,
    Map<String, String> versions,
    @Nullable Long begunAtEpochMs,
    boolean simulated,
    Origin origin) {
  public RunContext {
    notes = List.copyOf(notes);
  }
}
