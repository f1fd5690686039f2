package dev.sluice.analytics.figure;

import dev.sluice.analytics.fold.RunRows;
import dev.sluice.analytics.folder.Summary;
import dev.sluice.analytics.row.BatchView;
import dev.sluice.analytics.row.Batches;
import dev.sluice.analytics.row.JobView;
import dev.sluice.analytics.row.Jobs;
import dev.sluice.analytics.row.Lanes;
import dev.sluice.analytics.statistic.Beside;
import dev.sluice.analytics.statistic.Bounds;
import dev.sluice.analytics.statistic.IntColumn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The registry of figures, in the order in which they stand in summary.json. */
public final class Figures {
  private static final List<Figure> ALL =
      List.of(
          new JobFigures(),
          new CapacityFigures(),
          new BlockedFigures(),
          new AttemptFigures(),
          new FairnessFigures(),
          new StabilityFigures(),
          new ArrivalFigures(),
          new ScenarioFigures(),
          new LatenessFigures(),
          new LoopFigures(),
          new SpellFigures(),
          new PredictionFigures(),
          new ScoreTermFigures(),
          new EmulationFigures(),
          new StartFigures(),
          new EndFigures());

  /** Ends of the names of shares. */
  private static final List<String> SHARES =
      List.of("slo_violation_rate", "lane_use", "slo_attainment_min", "_miss_rate");

  /** Beginnings of the names of numbers that may be below 0. */
  private static final List<String> UNBOUNDED =
      List.of("queue_growth", "prediction_bias", "append_delay");

  private Figures() {}

  /** Name of the figure that counts the values behind a p99. */
  static String countBehind(String p99Name) {
    return ALL.stream()
        .filter(figure -> figure.owns(p99Name))
        .map(figure -> figure.countBehind(p99Name))
        .findFirst()
        .orElse("all_count");
  }

  /**
   * Names that a threshold may bound. A figure of a class, or of all of them, has the class's name
   * or {@code all} and an underscore before it; without either it means all.
   */
  public static List<String> figureNames() {
    List<String> names = new ArrayList<>();
    for (Figure figure : ALL) {
      names.addAll(figure.names());
    }
    JobFigures.NAMES.forEach(name -> names.add("all_" + name));
    return List.copyOf(names);
  }

  /** Numbers of a run that are no figures of its policy, and that no threshold bounds. */
  private static final List<String> OF_THE_RUN =
      List.of("window_seconds", "clock_offset_ms_max", "fit_cpu_seconds", "jobs_never_sent");

  /**
   * Names of the numbers that every run of an experiment has, in a fixed order; a name below
   * another one follows it after a dot. Which of them are null depends on the run.
   *
   * @param classes names of the experiment's classes
   * @param workloads names of its workloads
   */
  public static List<String> numbers(List<String> classes, List<String> workloads) {
    List<String> names = new ArrayList<>(OF_THE_RUN);
    for (Figure figure : ALL) {
      if (figure instanceof JobFigures) {
        figure.names().forEach(name -> names.add("all_" + name));
        classes.forEach(c -> figure.names().forEach(name -> names.add(c + "_" + name)));
      } else {
        names.addAll(figure.names());
      }
    }
    for (String one : classes) {
      for (String workload : workloads) {
        JobFigures.NAMES.forEach(
            name -> names.add("by_class_workload." + one + "." + workload + "." + name));
      }
    }
    return List.copyOf(names);
  }

  /** What values a number can have, by its name. */
  public static Bounds bounds(String name) {
    if (SHARES.stream().anyMatch(name::endsWith)) {
      return Bounds.SHARE;
    }
    if (name.startsWith("service_autocorrelation")) {
      return Bounds.CORRELATION;
    }
    return UNBOUNDED.stream().anyMatch(name::startsWith) ? Bounds.NONE : Bounds.FROM_ZERO;
  }

  /** Computes every figure of the run, its marks, its thresholds and its verdict. */
  public static Summary summarize(RunRows run) {
    var summary = new Summary();
    RunHead.addTo(summary, run);
    List<Figure.Fold> folds = ALL.stream().map(figure -> figure.begin(run)).toList();
    List<Summary> parts = ALL.stream().map(figure -> new Summary()).toList();
    try (var beside = new Beside()) {
      beside.begin(() -> walkJobs(run, those(folds, Figure.OfJobs.class)));
      beside.begin(() -> walkDone(run, those(folds, Figure.OfDone.class)));
      beside.begin(() -> walkBatches(run, those(folds, Figure.OfBatches.class)));
      beside.begin(() -> walkIntervals(run, those(folds, Figure.OfIntervals.class)));
      beside.await();
      for (int i = 0; i < parts.size(); i++) {
        Figure.Fold fold = folds.get(i);
        Summary part = parts.get(i);
        beside.begin(() -> fold.addTo(part));
      }
      beside.await();
    } catch (IOException e) {
      throw new UncheckedIOException("figures were not counted", e); // none of them writes
    }
    parts.forEach(summary::add);
    ThresholdCheck.addTo(summary, run);
    RunHead.addProvenanceTo(summary, run);
    return summary;
  }

  private static <F> List<F> those(List<Figure.Fold> folds, Class<F> kind) {
    return folds.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  private static void walkJobs(RunRows run, List<Figure.OfJobs> folds) {
    Figure.OfJobs[] each = folds.toArray(new Figure.OfJobs[0]);
    Jobs jobs = run.jobs();
    JobView job = jobs.view();
    for (int i = 0; i < jobs.size(); i++) {
      job.show(jobs.at(i));
      feed(job, each);
    }
  }

  private static void feed(JobView job, Figure.OfJobs[] folds) {
    for (Figure.OfJobs fold : folds) {
      fold.take(job);
    }
  }

  private static void walkBatches(RunRows run, List<Figure.OfBatches> folds) {
    Figure.OfBatches[] each = folds.toArray(new Figure.OfBatches[0]);
    Batches batches = run.batches();
    BatchView batch = batches.view();
    for (int i = 0; i < batches.size(); i++) {
      batch.show(batches.at(i));
      feed(batch, each);
    }
  }

  private static void feed(BatchView batch, Figure.OfBatches[] folds) {
    for (Figure.OfBatches fold : folds) {
      fold.take(batch);
    }
  }

  private static void walkDone(RunRows run, List<Figure.OfDone> folds) {
    Figure.OfDone[] each = folds.toArray(new Figure.OfDone[0]);
    IntColumn done = run.measuredDoneBatches();
    BatchView batch = run.batches().view();
    for (int i = 0; i < done.size(); i++) {
      batch.show(done.get(i));
      feedDone(batch, each);
    }
  }

  private static void feedDone(BatchView batch, Figure.OfDone[] folds) {
    for (Figure.OfDone fold : folds) {
      fold.takeDone(batch);
    }
  }

  private static void walkIntervals(RunRows run, List<Figure.OfIntervals> folds) {
    Batches batches = run.batches();
    int[] laneOfPlace = Lanes.ofPlaces(batches);
    var beforeOnLane = new @Nullable BatchView[laneOfPlace.length];
    BatchView next = batches.view();
    IntColumn byStart = Lanes.byStart(batches, run.space());
    for (int i = 0; i < byStart.size(); i++) {
      next.show(byStart.get(i));
      int lane = laneOfPlace[next.placeNumber()];
      BatchView before = beforeOnLane[lane];
      beforeOnLane[lane] = next;
      if (before == null) {
        next = batches.view();
      } else {
        for (Figure.OfIntervals fold : folds) {
          fold.take(before, next);
        }
        next = before;
      }
    }
    byStart.clear();
  }
}
