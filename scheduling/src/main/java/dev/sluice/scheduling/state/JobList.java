package dev.sluice.scheduling.state;

import static java.util.Objects.requireNonNull;

import dev.sluice.scheduling.policy.JobOrder;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Jobs in one order, in pieces of at most {@value #PIECE}. Beside the jobs of a piece stand the
 * numbers that they are ordered by, so that a search reads a few neighbouring numbers instead of
 * many jobs. A job that comes last or goes first costs the same however many there are; any other
 * one costs a search and the moving of its neighbours.
 */
public final class JobList {
  private static final int PIECE = 64;

  private final JobOrder order;

  /**
   * Pieces, in the first {@link #pieceCount} places. There is at least one, and none is empty
   * unless it is the only one.
   */
  private Piece[] pieces = {new Piece()};

  private int pieceCount = 1;
  private int size;

  /** The first job, and what it is ordered by: both are read far more often than the pieces. */
  private @Nullable QueuedJob first;

  private long firstKey = Long.MAX_VALUE;

  JobList(JobOrder order) {
    this.order = order;
  }

  @Nullable QueuedJob first() {
    return first;
  }

  /** Returns what the first job is ordered by; {@link Long#MAX_VALUE}: there is none. */
  long firstKey() {
    return firstKey;
  }

  int size() {
    return size;
  }

  /** Returns the job at a place in [0, size). */
  QueuedJob at(int place) {
    int left = Objects.checkIndex(place, size);
    if (left < size / 2) {
      int number = 0;
      while (left >= pieces[number].size()) {
        left -= pieces[number++].size();
      }
      return pieces[number].job(left);
    }
    int after = size - left; // the job and all that come after it
    int number = pieceCount - 1;
    while (after > pieces[number].size()) {
      after -= pieces[number--].size();
    }
    return pieces[number].job(pieces[number].size() - after);
  }

  void insert(QueuedJob job) {
    long key = keyOf(job);
    int number = pieceOf(key, job);
    Piece piece = pieces[number];
    int place = piece.placeAfter(key, job);
    if (piece.size() == PIECE) {
      boolean comesLast = place == PIECE && number == pieceCount - 1;
      Piece next = new Piece();
      piece.moveTo(next, comesLast ? PIECE : PIECE / 2);
      addPiece(number + 1, next);
      if (place > piece.size() || comesLast) {
        place -= piece.size();
        piece = next;
      }
    }
    piece.insert(place, key, job);
    size++;
    if (key <= firstKey) {
      findFirst();
    }
  }

  void remove(QueuedJob job) {
    int number = 0;
    Piece piece = pieces[0];
    int place = 0;
    if (first != job) {
      long key = keyOf(job);
      number = pieceOf(key, job);
      piece = pieces[number];
      place = piece.placeAfter(key, job) - 1;
    }
    piece.remove(place);
    size--;
    if (piece.size() == 0 && pieceCount > 1) {
      removePiece(number);
    } else if (piece.size() < PIECE / 4 && number + 1 < pieceCount) {
      Piece next = pieces[number + 1];
      if (piece.size() + next.size() <= PIECE / 2) {
        next.moveTo(piece, 0);
        removePiece(number + 1);
      }
    }
    if (first == job) {
      findFirst();
    }
  }

  private void findFirst() {
    Piece piece = pieces[0];
    first = piece.jobs[piece.from];
    firstKey = size == 0 ? Long.MAX_VALUE : piece.keys[piece.from];
  }

  private void addPiece(int number, Piece piece) {
    if (pieceCount == pieces.length) {
      pieces = Arrays.copyOf(pieces, 2 * pieceCount);
    }
    System.arraycopy(pieces, number, pieces, number + 1, pieceCount++ - number);
    pieces[number] = piece;
  }

  @SuppressWarnings("NullAway") // one stands at each place below the count, none beyond
  private void removePiece(int number) {
    System.arraycopy(pieces, number + 1, pieces, number, --pieceCount - number);
    pieces[pieceCount] = null;
  }

  /**
   * Returns the last piece whose first job does not come after the given one; else the first piece.
   */
  private int pieceOf(long key, QueuedJob job) {
    int low = 0;
    int high = pieceCount;
    int middle = high - 1; // most jobs come last
    while (high - low > 1) {
      if (pieces[middle].isAfter(0, key, job)) {
        high = middle;
      } else {
        low = middle;
      }
      middle = (low + high) >>> 1;
    }
    return low;
  }

  private long keyOf(QueuedJob job) {
    return switch (order) {
      case DEADLINE -> job.deadlineNs;
      case ENTRY -> job.entry;
      case ARRIVAL -> job.spec.intendedAtNs();
      case PATH -> job.spec.intendedAtNs() - job.spec.pathNs();
    };
  }

  /** Writes the jobs, in their order, into an array from a place on. */
  void copyTo(QueuedJob[] all, int place) {
    int at = place;
    for (int number = 0; number < pieceCount; number++) {
      Piece piece = pieces[number];
      System.arraycopy(piece.jobs, piece.from, all, at, piece.size());
      at += piece.size();
    }
  }

  public Walk walk() {
    Walk walk = new Walk();
    walk.begin(this);
    return walk;
  }

  /** Goes through the jobs of a list in their order, while none comes or goes. */
  public static final class Walk {
    private @Nullable JobList list;
    private int number;
    private int place;
    private long key;

    /** Goes to the beginning of a list. */
    void begin(JobList of) {
      list = of;
      number = 0;
      place = 0;
    }

    /** Goes behind the last job of a list. */
    void end(JobList of) {
      list = of;
      number = of.pieceCount - 1;
      place = of.pieces[number].size();
    }

    /** Returns the job before; null: there is none. */
    @Nullable QueuedJob previous() {
      JobList of = requireNonNull(list, "the walk has not begun");
      if (place == 0) {
        if (number == 0) {
          return null;
        }
        place = of.pieces[--number].size();
      }
      Piece piece = of.pieces[number];
      key = piece.keys[piece.from + --place];
      return piece.job(place);
    }

    /** Returns the next job; null: there is none. */
    @Nullable
    public QueuedJob next() {
      JobList of = requireNonNull(list, "the walk has not begun");
      Piece piece = of.pieces[number];
      if (place == piece.size()) {
        if (number == of.pieceCount - 1) {
          return null;
        }
        piece = of.pieces[++number];
        place = 0;
      }
      key = piece.keys[piece.from + place];
      return piece.job(place++);
    }

    /** Returns what the job that came last is ordered by. */
    long key() {
      return key;
    }
  }

  /** Some neighbouring jobs, in [from, to) of its arrays. */
  private final class Piece {
    private final long[] keys = new long[PIECE];
    private final @Nullable QueuedJob[] jobs = new QueuedJob[PIECE];
    private int from;
    private int to;

    int size() {
      return to - from;
    }

    @SuppressWarnings("NullAway") // a job stands at each place in [0, size)
    QueuedJob job(int place) {
      return jobs[from + place];
    }

    /** Returns whether the job at the place comes after the given one. */
    boolean isAfter(int place, long key, QueuedJob job) {
      long keyThere = keys[from + place];
      return keyThere != key ? keyThere > key : order.compare(job(place), job) > 0;
    }

    /** Returns how many of its jobs do not come after the given one. */
    int placeAfter(long key, QueuedJob job) {
      int low = 0;
      int high = size();
      int middle = high - 1;
      while (low < high) {
        if (isAfter(middle, key, job)) {
          high = middle;
        } else {
          low = middle + 1;
        }
        middle = (low + high) >>> 1;
      }
      return low;
    }

    void insert(int place, long key, QueuedJob job) {
      if (to == PIECE) {
        moveToFront();
      }
      if (place < size()) {
        shift(from + place, from + place + 1, size() - place);
      }
      keys[from + place] = key;
      jobs[from + place] = job;
      to++;
    }

    void remove(int place) {
      if (place == 0) {
        jobs[from++] = null;
      } else if (place < size() / 2) {
        shift(from, from + 1, place);
        jobs[from++] = null;
      } else {
        shift(from + place + 1, from + place, size() - place - 1);
        jobs[--to] = null;
      }
      if (from == to) {
        from = 0;
        to = 0;
      }
    }

    /** Moves its jobs from the place on to the end of that piece, which has room for them. */
    void moveTo(Piece that, int place) {
      int count = size() - place;
      if (that.to + count > PIECE) {
        that.moveToFront();
      }
      System.arraycopy(keys, from + place, that.keys, that.to, count);
      System.arraycopy(jobs, from + place, that.jobs, that.to, count);
      that.to += count;
      Arrays.fill(jobs, to - count, to, null);
      to -= count;
    }

    private void moveToFront() {
      int count = size();
      shift(from, 0, count);
      Arrays.fill(jobs, count, to, null);
      from = 0;
      to = count;
    }

    private void shift(int at, int newAt, int count) {
      System.arraycopy(keys, at, keys, newAt, count);
      System.arraycopy(jobs, at, jobs, newAt, count);
    }
  }
}
