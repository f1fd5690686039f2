package dev.sluice.executor.latency;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.latency.LatencyModel.Method;
import dev.sluice.executor.latency.LatencyModel.Reach;
import dev.sluice.executor.latency.Validation.Held;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Fits models to rows. Each method predicts rows that were held out; the best method at a reach
 * answers for that reach. Trees are fitted on the common pool's threads, and the result does not
 * depend on their number.
 */
public final class Trainer {
  /** Largest number of samples counts that are held out, evenly chosen, since each costs a fit. */
  private static final int HELD_SAMPLES_MAX = 8;

  private static final int ROWS_PER_KEY_MIN = 3;

  /** Ratio of a method's error to that of a simpler method below which the method is preferred. */
  private static final double BETTER = 0.98;

  private static final Map<Reach, Method> UNPROVEN =
      Map.of(
          Reach.SEEN, Method.MEDIAN, Reach.BETWEEN, Method.INTERPOLATED, Reach.BEYOND, Method.LINE);

  /** A model, and how each method did on the rows that were held out to choose it. */
  public record Trained(LatencyModel model, Validation validation) {}

  private Trainer() {}

  /**
   * Returns the rows of a device kind, or refuses those that no model can be fitted to, with what
   * is missing and how many more rows are needed.
   *
   * @param deviceKind null: the only device kind of the rows
   */
  public static List<ProfileRow> checked(
      List<ProfileRow> rows, String location, @Nullable String deviceKind)
      throws UserMistakeException {
    var kinds = new TreeSet<String>();
    rows.forEach(row -> kinds.add(row.deviceKind()));
    if (deviceKind == null ? kinds.size() > 1 : !kinds.contains(deviceKind)) {
      throw new UserMistakeException(
          location,
          deviceKind == null
              ? "the profile has rows of several device kinds (" + String.join(", ", kinds) + ")"
              : "the profile has no row of device kind (" + deviceKind + ")",
          "you want --device-kind " + String.join(" or ", kinds));
    }
    List<ProfileRow> chosen =
        rows.stream()
            .filter(row -> deviceKind == null || row.deviceKind().equals(deviceKind))
            .toList();
    SortedMap<LatencyKey, Integer> counts = new TreeMap<>();
    chosen.forEach(row -> counts.merge(row.key(), 1, Integer::sum));
    if (counts.size() == 1) {
      throw new UserMistakeException(
          location,
          "the profile has rows of one key only (" + counts.firstKey() + ")",
          "give its experiment more than one workload, backend or batch size");
    }
    long passes = chosen.stream().mapToInt(ProfileRow::pass).distinct().count();
    if (passes < 2) {
      throw new UserMistakeException(
          location,
          "the profile has one pass only, and a second one must hold what the first one says",
          "./sluice profile with the same file goes on where it was stopped");
    }
    int missing =
        counts.values().stream().mapToInt(count -> Math.max(0, ROWS_PER_KEY_MIN - count)).sum();
    if (missing > 0) {
      long keys = counts.values().stream().filter(count -> count < ROWS_PER_KEY_MIN).count();
      throw new UserMistakeException(
          location,
          "%d of %d keys ha%s fewer than %d rows: %d more row%s needed"
              .formatted(
                  keys,
                  counts.size(),
                  keys == 1 ? "s" : "ve",
                  ROWS_PER_KEY_MIN,
                  missing,
                  missing == 1 ? " is" : "s are"),
          "./sluice profile with the same file goes on where it was stopped");
    }
    return chosen;
  }

  /**
   * Fits all methods, holds passes and samples counts out to find the best method for each reach,
   * and fits the chosen methods to all rows.
   *
   * @param seed seed of the trees; equal rows and an equal seed give an equal model
   */
  public static Trained train(List<ProfileRow> rows, long seed) {
    var trial = new Trial(rows, seed, EnumSet.allOf(Method.class));
    List<Held> held = new ArrayList<>(trial.heldPasses());
    held.addAll(trial.heldSamples());
    Map<Reach, Method> choice = choice(held);
    var validation = new Validation(held, choice);
    return new Trained(trial.model(choice, validation.residuals()), validation);
  }

  /**
   * Fits the methods that a model has chosen to other rows, in a fraction of the time: only passes
   * are held out, and for samples that were not measured the model's residuals are kept.
   *
   * @param rows rows of at least two passes, of the model's device kind, in any order
   */
  public static LatencyModel refit(LatencyModel before, List<ProfileRow> rows) {
    Map<Reach, Method> choice = before.choice();
    var trial = new Trial(rows, before.seed(), choice.values());
    var residuals = new TreeMap<>(before.residuals());
    residuals.putAll(new Validation(trial.heldPasses(), choice).residuals());
    return trial.model(choice, residuals);
  }

  /** Rows that are held out in turn, and predicted by methods that were fitted to the others. */
  private static final class Trial {
    private final List<ProfileRow> rows;
    private final long seed;
    private final Collection<Method> methods;

    /** For each pass the medians of the other passes. */
    private final SortedMap<Integer, Fit> floors = new TreeMap<>();

    Trial(List<ProfileRow> rows, long seed, Collection<Method> methods) {
      this.rows = rows.stream().sorted(ProfileRow.ORDER).toList();
      this.seed = seed;
      this.methods = methods;
      for (int pass : rows.stream().map(ProfileRow::pass).distinct().toList()) {
        floors.put(pass, new Fit(rows.stream().filter(r -> r.pass() != pass).toList()));
      }
    }

    LatencyModel model(
        Map<Reach, Method> choice, SortedMap<LatencyModel.Calibrated, double[]> residuals) {
      Fit fit = Fit.to(rows, seed, choice.values());
      return new LatencyModel(rows.get(0).deviceKind(), seed, choice, rows, fit, residuals);
    }

    List<Held> heldPasses() {
      List<Held> held = new ArrayList<>();
      floors.forEach(
          (pass, floor) -> held.addAll(predicted(pass, floor, all -> true, all -> true)));
      held.removeIf(row -> row.reach() != Reach.SEEN);
      return held;
    }

    List<Held> heldSamples() {
      List<Held> held = new ArrayList<>();
      List<Integer> counts =
          rows.stream().map(row -> row.key().samples()).distinct().sorted().toList();
      for (int count : evenly(counts)) {
        floors.forEach(
            (pass, floor) ->
                held.addAll(predicted(pass, floor, other -> other != count, own -> own == count)));
      }
      return held;
    }

    /** From rows of the other passes; rows of curves that these lack are left out. */
    private List<Held> predicted(int pass, Fit floor, IntPredicate from, IntPredicate out) {
      List<ProfileRow> rest =
          rows.stream().filter(r -> r.pass() != pass && from.test(r.key().samples())).toList();
      if (rest.isEmpty()) {
        return List.of();
      }
      Fit fit = Fit.to(rest, seed, methods);
      Map<LatencyKey, Map<Method, Double>> byKey = new HashMap<>();
      return rows.stream()
          .filter(row -> row.pass() == pass && out.test(row.key().samples()))
          .filter(row -> fit.knowsCurveOf(row.key()))
          .map(
              row ->
                  new Held(
                      row,
                      fit.reach(row.key()),
                      byKey.computeIfAbsent(row.key(), key -> answers(fit, key)),
                      floor.lnNs(Method.MEDIAN, row.key())))
          .toList();
    }
  }

  private static List<Integer> evenly(List<Integer> values) {
    if (values.size() <= HELD_SAMPLES_MAX) {
      return values;
    }
    return IntStream.range(0, HELD_SAMPLES_MAX)
        .mapToObj(i -> values.get(i * (values.size() - 1) / (HELD_SAMPLES_MAX - 1)))
        .distinct()
        .toList();
  }

  private static Map<Method, Double> answers(Fit fit, LatencyKey key) {
    Map<Method, Double> answers = new EnumMap<>(Method.class);
    for (Method method : Method.values()) {
      double lnNs = fit.lnNs(method, key);
      if (!Double.isNaN(lnNs)) {
        answers.put(method, lnNs);
      }
    }
    return answers;
  }

  private static Map<Reach, Method> choice(List<Held> held) {
    Map<Reach, Method> choice = new EnumMap<>(UNPROVEN);
    var undecided = new Validation(held, choice);
    for (Reach reach : Reach.values()) {
      double least = Double.POSITIVE_INFINITY;
      for (var method : undecided.byMethod(reach).entrySet()) {
        double error = method.getValue().medianAbsoluteLog();
        if (error < BETTER * least) {
          least = error;
          choice.put(reach, method.getKey());
        }
      }
    }
    return choice;
  }
}
