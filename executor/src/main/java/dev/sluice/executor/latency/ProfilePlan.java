package dev.sluice.executor.latency;

import dev.sluice.contract.value.SplitMix64;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The plan of a profile: what it measures, and in which order. Each pass measures each key the
 * given number of times, in rounds: one round is one repeat of all keys with an equal number of
 * busy lanes. The order of the rounds in a pass, and of the keys in a round, is drawn from the seed
 * and differs from pass to pass, so that neither a drift of the machine nor the previous batch
 * affects one key again and again.
 *
 * @param keys keys to measure, without repetition, at least one
 * @param passes number of passes; at least 1
 * @param repeats measurements of each key in each pass; at least 1
 */
public record ProfilePlan(List<LatencyKey> keys, int passes, int repeats, long seed) {
  public ProfilePlan {
    keys = List.copyOf(keys);
    if (keys.isEmpty() || passes < 1 || repeats < 1) {
      throw new IllegalArgumentException(
          "a plan of %d keys, %d passes, %d repeats".formatted(keys.size(), passes, repeats));
    }
  }

  /** A round: keys that are measured together. */
  public record Round(int pass, int repeat, int busyLanes, List<LatencyKey> keys) {}

  public int rows() {
    return keys.size() * passes * repeats;
  }

  /** Returns the rounds of a pass, counted from 1, in their order. */
  public List<Round> rounds(int pass) {
    SortedSet<Integer> busyLanes = new TreeSet<>();
    keys.forEach(key -> busyLanes.add(key.busyLanes()));
    List<Round> rounds = new ArrayList<>();
    for (int repeat = 1; repeat <= repeats; repeat++) {
      for (int lanes : busyLanes) {
        List<LatencyKey> order =
            new ArrayList<>(keys.stream().filter(key -> key.busyLanes() == lanes).toList());
        Collections.shuffle(order, random(pass, repeat, lanes));
        rounds.add(new Round(pass, repeat, lanes, List.copyOf(order)));
      }
    }
    Collections.shuffle(rounds, random(pass, 0, 0));
    return rounds;
  }

  /** Seeded by the place in the plan, so that a continued profile keeps its order. */
  private Random random(int pass, int repeat, int lanes) {
    return new Random(
        SplitMix64.derived(SplitMix64.derived(SplitMix64.derived(seed, pass), repeat), lanes));
  }

  /**
   * Returns the counts of busy lanes that are measured on a number of lanes: every count up to four
   * lanes; with more lanes, the powers of two and all lanes, since each count adds a measurement of
   * all keys.
   */
  public static List<Integer> busyLanes(int lanes) {
    SortedSet<Integer> counts = new TreeSet<>();
    counts.add(lanes);
    for (int count = 1; count < lanes; count = lanes <= 4 ? count + 1 : 2 * count) {
      counts.add(count);
    }
    return List.copyOf(counts);
  }
}
