package dev.sluice.scheduling.policies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.scheduling.policies.NexusPolicy.NexusPlan;
import dev.sluice.scheduling.policies.NexusPolicy.NexusPlan.LanePlan;
import dev.sluice.scheduling.policies.NexusPolicy.NexusPlan.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The packing of sessions, by the paper's example and against all partitions. */
final class NexusPlanTest {
  /** Service times of the paper's table at some sizes, straight lines between them. */
  private static Session session(
      String name, double perSecond, double promiseMs, Map<Integer, Double> ms) {
    NavigableMap<Integer, Double> table = new TreeMap<>(ms);
    return new Session(
        name,
        perSecond / 1000,
        promiseMs,
        samples -> {
          var below = table.floorEntry(samples);
          var above = table.ceilingEntry(samples);
          if (below == null || above == null || below.getKey().equals(above.getKey())) {
            return (below == null ? above : below).getValue();
          }
          double share = (samples - below.getKey()) / (double) (above.getKey() - below.getKey());
          return below.getValue() + share * (above.getValue() - below.getValue());
        },
        16);
  }

  /** Section 4.1: 200 ms for A, 250 ms for B and C. */
  private static final Map<Integer, Double> A = Map.of(4, 50.0, 8, 75.0, 16, 100.0);

  private static final Map<Integer, Double> B = Map.of(4, 50.0, 8, 90.0, 16, 125.0);
  private static final Map<Integer, Double> C = Map.of(4, 60.0, 8, 95.0, 16, 125.0);

  @Test
  void fillsLanesAtTheLargestBatchOfHalfThePromise() {
    List<LanePlan> plan =
        NexusPlan.pack(
            List.of(
                session("A", 160, 200, A), session("B", 128, 250, B), session("C", 128, 250, C)),
            10);
    assertThat(plan).hasSize(3).allMatch(lane -> lane.shares().size() == 1);
    assertThat(plan).allMatch(lane -> lane.shares().get(0).samples() == 16);
  }

  @Test
  void packsTheResidualLoadsOfThePaper() {
    List<LanePlan> plan =
        NexusPlan.pack(
            List.of(session("A", 64, 200, A), session("B", 32, 250, B), session("C", 32, 250, C)),
            10);
    assertThat(plan).hasSize(2);
    assertThat(plan.get(0).dutyMs()).isEqualTo(125, within(1e-9));
    assertThat(plan.get(0).shares())
        .extracting(share -> share.session().name() + share.samples())
        .containsExactly("A8", "B4");
    assertThat(plan.get(1).shares())
        .extracting(share -> share.session().name())
        .containsExactly("C");
  }

  @Test
  void packsSixSessionsNearlyAsDenselyAsAnyPartition() {
    Random random = new Random(7);
    int lanes = 0;
    int fewest = 0;
    for (int round = 0; round < 300; round++) {
      List<Session> sessions = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        double alpha = 0.5 + 4 * random.nextDouble();
        double beta = 2 + 18 * random.nextDouble();
        double promiseMs = (3 + 7 * random.nextDouble()) * (alpha + beta);
        int half = (int) Math.min(16, Math.floor((promiseMs / 2 - beta) / alpha));
        double whole = half / (alpha * half + beta);
        sessions.add(
            new Session(
                "s" + i,
                whole * (0.05 + 0.6 * random.nextDouble()),
                promiseMs,
                samples -> alpha * samples + beta,
                16));
      }
      int greedy = NexusPlan.pack(sessions, 6).size();
      int best = fewestLanes(sessions, 0, new ArrayList<>());
      assertThat(greedy).isBetween(best, best + 1);
      lanes += greedy;
      fewest += best;
    }
    assertThat(lanes).isLessThan((int) (fewest * 1.03));
  }

  /** Tries all partitions of the sessions into lanes. */
  private static int fewestLanes(List<Session> sessions, int next, List<List<Session>> lanes) {
    if (next == sessions.size()) {
      return lanes.size();
    }
    int fewest = Integer.MAX_VALUE;
    for (int i = 0; i <= lanes.size(); i++) {
      List<List<Session>> tried = new ArrayList<>(lanes.stream().map(l -> List.copyOf(l)).toList());
      List<Session> lane = new ArrayList<>(i < lanes.size() ? lanes.get(i) : List.of());
      lane.add(sessions.get(next));
      if (lane.size() == 1 || fits(lane)) {
        if (i < lanes.size()) {
          tried.set(i, lane);
        } else {
          tried.add(lane);
        }
        fewest = Math.min(fewest, fewestLanes(sessions, next + 1, tried));
      }
    }
    return fewest;
  }

  /** Each session gathers and runs once in the shortest duty cycle of them. */
  private static boolean fits(List<Session> lane) {
    double dutyMs = Double.MAX_VALUE;
    for (Session s : lane) {
      int b = 1;
      while (b < s.samplesMax()
          && s.serviceMs(b + 1) <= s.promiseMs() / 2
          && b / s.rate() + s.serviceMs(b + 1) <= s.promiseMs()) {
        b++;
      }
      dutyMs = Math.min(dutyMs, Math.min(s.promiseMs() - s.serviceMs(b), b / s.rate()));
    }
    double busyMs = 0;
    for (Session s : lane) {
      int b = Math.max(1, (int) Math.ceil(dutyMs * s.rate() - 1e-3));
      if (b > 1 && (b > s.samplesMax() || s.serviceMs(b) > s.promiseMs() / 2)) {
        return false;
      }
      busyMs += s.serviceMs(b);
    }
    return busyMs <= dutyMs;
  }
}
