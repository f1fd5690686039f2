import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.SplittableRandom;
import umontreal.ssj.simevents.Event;
import umontreal.ssj.simevents.Simulator;

/**
 * The bench's queue in SSJ, by its events. Prints p50 and p99 in ms. Arguments: jobs, jobs per
 * second, lanes.
 */
public final class SsjQueue {
  private final Simulator simulator = new Simulator();
  private final SplittableRandom random = new SplittableRandom(7);
  private final ArrayDeque<Double> waiting = new ArrayDeque<>();
  private final double[] latenciesMs;
  private final double gapMs;
  private int idle;
  private int sent;
  private int done;

  private SsjQueue(int jobs, double jobsPerSecond, int lanes) {
    latenciesMs = new double[jobs];
    gapMs = 1000 / jobsPerSecond;
    idle = lanes;
  }

  private final class Arrival extends Event {
    Arrival() {
      super(simulator);
    }

    @Override
    public void actions() {
      if (++sent < latenciesMs.length) {
        scheduleArrival();
      }
      if (idle > 0) {
        idle--;
        begin(simulator.time());
      } else {
        waiting.add(simulator.time());
      }
    }
  }

  private final class End extends Event {
    private final double arrivedMs;

    End(double arrivedMs) {
      super(simulator);
      this.arrivedMs = arrivedMs;
    }

    @Override
    public void actions() {
      latenciesMs[done++] = simulator.time() - arrivedMs;
      Double next = waiting.poll();
      if (next == null) {
        idle++;
      } else {
        begin(next);
      }
    }
  }

  private void scheduleArrival() {
    new Arrival().schedule(-gapMs * Math.log(1 - random.nextDouble()));
  }

  private void begin(double arrivedMs) {
    int samples = new int[] {1, 8, 32}[random.nextInt(3)];
    new End(arrivedMs).schedule((random.nextBoolean() ? 2 : 4) + 0.25 * samples);
  }

  public static void main(String[] arguments) {
    int jobs = Integer.parseInt(arguments[0]);
    var queue =
        new SsjQueue(jobs, Double.parseDouble(arguments[1]), Integer.parseInt(arguments[2]));
    queue.simulator.init();
    queue.scheduleArrival();
    queue.simulator.start();
    Arrays.sort(queue.latenciesMs);
    System.out.println("events " + queue.latenciesMs[jobs / 2] + " " + queue.latenciesMs[jobs * 99 / 100]);
  }
}
