package dev.sluice.executor.latency;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.latency.Validation.Held;
import dev.sluice.executor.profile.LatencyKey;
import dev.sluice.executor.profile.ProfileRow;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
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

  private Trainer() {}

  /** A model, and the predictions of its methods for held-out rows. */
  public record Trained(LatencyModel model, Validation validation) {}

  /**
   * Refuses rows that no model can be fitted to.
   *
   * @param location file that the rows are from, for messages
   * @param deviceKind device kind of the lanes that the model is for; null: the only device kind of
   *     the rows
   * @return the rows of the device kind
   * @throws UserMistakeException if no model can be fitted, with what is missing and how many more
   *     rows are needed
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
   * @param rows rows that {@link #checked} has accepted, in any order
   * @param seed seed of the trees; equal rows and an equal seed give an equal model
   */
  public static Trained train(List<ProfileRow> rows, long seed) {
    List<ProfileRow> sorted = rows.stream().sorted(ProfileRow.ORDER).toList();
    Set<Method> all = EnumSet.allOf(Method.class);
    var floors = floors(sorted);
    List<Held> held = new ArrayList<>(heldPasses(sorted, seed, all, floors));
    held.addAll(heldSamples(sorted, seed, all, floors));
    Map<Reach, Method> choice = choice(held);
    var validation = new Validation(held, choice);
    Fit fit = Fit.to(sorted, seed, choice.values());
    return new Trained(
        new LatencyModel(
            sorted.get(0).deviceKind(), seed, choice, sorted, fit, validation.residuals()),
        validation);
  }

  /**
   * Fits the methods that a model has chosen to other rows, in a fraction of the time: only passes
   * are held out, and for samples that were not measured the model's residuals are kept.
   *
   * @param rows rows of at least two passes, of the model's device kind, in any order
   */
  public static Trained refit(LatencyModel before, List<ProfileRow> rows) {
    List<ProfileRow> sorted = rows.stream().sorted(ProfileRow.ORDER).toList();
    Map<Reach, Method> choice = before.choice();
    Set<Method> methods = new HashSet<>(choice.values());
    List<Held> held = heldPasses(sorted, before.seed(), methods, floors(sorted));
    var validation = new Validation(held, choice);
    var residuals = new TreeMap<>(before.allResiduals());
    residuals.putAll(validation.residuals());
    Fit fit = Fit.to(sorted, before.seed(), methods);
    return new Trained(
        new LatencyModel(before.deviceKind(), before.seed(), choice, sorted, fit, residuals),
        validation);
  }

  /** Returns for each pass the medians of all keys in the other passes. */
  private static SortedMap<Integer, SortedMap<LatencyKey, Double>> floors(List<ProfileRow> rows) {
    SortedMap<Integer, SortedMap<LatencyKey, Double>> floors = new TreeMap<>();
    for (int pass : passes(rows)) {
      floors.put(pass, Medians.byKey(rows.stream().filter(r -> r.pass() != pass).toList()));
    }
    return floors;
  }

  private static List<Integer> passes(List<ProfileRow> rows) {
    return rows.stream().map(ProfileRow::pass).distinct().sorted().toList();
  }

  private static List<Held> heldPasses(
      List<ProfileRow> rows,
      long seed,
      Set<Method> methods,
      SortedMap<Integer, SortedMap<LatencyKey, Double>> floors) {
    List<Held> held = new ArrayList<>();
    for (int pass : passes(rows)) {
      List<ProfileRow> rest = rows.stream().filter(row -> row.pass() != pass).toList();
      List<ProfileRow> out = rows.stream().filter(row -> row.pass() == pass).toList();
      for (Held row : predicted(rest, out, seed, methods, floors)) {
        if (row.reach() == Reach.SEEN) {
          held.add(row);
        }
      }
    }
    return held;
  }

  private static List<Held> heldSamples(
      List<ProfileRow> rows,
      long seed,
      Set<Method> methods,
      SortedMap<Integer, SortedMap<LatencyKey, Double>> floors) {
    List<Held> held = new ArrayList<>();
    List<Integer> counts =
        rows.stream().map(row -> row.key().samples()).distinct().sorted().toList();
    for (int samples : evenly(counts)) {
      for (int pass : passes(rows)) {
        List<ProfileRow> rest =
            rows.stream().filter(r -> r.pass() != pass && r.key().samples() != samples).toList();
        List<ProfileRow> out =
            rows.stream().filter(r -> r.pass() == pass && r.key().samples() == samples).toList();
        if (!rest.isEmpty()) {
          held.addAll(predicted(rest, out, seed, methods, floors));
        }
      }
    }
    return held;
  }

  /** Returns the first value, the last value, and evenly chosen values between them. */
  private static List<Integer> evenly(List<Integer> values) {
    if (values.size() <= HELD_SAMPLES_MAX) {
      return values;
    }
    var chosen = new TreeSet<Integer>();
    for (int i = 0; i < HELD_SAMPLES_MAX; i++) {
      chosen.add(values.get(i * (values.size() - 1) / (HELD_SAMPLES_MAX - 1)));
    }
    return List.copyOf(chosen);
  }

  /**
   * Predicts held-out rows from the remaining rows; rows of curves that these lack are left out.
   */
  private static List<Held> predicted(
      List<ProfileRow> rest,
      List<ProfileRow> out,
      long seed,
      Set<Method> methods,
      SortedMap<Integer, SortedMap<LatencyKey, Double>> floors) {
    List<Held> held = new ArrayList<>();
    Fit fit = Fit.to(rest, seed, methods);
    Map<LatencyKey, Map<Method, Double>> byKey = new LinkedHashMap<>();
    for (ProfileRow row : out) {
      LatencyKey key = row.key();
      if (fit.knowsCurveOf(key)) {
        held.add(
            new Held(
                row,
                fit.reach(key),
                byKey.computeIfAbsent(key, k -> answers(fit, k)),
                floors.getOrDefault(row.pass(), new TreeMap<>()).get(key)));
      }
    }
    return held;
  }

  private static Map<Method, Double> answers(Fit fit, LatencyKey key) {
    Map<Method, Double> answers = new EnumMap<>(Method.class);
    fit.estimators()
        .forEach(
            (method, estimator) -> {
              if (estimator.answers(key)) {
                answers.put(method, estimator.lnNs(key));
              }
            });
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
