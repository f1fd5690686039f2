package dev.sluice.producer.requests;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.contract.log.RequestKind;
import dev.sluice.producer.arrivals.RandomStream;
import dev.sluice.producer.requests.RequestList.IsolatedTimes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The mix of an experiment's jobs. Each attribute is drawn on its own: the class is interactive
 * with the experiment's ratio, then uniform among the classes of that sort (if there is only one
 * sort, among all classes); the workload by weight; backend, precision and samples uniformly. A
 * user's own model has one backend.
 *
 * <p>Each job takes an equal number of draws, whatever their results, so that a change of one
 * attribute's choices leaves the other attributes unchanged.
 */
final class JobMix {
  private final Experiment experiment;
  private final IsolatedTimes isolatedTimes;
  private final RandomStream random;
  private final int[] interactive;

  private final int[] others;
  private final double[] weightsUpTo;

  private final Map<Draw, JobKind> drawnKinds = new HashMap<>();

  JobMix(Experiment experiment, IsolatedTimes isolatedTimes) {
    this.experiment = experiment;
    this.isolatedTimes = isolatedTimes;
    random = RandomStream.of(experiment.seed(), "job-mix");
    interactive = placesOf(experiment.jobs().classes(), true);
    others = placesOf(experiment.jobs().classes(), false);
    weightsUpTo = new double[experiment.jobs().workloads().size()];
    double sum = 0;
    for (int i = 0; i < weightsUpTo.length; i++) {
      sum += experiment.jobs().workloads().get(i).weight();
      weightsUpTo[i] = sum;
    }
  }

  private static int[] placesOf(List<JobClass> classes, boolean sort) {
    return IntStream.range(0, classes.size())
        .filter(place -> classes.get(place).interactive() == sort)
        .toArray();
  }

  /** Places that were drawn in the lists of an experiment; that of a class counts within all. */
  private record Draw(int jobClass, int workload, int backend, int precision, int samples) {
    /** Compares by hand, as {@link #hashCode} does, since each job looks its kind up. */
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Draw that
          && jobClass == that.jobClass
          && workload == that.workload
          && backend == that.backend
          && precision == that.precision
          && samples == that.samples;
    }

    @Override
    public int hashCode() {
      return 31 * (31 * (31 * (31 * jobClass + workload) + backend) + precision) + samples;
    }
  }

  JobKind next() {
    Draw draw = draw();
    JobKind known = drawnKinds.get(draw);
    if (known == null) {
      known = kind(draw, RequestKind.UNKNOWN);
      drawnKinds.put(draw, known);
    }
    return known;
  }

  /** Draws what a recorded request does not say of itself; takes as many draws in any case. */
  JobKind next(RequestKind told) {
    return kind(draw(), told);
  }

  private Draw draw() {
    boolean wantsInteractive = random.nextOpenUnit() < experiment.jobs().interactiveRatio();
    int[] classes =
        others.length == 0 || (wantsInteractive && interactive.length > 0) ? interactive : others;
    return new Draw(
        classes[random.nextBelow(classes.length)],
        nextWorkload(),
        random.nextBelow(experiment.jobs().backendsEnabled().size()),
        random.nextBelow(experiment.jobs().precisionModes().size()),
        random.nextBelow(experiment.jobs().batchSizes().size()));
  }

  private JobKind kind(Draw draw, RequestKind told) {
    Experiment.Jobs jobs = experiment.jobs();
    JobClass jobClass =
        told.classType() == null
            ? jobs.classes().get(draw.jobClass)
            : experiment.jobClass(told.classType());
    WorkloadChoice workload =
        told.workload() == null
            ? jobs.workloads().get(draw.workload)
            : experiment.workload(told.workload());
    String backend =
        workload.model() != null
            ? workload.model().backend()
            : requireNonNullElse(told.backend(), jobs.backendsEnabled().get(draw.backend));
    String precision =
        requireNonNullElse(told.precision(), jobs.precisionModes().get(draw.precision));
    int samples = told.samples() == 0 ? jobs.batchSizes().get(draw.samples) : told.samples();
    return new JobKind(
        jobClass.name(),
        workload.name(),
        backend,
        precision,
        samples,
        told.sloNs() > 0
            ? told.sloNs()
            : Math.max(
                1, Math.round(1e6 * sloMs(jobClass, workload, backend, precision, samples))));
  }

  private double sloMs(
      JobClass jobClass, WorkloadChoice workload, String backend, String precision, int samples) {
    return jobClass.sloScale() == null
        ? requireNonNull(jobClass.sloMs())
        : jobClass.sloScale()
            * isolatedTimes.isolatedMs(workload.name(), backend, precision, samples);
  }

  private int nextWorkload() {
    int last = weightsUpTo.length - 1;
    double at = random.nextOpenUnit() * weightsUpTo[last];
    int chosen = 0;
    while (chosen < last && at >= weightsUpTo[chosen]) {
      chosen++;
    }
    return chosen;
  }
}
