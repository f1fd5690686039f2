package dev.sluice.scheduler.replay;

import dev.sluice.scheduler.replay.Difference.Kind;
import dev.sluice.scheduler.replay.Difference.LoggedFact;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts of compared decisions, and the first that differs. */
public final class Tally {
  private static final Comparator<Difference> ORDER =
      Comparator.comparing(Difference::after, LoggedFact.ORDER).thenComparingInt(Difference::place);

  private final Map<Kind, Long> othersByKind = new EnumMap<>(Kind.class);
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
    if (first == null || ORDER.compare(difference, first) < 0) {
      first = difference;
    }
  }

  /** Compares two events of one kind, then and now, field by field. */
  void compareFields(
      LoggedFact after, int place, byte[] then, byte[] now, Decision before, Decision made) {
    List<Difference.Field> fields = Difference.differingFields(then, now);
    if (fields.isEmpty()) {
      equal++;
    } else {
      other(new Difference(after, place, Kind.FIELDS, null, before, made, fields, null));
    }
  }

  /** How many decisions are equal to the recorded ones. */
  public long equalCount() {
    return equal;
  }

  /** How many decisions are others than the recorded ones, missing or additional. */
  public long others() {
    return others;
  }

  public long compared() {
    return equal + others;
  }

  /** The others by the text of their kind, in the order of kinds. */
  public Map<String, Long> othersByKind() {
    Map<String, Long> counts = new LinkedHashMap<>();
    othersByKind.forEach((kind, count) -> counts.put(kind.text(), count));
    return counts;
  }

  /** The others by the class of the job that they are about, where it is known. */
  public Map<String, Long> othersByClass() {
    return Collections.unmodifiableMap(othersByClass);
  }

  /** The earliest other, by time, shard and offset of its fact; null: there is none. */
  public @Nullable Difference first() {
    return first;
  }
}
