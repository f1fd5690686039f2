package dev.sluice.producer.requests;

import dev.sluice.contract.event.Fact;
import dev.sluice.contract.value.ModelKey;
import java.util.Collection;

/** Requests that a run may send, in the order of their intended arrivals: jobs, or workflows. */
public interface ArrivalList {
  int size();

  long intendedAtNs(int index);

  /** Returns the request at a place as a generator sends it. */
  Fact get(int index, int generator, long intendedAtNs, long sentAtNs);

  /** Returns the place of the request that a job belongs to; −1 if the list has no such job. */
  int indexOf(String jobId);

  /** Returns the number of jobs of the request at a place. */
  default int jobs(int index) {
    return 1;
  }

  /** Returns the models that the jobs run; one may be there several times. */
  Collection<ModelKey> models();

  /** Returns the text by which a run that goes on knows its list again. */
  String digest();

  /** Returns the index of the first request that is not meant to arrive before. */
  default int countBefore(long atNs) {
    int low = 0; // all before it arrive before
    int high = size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (intendedAtNs(middle) < atNs) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
