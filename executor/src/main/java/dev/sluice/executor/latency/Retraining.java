package dev.sluice.executor.latency;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.value.ModelKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Fits a model again while a run goes on: to the profile and to what the run has measured since.
 * The profile says how times depend on samples and busy lanes; the run says how fast the lanes are
 * now. So the profile's times of each model are first moved to the run's level, by the median of
 * ln(measured / predicted), and the run's own rows stand beside them.
 *
 * <p>The newest rows take no part in the fit. They decide whether the new table is better than the
 * table that is in force.
 */
public record Retraining(PredictionTable reach) {
  /** Least number of batches to learn from and to judge by. */
  static final int ROWS_MIN = 60;

  /** Share of the rows, the newest ones, that judge tables and take no part in the fit. */
  private static final double JUDGING = 0.25;

  /** Ratio of errors that a new table must stay below, else tables would follow noise. */
  private static final double BETTER = 0.98;

  private static final int ROWS_PER_MODEL_MIN = 5;
  private static final long SEED = 1;

  /**
   * A batch that a run has completed.
   *
   * @param busyLanes number of busy lanes when the batch began, its own included; at least 1
   * @param startedAtNs start of the batch, since time zero of the run
   * @param serviceNs service time; at least 1
   */
  public record Measured(
      ModelKey model, int samples, int busyLanes, long startedAtNs, long serviceNs) {
    double lnNs() {
      return StrictMath.log((double) serviceNs);
    }
  }

  /**
   * The outcome of a retraining.
   *
   * @param table table to publish; null: it is no better than the table in force
   * @param errorBefore median absolute log error of the table in force on the newest rows; NaN
   *     without such a table, or without rows to judge by
   * @param errorAfter median absolute log error of the new table on these rows; NaN if there is no
   *     new table
   */
  public record Outcome(
      @Nullable PredictionsPublished table, int rows, double errorBefore, double errorAfter) {}

  /**
   * Fits a new table, and judges it.
   *
   * @param profiled model fitted to the profile; null: there is no profile, and the run's rows must
   *     suffice
   * @param measured batches of lanes of one device kind, in any order
   */
  public Outcome run(
      @Nullable LatencyModel profiled,
      String deviceKind,
      List<Measured> measured,
      @Nullable PredictionsPublished current,
      String executorId) {
    List<Measured> rows =
        measured.stream().sorted(Comparator.comparingLong(Measured::startedAtNs)).toList();
    if (rows.size() < ROWS_MIN) {
      return new Outcome(null, rows.size(), Double.NaN, Double.NaN);
    }
    int learning = (int) (rows.size() * (1 - JUDGING));
    Optional<LatencyModel> fitted = fit(profiled, deviceKind, rows.subList(0, learning));
    List<Measured> judging = rows.subList(learning, rows.size());
    double before = current == null ? Double.NaN : error(current, judging);
    if (fitted.isEmpty() || !reach.isKnownTo(fitted.get())) {
      return new Outcome(null, rows.size(), before, Double.NaN);
    }
    long version = current == null ? 1 : current.tableVersion() + 1;
    PredictionsPublished table = reach.fill(fitted.get(), executorId, version);
    double after = error(table, judging);
    boolean better = Double.isNaN(before) ? !Double.isNaN(after) : after < BETTER * before;
    return new Outcome(
        better ? PredictionTable.withResiduals(table, residuals(table, judging)) : null,
        rows.size(),
        before,
        after);
  }

  private Optional<LatencyModel> fit(
      @Nullable LatencyModel profiled, String deviceKind, List<Measured> rows) {
    if (profiled == null) {
      List<ProfileRow> own = often(asRows(deviceKind, rows, 0, Map.of()));
      long keys = own.stream().map(ProfileRow::key).distinct().count();
      return keys < 2 ? Optional.empty() : Optional.of(Trainer.train(own, SEED).model());
    }
    Map<ModelKey, ProfileRow> example = new HashMap<>();
    int lastPass = 0;
    for (ProfileRow row : profiled.rows()) {
      example.putIfAbsent(row.key().model(), row);
      lastPass = Math.max(lastPass, row.pass());
    }
    List<ProfileRow> all = moved(profiled, rows);
    all.addAll(asRows(deviceKind, rows, lastPass, example));
    return Optional.of(Trainer.refit(profiled, all));
  }

  private static List<ProfileRow> often(List<ProfileRow> rows) {
    Map<LatencyKey, Integer> counts = new HashMap<>();
    rows.forEach(row -> counts.merge(row.key(), 1, Integer::sum));
    return rows.stream()
        .filter(row -> counts.getOrDefault(row.key(), 0) >= ROWS_PER_MODEL_MIN)
        .toList();
  }

  private LatencyKey keyOf(Measured row) {
    return new LatencyKey(row.model(), reach.threads(), row.samples(), row.busyLanes());
  }

  /**
   * Returns the profile's rows moved to the level of measured rows; a model with too few measured
   * rows moves to the level of all.
   */
  private List<ProfileRow> moved(LatencyModel profiled, List<Measured> rows) {
    Map<ModelKey, List<Double>> offBy = new HashMap<>();
    List<Double> all = new ArrayList<>();
    for (Measured row : rows) {
      LatencyKey key = keyOf(row);
      if (profiled.knows(key)) {
        double off = row.lnNs() - StrictMath.log(profiled.predictNs(key));
        offBy.computeIfAbsent(row.model(), model -> new ArrayList<>()).add(off);
        all.add(off);
      }
    }
    double level = all.isEmpty() ? 0 : Medians.of(all);
    List<ProfileRow> moved = new ArrayList<>();
    for (ProfileRow row : profiled.rows()) {
      List<Double> own = offBy.getOrDefault(row.key().model(), List.of());
      double by = own.size() < ROWS_PER_MODEL_MIN ? level : Medians.of(own);
      long serviceNs = Math.max(1, Math.round(row.serviceNs() * StrictMath.exp(by)));
      moved.add(
          new ProfileRow(
              row.deviceKind(),
              row.key(),
              row.pass(),
              row.repeat(),
              row.atNs(),
              serviceNs,
              row.foreignLoad(),
              row.flopsPerSample(),
              row.parameters()));
    }
    return moved;
  }

  private List<ProfileRow> asRows(
      String deviceKind, List<Measured> measured, int lastPass, Map<ModelKey, ProfileRow> example) {
    Map<LatencyKey, Integer> repeats = new HashMap<>();
    List<ProfileRow> rows = new ArrayList<>();
    for (int i = 0; i < measured.size(); i++) {
      Measured row = measured.get(i);
      LatencyKey key = keyOf(row);
      int pass = lastPass + (2 * i < measured.size() ? 1 : 2);
      ProfileRow like = example.get(row.model());
      rows.add(
          new ProfileRow(
              deviceKind,
              key,
              pass,
              repeats.merge(key, 1, Integer::sum),
              Math.max(0, row.startedAtNs()),
              row.serviceNs(),
              null,
              like == null ? 0 : like.flopsPerSample(),
              like == null ? 0 : like.parameters()));
    }
    return rows;
  }

  /** Returns the median absolute log error over the rows that the table predicts, or NaN. */
  private static double error(PredictionsPublished table, List<Measured> rows) {
    double[] errors =
        rows.stream()
            .mapToDouble(row -> Math.abs(off(table, row)))
            .filter(error -> !Double.isNaN(error))
            .toArray();
    return errors.length == 0 ? Double.NaN : Medians.of(errors);
  }

  private static double off(PredictionsPublished table, Measured row) {
    return row.lnNs()
        - StrictMath.log(
            PredictionTable.meanNs(table, row.model(), row.samples(), row.busyLanes()));
  }

  private static Map<List<String>, List<Double>> residuals(
      PredictionsPublished table, List<Measured> rows) {
    return rows.stream()
        .filter(row -> !Double.isNaN(off(table, row)))
        .collect(
            groupingBy(
                row -> List.of(row.model().workload(), row.model().backend()),
                mapping(row -> off(table, row), toList())));
  }
}
