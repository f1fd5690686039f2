package dev.sluice.scheduling.state;

import dev.sluice.scheduling.policy.JobOrder;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Jobs in one order, in an array with room at both ends. A job that comes last or goes first costs
 * the same however many there are; any other one costs a search and the moving of the jobs between
 * it and the nearer end.
 */
public final class JobList {
  private final JobOrder order;

  /** Jobs, in the places [from, to). */
  private @Nullable QueuedJob[] jobs = new QueuedJob[16];

  private int from;
  private int to;

  JobList(JobOrder order) {
    this.order = order;
  }

  @Nullable QueuedJob first() {
    return from == to ? null : jobs[from];
  }

  /** Returns what the first job is ordered by; {@link Long#MAX_VALUE}: there is none. */
  long firstKey() {
    return from == to ? Long.MAX_VALUE : order.key(job(from));
  }

  public int size() {
    return to - from;
  }

  /** Returns the job at a place in [0, size). */
  public QueuedJob at(int place) {
    return job(from + Objects.checkIndex(place, size()));
  }

  void insert(QueuedJob job) {
    int at = from == to || order.compare(job(to - 1), job) < 0 ? to : search(job);
    if (from > 0 && at - from < to - at) {
      System.arraycopy(jobs, from, jobs, from - 1, at - from);
      from--;
      jobs[at - 1] = job;
      return;
    }
    if (to == jobs.length) {
      int moved = from;
      makeRoom();
      at -= moved - from;
    }
    System.arraycopy(jobs, at, jobs, at + 1, to - at);
    to++;
    jobs[at] = job;
  }

  private void makeRoom() {
    if (from <= jobs.length / 2) {
      jobs = Arrays.copyOf(jobs, 2 * jobs.length);
      return;
    }
    int size = size();
    System.arraycopy(jobs, from, jobs, 0, size);
    Arrays.fill(jobs, size, to, null);
    from = 0;
    to = size;
  }

  void remove(QueuedJob job) {
    int at = jobs[from] == job ? from : search(job);
    if (at - from < to - at - 1) {
      System.arraycopy(jobs, from, jobs, from + 1, at - from);
      jobs[from++] = null;
    } else {
      System.arraycopy(jobs, at + 1, jobs, at, to - at - 1);
      jobs[--to] = null;
    }
  }

  /** Returns the place of the first job that does not come before the given one. */
  private int search(QueuedJob job) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (order.compare(job(middle), job) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  @SuppressWarnings("NullAway") // a job stands at each place in [from, to)
  private QueuedJob job(int at) {
    return jobs[at];
  }
}
