package dev.sluice.scheduler.replay;

import dev.sluice.scheduler.replay.Difference.LoggedFact;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts of compared decisions, and the first that differs. */
public final class Tally {
  private final Map<Difference.Kind, Long> othersByKind = new EnumMap<>(Difference.Kind.class);
  private final Map<String, Long> othersByClass = new TreeMap<>();
  private long equal;
  private long others;
  private @Nullable Difference first;

  void equal() {
    equal++;
  }

  void other(Difference difference) {
    others++;
    othersByKind.merge(difference.kind(), 1L, Long::sum);
    String classType = difference.classType();
    if (classType != null) {
      othersByClass.merge(classType, 1L, Long::sum);
    }
    Difference known = first;
    if (known == null || isBefore(difference, known)) {
      first = difference;
    }
  }

  private static boolean isBefore(Difference a, Difference b) {
    int byFact = LoggedFact.ORDER.compare(a.after(), b.after());
    return byFact < 0 || (byFact == 0 && a.place() < b.place());
  }

  /** Returns how many decisions are equal to the recorded ones. */
  public long equalCount() {
    return equal;
  }

  /** Returns how many decisions are others than the recorded ones, missing or additional. */
  public long others() {
    return others;
  }

  /** Returns how many decisions were compared. */
  public long compared() {
    return equal + others;
  }

  /** Returns the counts of others by the text of their kind, in the order of kinds. */
  public Map<String, Long> othersByKind() {
    Map<String, Long> counts = new LinkedHashMap<>();
    othersByKind.forEach((kind, count) -> counts.put(kind.text(), count));
    return counts;
  }

  /**
   * Returns the counts of others by the class of the job that they are about, where it is known.
   */
  public Map<String, Long> othersByClass() {
    return Collections.unmodifiableMap(othersByClass);
  }

  /** Returns the earliest other, by time, shard and offset of its fact; null: there is none. */
  public @Nullable Difference first() {
    return first;
  }
}
