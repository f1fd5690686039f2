package dev.sluice.producer.trace;

import java.util.List;
import java.util.Map;

/**
 * Recorded requests by time: their kinds and times, twelve bytes a request, and what was left out.
 * Every request read is either kept or left out. The arrays are the caller's to change.
 *
 * @param format what the file was taken for, for a person
 * @param kinds different kinds, in the order in which they first occur in the file
 * @param kindByIndex number of the kind by request
 * @param atNsByIndex time by request, since the trace's time zero; rising, at least 0
 * @param leftOut number of requests that were left out, by reason, in the order of the reasons
 * @param read number of requests read
 * @param notes lines about the file that a person should know
 */
public record Trace(
    String format,
    List<TraceKind> kinds,
    int[] kindByIndex,
    long[] atNsByIndex,
    Map<String, Long> leftOut,
    long read,
    List<String> notes) {
  public Trace {
    kinds = List.copyOf(kinds);
    notes = List.copyOf(notes);
  }

  /** Returns how many requests were kept. */
  public int size() {
    return kindByIndex.length;
  }
}
