package dev.sluice.harness.replay;

import dev.sluice.contract.log.RecordedRequest;
import dev.sluice.contract.log.RecordingWriter;
import dev.sluice.contract.log.RequestKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Requests in memory, until all have been read and can be sorted. Not safe for threads. */
final class RequestBuffer {
  private final List<Entry> entries = new ArrayList<>();

  /** Kinds of requests; equal ones are one object. */
  private final Map<RequestKind, RequestKind> kinds = new HashMap<>();

  /**
   * A request.
   *
   * @param order its place among requests of one time
   */
  private record Entry(long atNs, long order, RequestKind kind) {}

  void add(long atNs, long order, RequestKind kind) {
    RequestKind known = kinds.putIfAbsent(kind, kind);
    entries.add(new Entry(atNs, order, known == null ? kind : known));
  }

  int size() {
    return entries.size();
  }

  /** The earliest time; there must be a request. */
  long firstNs() {
    return entries.stream().mapToLong(Entry::atNs).min().orElseThrow();
  }

  /** The latest time; there must be a request. */
  long lastNs() {
    return entries.stream().mapToLong(Entry::atNs).max().orElseThrow();
  }

  /**
   * Sorts the requests by time and order.
   *
   * @param once true if a request of equal time and order is the same one, sent again
   */
  void sort(boolean once) {
    entries.sort(Comparator.comparingLong(Entry::atNs).thenComparingLong(Entry::order));
    if (once) {
      List<Entry> kept = new ArrayList<>(entries.size());
      Entry last = null;
      for (Entry entry : entries) {
        if (last == null || last.atNs != entry.atNs || last.order != entry.order) {
          kept.add(entry);
        }
        last = entry;
      }
      entries.clear();
      entries.addAll(kept);
    }
  }

  /** Writes the sorted requests, with times that count from the given one. */
  void write(RecordingWriter<RecordedRequest> to, long zeroNs) throws IOException {
    for (Entry entry : entries) {
      to.write(new RecordedRequest(entry.atNs() - zeroNs, entry.kind()));
    }
  }
}
