package dev.sluice.scheduler.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.scheduling.policies.Policies;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.apache.kafka.streams.processor.api.MockProcessorContext.CapturedForward;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A recorded log, cut anywhere: a scheduler that goes on from the snapshot and the facts after it
 * decides, byte for byte, as one that was never cut.
 */
final class TakeoverDecisionsTest {
  private static final int CUTS = 30;

  static Stream<Arguments> policiesAndPaces() {
    return Policies.names().stream()
        .flatMap(
            policy ->
                Stream.of(
                        new SnapshotStore.Pace(Integer.MAX_VALUE, 100), // no snapshot: facts alone
                        new SnapshotStore.Pace(0, 97), // many small chunks
                        new SnapshotStore.Pace(20_000, 4_000),
                        new SnapshotStore.Pace(5_000, 1 << 20)) // each in one chunk
                    .map(pace -> Arguments.of(policy, pace)));
  }

  @ParameterizedTest
  @MethodSource("policiesAndPaces")
  void decidesTheSameByteForByte_whereverItIsCut(String policy, SnapshotStore.Pace pace) {
    RecordedRun run = RecordedRun.of(Policies.create(policy, Map.of()));
    Seen seen = checkCuts(run, policy, pace, CUTS, 120);
    if (pace.chunkBytes() == 97) {
      assertThat(seen.begun()).as("cuts within a snapshot's writing").isPositive();
    }
    assertThat(seen.used() > 0)
        .as("cuts after a snapshot")
        .isEqualTo(pace.factBytesMin() < 1 << 30);
  }

  /** A thousand jobs wait, and more than a slice of them is dropped at the end. */
  @Property(tries = 10, shrinking = ShrinkingMode.OFF)
  void decidesTheSame_howeverManyWaitAndWhateverTheLog(
      @ForAll long seed,
      @ForAll boolean overload,
      @ForAll @IntRange(min = 50, max = 5_000) int chunkBytes,
      @ForAll @IntRange(max = 100_000) int factBytesMin,
      @ForAll("policies") String policy) {
    var load = overload ? RecordedRun.Load.overload(seed) : usual(seed);
    RecordedRun run = RecordedRun.of(Policies.create(policy, Map.of()), load);
    checkCuts(run, policy, new SnapshotStore.Pace(factBytesMin, chunkBytes), 8, 300);
  }

  @Provide
  Arbitrary<String> policies() {
    return Arbitraries.of(Policies.names());
  }

  private static RecordedRun.Load usual(long seed) {
    return new RecordedRun.Load(seed, 400, 9, RecordedRun.SETTINGS);
  }

  /** Numbers of cuts within a snapshot's writing, and of those that a snapshot stood at. */
  private record Seen(int begun, int used) {}

  /**
   * Cuts at random facts, at the last facts, and where the changelog was lost.
   *
   * @param after number of facts that are compared after each cut
   */
  private static Seen checkCuts(
      RecordedRun run, String policy, SnapshotStore.Pace pace, int cutsWanted, int after) {
    int facts = run.facts().size();
    Random random = new Random(facts);
    Set<Integer> cuts = new HashSet<>(List.of(facts - 5));
    while (cuts.size() < cutsWanted) {
      cuts.add(random.nextInt(facts - 1));
    }
    List<List<String>> uncut = new ArrayList<>();
    Map<Integer, Map<String, byte[]>> committedAt = new TreeMap<>();
    var whole = new ShardProcess(run, policy, pace, Map.of());
    int begun = 0;
    int used = 0;
    for (int offset = 0; offset < facts; offset++) {
      uncut.add(asText(whole.process(offset)));
      if (cuts.contains(offset)) {
        Map<String, byte[]> committed = whole.commit();
        committedAt.put(offset, committed);
        boolean unfinished =
            committed.keySet().stream().map(key -> key.split("/")[0]).distinct().count() > 3;
        begun += unfinished ? 1 : 0;
        used += committed.containsKey("snapshot") ? 1 : 0;
      }
    }
    assertThat(uncut.stream().mapToInt(List::size).sum())
        .isGreaterThan(run.dispatches().size() + run.outcomes().size() - 1);

    committedAt.put(facts / 2, Map.of()); // the changelog was lost
    committedAt.forEach(
        (cut, committed) -> {
          var other = new ShardProcess(run, policy, pace, committed);
          int end = Math.min(facts, cut + after);
          for (int offset = cut + 1; offset < end; offset++) {
            assertThat(asText(other.process(offset)))
                .as("fact %d after a cut at %d", offset, cut)
                .isEqualTo(uncut.get(offset));
          }
        });
    return new Seen(begun, used);
  }

  private static List<String> asText(
      List<CapturedForward<? extends Integer, ? extends byte[]>> forwarded) {
    return forwarded.stream()
        .map(
            f ->
                f.childName().orElseThrow()
                    + " "
                    + f.record().timestamp()
                    + " "
                    + new String(f.record().value(), StandardCharsets.UTF_8))
        .toList();
  }
}
