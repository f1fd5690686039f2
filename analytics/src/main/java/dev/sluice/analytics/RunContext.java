package dev.sluice.analytics;

import dev.sluice.contract.experiment.Experiment;
import java.util.List;
import java.util.Map;

/**
 * What a report says that stands in no event.
 *
 * @param runId names the folder and fills the column run_id
 * @param notes lines that every output shows first, for example where an emulated lane's latency
 *     table comes from; that lanes were emulated is added without being told
 * @param versions of what took part, by name: Sluice, Kafka, engines, Java
 */
public record RunContext(
    Experiment experiment, String runId, List<String> notes, Map<String, String> versions) {
  public RunContext {
    notes = List.copyOf(notes);
  }
}
