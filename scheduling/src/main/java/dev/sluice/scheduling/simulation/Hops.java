package dev.sluice.scheduling.simulation;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Recorded times between the real loop's steps. Immutable; many threads may use them. */
public final class Hops {
  /** A loop that takes no time at all. */
  public static final Hops NONE = new Hops(null, null);

  private static final Hop AT_ONCE = new Hop(0, Kind.REQUEST, 0, 0, 0);

  private final @Nullable BlockSeries<Hop> requests;
  private final @Nullable BlockSeries<Hop> completions;

  /** The kinds of facts that lead to a decision. */
  public enum Kind {
    /** A job, a report or a tick. */
    REQUEST,
    /** The end of a batch. */
    COMPLETION
  }

  /**
   * One passage through the loop.
   *
   * @param atNs beginning: the job's intended arrival, or the batch's end
   * @param lateNs lateness of a job's sending, or of a lane's end after its batch was done
   * @param appendNs time from that beginning until the fact was in the log
   * @param startNs time from that append until the batch started that the fact led to
   */
  public record Hop(long atNs, Kind kind, long lateNs, long appendNs, long startNs) {
    public Hop {
      if (lateNs < 0 || appendNs < 0 || startNs < 0) {
        throw new IllegalArgumentException(
            "lateNs (%d), appendNs (%d) and startNs (%d) must be at least 0"
                .formatted(lateNs, appendNs, startNs));
      }
    }
  }

  private Hops(@Nullable BlockSeries<Hop> requests, @Nullable BlockSeries<Hop> completions) {
    this.requests = requests;
    this.completions = completions;
  }

  /** Hops played from a recording with some of each kind, in seeded blocks of a second. */
  public static Hops recorded(List<Hop> hops, long seed) {
    return new Hops(series(hops, Kind.REQUEST, seed), series(hops, Kind.COMPLETION, seed));
  }

  private static BlockSeries<Hop> series(List<Hop> all, Kind kind, long seed) {
    List<Hop> hops =
        all.stream()
            .filter(hop -> hop.kind() == kind)
            .sorted(Comparator.comparingLong(Hop::atNs))
            .toList();
    if (hops.isEmpty()) {
      throw new IllegalArgumentException("no hop of kind " + kind + " was recorded");
    }
    return new BlockSeries<>(hops, Hop::atNs, seed);
  }

  /** Returns the passage that begins at a virtual time. */
  Hop at(Kind kind, long atNs) {
    BlockSeries<Hop> recording = kind == Kind.REQUEST ? requests : completions;
    return recording == null ? AT_ONCE : recording.at(atNs);
  }
}
