package dev.sluice.producer.trace;

import dev.sluice.contract.log.RequestKind;
import java.util.LinkedHashMap;
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
@SuppressWarnings("ArrayRecordComponent") // large, compared by nobody, and copied for nobody
public record Trace(
    String format,
    List<RequestKind> kinds,
    int[] kindByIndex,
    long[] atNsByIndex,
    Map<String, Long> leftOut,
    long read,
    List<String> notes) {
  public Trace {
    kinds = List.copyOf(kinds);
    notes = List.copyOf(notes);
  }

  /** Returns the part of a trace that a window keeps; what it leaves out is counted. */
  public Trace within(TraceOptions.Window window) {
    var jobs = new TraceJobs(window, false, false);
    for (int i = 0; i < size(); i++) {
      jobs.add(atNsByIndex[i], kindByIndex[i]);
    }
    jobs.finish();
    Map<String, Long> left = new LinkedHashMap<>(leftOut);
    jobs.leftOut().forEach((reason, count) -> left.merge(reason, count, Long::sum));
    return new Trace(format, kinds, jobs.kinds(), jobs.atNs(), left, read, notes);
  }

  /** Returns how many requests were kept. */
  public int size() {
    return kindByIndex.length;
  }
}
