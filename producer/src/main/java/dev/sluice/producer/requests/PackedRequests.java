package dev.sluice.producer.requests;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Kinds and times of requests by their place, in pieces of {@value #PIECE}: five bytes a request
 * where the times of a piece lie within two seconds and its kinds are among the first 128, else
 * eight to twelve.
 */
final class PackedRequests {
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
