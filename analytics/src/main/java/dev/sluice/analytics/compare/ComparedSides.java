package dev.sluice.analytics.compare;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Two settings with the runs of each, in pairs of equal requests.
 *
 * @param refusals why the two must not be compared; empty if they may be
 * @param notes what a reader should know of the two
 */
public record ComparedSides(
    List<ComparedRun> a,
    List<ComparedRun> b,
    List<Pair> pairs,
    List<String> refusals,
    List<String> notes) {
  private static final int NAMES_SHOWN_MAX = 4;

  /** A run of each setting, with the same requests. */
  public record Pair(ComparedRun a, ComparedRun b) {}

  /** Pairs the runs of two settings; neither list is empty. */
  public static ComparedSides of(List<ComparedRun> a, List<ComparedRun> b) {
    List<String> refusals = new ArrayList<>();
    List<Pair> pairs = pairs(a, b);
    if (pairs.size() < Math.max(a.size(), b.size())) {
      refusals.add(
          "other requests: %d of %d runs of A and %d of %d of B have a partner with the same request digest"
              .formatted(pairs.size(), a.size(), pairs.size(), b.size()));
    }
    if (pairs.isEmpty()) {
      pairs =
          IntStream.range(0, Math.min(a.size(), b.size()))
              .mapToObj(i -> new Pair(a.get(i), b.get(i)))
              .toList();
    }
    other(refusals, "lanes", a, b, ComparedRun::kind);
    other(refusals, "lanes.ahead", a, b, run -> Integer.toString(run.ahead()));
    other(refusals, "device kind", a, b, ComparedRun::devices);
    other(refusals, "processor", a, b, ComparedRun::processor);
    notComparable(refusals, a, b);
    List<String> notes = new ArrayList<>();
    other(notes, "version", a, b, run -> run.summary().path("versions").path("sluice").asText());
    other(notes, "commit", a, b, run -> run.summary().path("commit").asText("unknown"));
    Set<String> ofRuns = new LinkedHashSet<>();
    both(a, b)
        .forEach(run -> run.summary().path("notes").forEach(note -> ofRuns.add(note.asText())));
    notes.addAll(ofRuns);
    return new ComparedSides(a, b, pairs, refusals, notes);
  }

  /** The i-th run of A with a digest, and the i-th of B with it. */
  private static List<Pair> pairs(List<ComparedRun> a, List<ComparedRun> b) {
    Map<String, Deque<ComparedRun>> byDigest = new HashMap<>();
    for (ComparedRun run : b) {
      byDigest.computeIfAbsent(run.run().requestDigest(), d -> new ArrayDeque<>()).add(run);
    }
    List<Pair> pairs = new ArrayList<>();
    for (ComparedRun run : a) {
      Deque<ComparedRun> partners = byDigest.get(run.run().requestDigest());
      if (partners != null && !partners.isEmpty() && !run.run().requestDigest().isEmpty()) {
        pairs.add(new Pair(run, partners.remove()));
      }
    }
    return pairs;
  }

  private static Stream<ComparedRun> both(List<ComparedRun> a, List<ComparedRun> b) {
    return Stream.concat(a.stream(), b.stream());
  }

  private static void other(
      List<String> reasons,
      String what,
      List<ComparedRun> a,
      List<ComparedRun> b,
      Function<ComparedRun, String> value) {
    Set<String> ofA = values(a, value);
    Set<String> ofB = values(b, value);
    if (ofA.size() > 1 || !ofA.equals(ofB)) {
      reasons.add(
          "other %s: A %s; B %s"
              .formatted(what, String.join(" and ", ofA), String.join(" and ", ofB)));
    }
  }

  private static Set<String> values(List<ComparedRun> runs, Function<ComparedRun, String> value) {
    return runs.stream().map(value).collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private static void notComparable(
      List<String> refusals, List<ComparedRun> a, List<ComparedRun> b) {
    List<ComparedRun> such =
        both(a, b).filter(run -> !run.run().notComparable().isEmpty()).toList();
    for (ComparedRun run : such.subList(0, Math.min(NAMES_SHOWN_MAX, such.size()))) {
      refusals.add(
          "not comparable: %s (%s)"
              .formatted(run.name(), String.join("; ", run.run().notComparable())));
    }
    if (such.size() > NAMES_SHOWN_MAX) {
      refusals.add("not comparable: %d more runs".formatted(such.size() - NAMES_SHOWN_MAX));
    }
  }

  List<List<JsonNode>> summaries() {
    return pairs.stream().map(pair -> List.of(pair.a().summary(), pair.b().summary())).toList();
  }
}
