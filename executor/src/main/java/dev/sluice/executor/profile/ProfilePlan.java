package dev.sluice.executor.profile;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What a profile measures, and in which order. Each pass measures each key the given number of
 * times, in rounds: one round is one repeat of all keys with the same busy lanes. The rounds of a
 * pass, and the keys of a round, are in an order drawn from the seed, another one in each pass, so
 * that neither a drift of the machine nor the batch before falls on the same keys again.
 *
 * @param keys without repetition, at least one
 * @param passes at least 1
 * @param repeats of each key in each pass; at least 1
 */
public record ProfilePlan(List<LatencyKey> keys, int passes, int repeats, long seed) {
  public ProfilePlan {
    keys = List.copyOf(keys);
    if (keys.isEmpty() || passes < 1 || repeats < 1) {
      throw new IllegalArgumentException(
          "a plan of %d keys, %d passes, %d repeats".formatted(keys.size(), passes, repeats));
    }
  }

  /**
   * Keys that are measured together.
   *
   * @param busyLanes of each of them
   * @param keys in their order
   */
  public record Round(int pass, int repeat, int busyLanes, List<LatencyKey> keys) {}

  /** How many rows a whole profile has. */
  public int rows() {
    return keys.size() * passes * repeats;
  }

  /** The rounds of a pass, from 1, in their order. */
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

  /** By the place in the plan, so that a profile that is continued goes on in the same order. */
  private Random random(int pass, int repeat, int lanes) {
    return new Random(Seeds.derived(Seeds.derived(Seeds.derived(seed, pass), repeat), lanes));
  }

  /**
   * The counts of busy lanes that are measured on a number of lanes: all up to four; of more, the
   * powers of two and all lanes, since each count takes as long as all others together.
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
