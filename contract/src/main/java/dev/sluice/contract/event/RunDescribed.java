package dev.sluice.contract.event;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a run is. First record of topic {@code metrics}.
 *
 * @param timeZeroEpochMs time zero of the run on the broker's clock, milliseconds since 1970
 * @param notes lines that every output of the run shows first
 * @param experimentYaml the resolved experiment, as config.yaml holds it; no secret is in it
 * @param emulated true if lanes waited instead of computing
 * @param versions versions of Sluice, Kafka, engines and Java, by name
 */
public record RunDescribed(
    String runId,
    long timeZeroEpochMs,
    List<String> notes,
    String experimentYaml,
    String configDigest,
    String requestDigest,
    boolean emulated,
    Map<String, String> versions)
    implements WindowRecord {
  public RunDescribed {
    notes = List.copyOf(notes);
    versions = new TreeMap<>(versions);
  }
}
