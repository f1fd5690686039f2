package dev.sluice.producer.requests;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.value.JobId;
import dev.sluice.producer.requests.RequestSource.IsolatedTimes;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * All jobs that a run may ask for, by intended arrival, for duration and tail together. The list is
 * drawn from the seed, or read from a file, before the run, which sends jobs from its beginning and
 * may stop before its end. The number of generators, the policy and the machine do not change it.
 * It takes five to twelve bytes a job. Immutable.
 */
public final class RequestList {
  /** About as many letters are handed to the digest at once. */
  private static final int DIGESTED_LETTERS = 1 << 13;

  private final List<JobKind> kinds;
  private final PackedRequests requests;
  private final List<String> notes;
  private @Nullable String digest; // made when it is first asked for

  private RequestList(List<JobKind> kinds, PackedRequests requests, List<String> notes) {
    this.notes = List.copyOf(notes);
    this.kinds = List.copyOf(kinds);
    this.requests = requests;
  }

  /**
   * Makes the list that an experiment file asks for, drawn or read from the files that it names.
   *
   * @param isolatedTimes called only for jobs of classes with a {@code slo_scale}
   * @throws UserMistakeException if a file that the experiment names is missing or wrong
   */
  public static RequestList of(ParsedExperiment parsed, IsolatedTimes isolatedTimes)
      throws UserMistakeException {
    return of(RequestSource.of(parsed, isolatedTimes));
  }

  /**
   * Draws the list of an experiment that names no file of requests.
   *
   * @param isolatedTimes called only for jobs of classes with a {@code slo_scale}
   * @throws IllegalArgumentException if the arrival process is unknown
   */
  public static RequestList draw(Experiment experiment, IsolatedTimes isolatedTimes) {
    return of(RequestSource.drawn(experiment, isolatedTimes));
  }

  /**
   * Draws the list of an experiment without a file of requests and without a {@code slo_scale}.
   *
   * @throws IllegalArgumentException if the arrival process is unknown, or a class has a scale
   */
  public static RequestList draw(Experiment experiment) {
    return draw(
        experiment,
        (workload, backend, precision, samples) -> {
          throw new IllegalArgumentException(
              "the isolated time of " + workload + " is needed for a slo_scale");
        });
  }

  /** Takes all requests of a source into memory. */
  public static RequestList of(RequestSource source) {
    var kinds = new ArrayList<JobKind>();
    Map<JobKind, Integer> numberOfKind = new HashMap<>(); // looked up, never iterated
    // most sources give one object for all jobs of a kind, which needs no comparison of its texts
    IdentityHashMap<JobKind, Integer> numberOfObject = new IdentityHashMap<>();
    var requests = new PackedRequests();
    while (source.next()) {
      JobKind kind = source.kind();
      Integer number = numberOfObject.get(kind);
      if (number == null) {
        number = numberOfKind.putIfAbsent(kind, kinds.size());
        if (number == null) {
          number = kinds.size();
          kinds.add(kind);
          numberOfObject.put(kind, number);
        }
      }
      requests.add(number, source.intendedAtNs());
    }
    return new RequestList(kinds, requests, source.notes());
  }

  /** Returns the same jobs with their intended arrivals multiplied by a factor above 0. */
  public RequestList stretched(double factor) {
    var stretched = new PackedRequests();
    for (int i = 0; i < size(); i++) {
      stretched.add(requests.kind(i), Math.round(requests.intendedAtNs(i) * factor));
    }
    return new RequestList(kinds, stretched, notes);
  }

  /** Returns lines about the list's source that a person should know before the run. */
  public List<String> notes() {
    return notes;
  }

  /** Returns how many jobs there are. */
  public int size() {
    return requests.size();
  }

  /**
   * Returns the job at a place.
   *
   * @throws IndexOutOfBoundsException unless 0 ≤ index &lt; size
   */
  public Request get(int index) {
    JobKind kind = kinds.get(requests.kind(index));
    return new Request(
        index,
        JobId.of(index),
        kind.classType(),
        kind.workload(),
        kind.backend(),
        kind.precision(),
        kind.samples(),
        kind.sloNs(),
        requests.intendedAtNs(index));
  }

  /** Returns the intended arrival of the job at a place. */
  public long intendedAtNs(int index) {
    return requests.intendedAtNs(index);
  }

  /** Returns the place in {@link #kinds()} of the kind of the job at a place. */
  public int kindNumber(int index) {
    return requests.kind(index);
  }

  /**
   * Returns the SHA-256, in hexadecimal, of one line per job in order, UTF-8: id, class, workload,
   * backend, precision, samples, SLO in ns, intended time in ns, with a tab between them and a line
   * feed after each line.
   */
  public synchronized String digest() {
    if (digest == null) {
      List<String> ofKinds = kinds.stream().map(RequestList::line).toList();
      MessageDigest sha256 = Sha256.begin();
      var lines = new StringBuilder();
      for (int i = 0; i < size(); i++) {
        lines.append(JobId.PREFIX).append(i).append(ofKinds.get(requests.kind(i)));
        lines.append(requests.intendedAtNs(i)).append('\n');
        if (lines.length() >= DIGESTED_LETTERS || i == size() - 1) {
          sha256.update(lines.toString().getBytes(StandardCharsets.UTF_8));
          lines.setLength(0);
        }
      }
      digest = HexFormat.of().formatHex(sha256.digest());
    }
    return digest;
  }

  /** What stands between the id and the intended time of each job of a kind. */
  private static String line(JobKind kind) {
    return "\t%s\t%s\t%s\t%s\t%s\t%s\t"
        .formatted(
            kind.classType(),
            kind.workload(),
            kind.backend(),
            kind.precision(),
            kind.samples(),
            kind.sloNs());
  }

  /** Begins to make the digest in another thread, for one that will soon ask for it. */
  public void beginDigest() {
    var unused = CompletableFuture.runAsync(this::digest);
  }

  /**
   * Returns how many jobs are meant to arrive before atNs, which is the index of the first later
   * job.
   */
  public int countBefore(long atNs) {
    int low = 0; // all before it arrive before
    int high = size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (requests.intendedAtNs(middle) < atNs) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns the index of the job with an id; −1 if the list has no such job. */
  public int indexOf(String jobId) {
    int index = JobId.index(jobId);
    return index < size() ? index : -1;
  }

  /** Returns the different kinds of jobs in the list, in the order in which they first occur. */
  public List<JobKind> kinds() {
    return kinds;
  }

  /**
   * Kinds and times of requests by their place, in pieces of {@value #PIECE}: five bytes a request
   * where the times of a piece lie within two seconds and its kinds are among the first 128, else
   * eight to twelve.
   */
  static final class PackedRequests {
    private static final int SHIFT = 10;
    private static final int PIECE = 1 << SHIFT;

    private final List<Piece> pieces = new ArrayList<>();
    private final int[] kinds = new int[PIECE]; // of the last requests, which are no piece yet
    private final long[] timesNs = new long[PIECE];
    private int size;

    int size() {
      return size;
    }

    /** Adds a request, which must not be meant to arrive before the one before it. */
    void add(int kind, long atNs) {
      int at = size & (PIECE - 1);
      if (at == 0 && size > 0) {
        pieces.add(new Piece(kinds, timesNs));
      }
      kinds[at] = kind;
      timesNs[at] = atNs;
      size = Math.addExact(size, 1);
    }

    /** Number of the request's kind. */
    int kind(int index) {
      int piece = Objects.checkIndex(index, size) >>> SHIFT;
      int at = index & (PIECE - 1);
      return piece == pieces.size() ? kinds[at] : pieces.get(piece).kind(at);
    }

    long intendedAtNs(int index) {
      int piece = Objects.checkIndex(index, size) >>> SHIFT;
      int at = index & (PIECE - 1);
      return piece == pieces.size() ? timesNs[at] : pieces.get(piece).intendedAtNs(at);
    }

    /** Requests beside one another. */
    private static final class Piece {
      private final long fromNs;
      private final int[] afterNs; // empty: the times do not lie near enough to the first
      private final long[] timesNs;
      private final byte[] smallKinds; // empty: some kinds have too large numbers
      private final int[] kinds;

      Piece(int[] kindOf, long[] atNs) {
        fromNs = atNs[0];
        boolean near = atNs[PIECE - 1] - fromNs <= Integer.MAX_VALUE;
        boolean small = Arrays.stream(kindOf).allMatch(kind -> kind <= Byte.MAX_VALUE);
        afterNs = new int[near ? PIECE : 0];
        timesNs = near ? new long[0] : atNs.clone();
        smallKinds = new byte[small ? PIECE : 0];
        kinds = small ? new int[0] : kindOf.clone();
        for (int i = 0; i < afterNs.length; i++) {
          afterNs[i] = (int) (atNs[i] - fromNs);
        }
        for (int i = 0; i < smallKinds.length; i++) {
          smallKinds[i] = (byte) kindOf[i];
        }
      }

      int kind(int at) {
        return smallKinds.length > 0 ? smallKinds[at] : kinds[at];
      }

      long intendedAtNs(int at) {
        return afterNs.length > 0 ? fromNs + afterNs[at] : timesNs[at];
      }
    }
  }
}
