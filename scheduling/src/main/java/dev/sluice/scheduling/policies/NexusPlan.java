package dev.sluice.scheduling.policies;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The packing of sessions (a model at a rate, with a promise) onto lanes: Nexus's squishy bin
 * packing (Shen et al., "Nexus: A GPU Cluster Engine for Accelerating DNN-Based Video Analysis",
 * SOSP 2019, section 6.1). All times are in milliseconds, all rates per millisecond.
 */
final class NexusPlan {
  private static final double EPSILON = 1e-3;

  private NexusPlan() {}

  /**
   * Jobs of one model and promise.
   *
   * @param serviceMs service time by the number of samples
   * @param samplesMax most samples of a batch
   */
  record Session(
      String name, double rate, double promiseMs, IntToDoubleFunction serviceMs, int samplesMax) {
    double serviceMs(int samples) {
      return serviceMs.applyAsDouble(samples);
    }

    /** Returns the largest batch that takes at most half of the promise; 0: none does. */
    int largestAtHalf() {
      return largest(samples -> serviceMs(samples) <= promiseMs / 2);
    }

    /** Returns the largest batch that gathers and runs within the promise; 0: none does. */
    int largestGathered(double atRate) {
      return Math.min(
          largestAtHalf(),
          largest(samples -> (samples - 1) / atRate + serviceMs(samples) <= promiseMs));
    }

    private int largest(java.util.function.IntPredicate fits) {
      int most = 0;
      while (most < samplesMax && fits.test(most + 1)) {
        most++;
      }
      return most;
    }
  }

  /** A session's share of a lane. */
  record Share(Session session, double rate, int samples) {}

  /**
   * A lane's shares, which it runs one after the other in each duty cycle.
   *
   * @param dutyMs duration of the cycle
   */
  record LanePlan(double dutyMs, List<Share> shares) {
    double occupancy() {
      return shares.stream().mapToDouble(s -> s.session.serviceMs(s.samples)).sum() / dutyMs;
    }
  }

  /**
   * Packs the sessions, of those that are left the one with the highest rate first.
   *
   * @param lanes number of equal lanes; what they cannot carry is left out
   */
  static List<LanePlan> pack(List<Session> sessions, int lanes) {
    List<LanePlan> plan = new ArrayList<>();
    double[] left = sessions.stream().mapToDouble(Session::rate).toArray();
    while (true) {
      int most = 0;
      for (int i = 1; i < left.length; i++) {
        most = left[i] > left[most] ? i : most;
      }
      if (left.length == 0 || left[most] <= 1e-9) {
        return plan;
      }
      left[most] = place(plan, sessions.get(most), left[most], lanes);
    }
  }

  /** Places some of a session's rate, and returns what is left to place; 0 if no lane is left. */
  private static double place(List<LanePlan> plan, Session session, double rate, int lanes) {
    int half = session.largestAtHalf();
    if (half == 0) {
      return 0;
    }
    double whole = half / session.serviceMs(half);
    if (rate >= whole) {
      if (plan.size() < lanes) {
        plan.add(new LanePlan(session.serviceMs(half), List.of(new Share(session, whole, half))));
        return rate - whole;
      }
      return 0;
    }
    int best = -1;
    LanePlan joined = null;
    for (int i = 0; i < plan.size(); i++) {
      LanePlan with = join(plan.get(i), session, rate);
      if (with != null && (joined == null || with.occupancy() > joined.occupancy())) {
        best = i;
        joined = with;
      }
    }
    if (joined != null) {
      plan.set(best, joined);
    } else if (plan.size() < lanes) {
      plan.add(alone(session, rate));
    }
    return 0;
  }

  private static LanePlan alone(Session session, double rate) {
    int samples = Math.max(1, session.largestGathered(rate));
    double dutyMs = Math.min(session.promiseMs - session.serviceMs(samples), samples / rate);
    return new LanePlan(dutyMs, List.of(new Share(session, rate, samples)));
  }

  /** Returns the lane with one more session at the shorter duty cycle; null: it carries no more. */
  private static @Nullable LanePlan join(LanePlan lane, Session session, double rate) {
    LanePlan alone = alone(session, rate);
    double dutyMs = Math.min(lane.dutyMs, alone.dutyMs);
    List<Share> shares = new ArrayList<>();
    double busyMs = 0;
    for (Share share : both(lane, alone)) {
      int samples = Math.max(1, (int) Math.ceil(dutyMs * share.rate - EPSILON));
      busyMs += share.session.serviceMs(samples);
      if (samples > Math.max(1, share.session.largestAtHalf()) || busyMs > dutyMs) {
        return null;
      }
      shares.add(new Share(share.session, share.rate, samples));
    }
    return new LanePlan(dutyMs, List.copyOf(shares));
  }

  private static List<Share> both(LanePlan a, LanePlan b) {
    List<Share> both = new ArrayList<>(a.shares);
    both.addAll(b.shares);
    return both;
  }
}
