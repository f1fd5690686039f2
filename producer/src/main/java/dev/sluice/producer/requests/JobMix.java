package dev.sluice.producer.requests;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import dev.sluice.contract.experiment.Experiment;
import dev.sluice.contract.experiment.Experiment.JobClass;
import dev.sluice.contract.experiment.Experiment.WorkloadChoice;
import dev.sluice.producer.arrivals.RandomStream;
import dev.sluice.producer.trace.TraceKind;
import java.util.List;

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
  private final List<JobClass> interactive;
  private final List<JobClass> others;
  private final double[] weightsUpTo;

  JobMix(Experiment experiment, IsolatedTimes isolatedTimes) {
    this.experiment = experiment;
    this.isolatedTimes = isolatedTimes;
    interactive = experiment.jobs().classes().stream().filter(JobClass::interactive).toList();
    others = experiment.jobs().classes().stream().filter(c -> !c.interactive()).toList();
    weightsUpTo = new double[experiment.jobs().workloads().size()];
    double sum = 0;
    for (int i = 0; i < weightsUpTo.length; i++) {
      sum += experiment.jobs().workloads().get(i).weight();
      weightsUpTo[i] = sum;
    }
  }

  JobKind next(RandomStream random) {
    return next(random, TraceKind.UNKNOWN);
  }

  /** Draws what a recorded request does not say of itself; takes as many draws in any case. */
  JobKind next(RandomStream random, TraceKind told) {
    boolean wantsInteractive = random.nextOpenUnit() < experiment.jobs().interactiveRatio();
    JobClass drawnClass = oneOf(classesOfSort(wantsInteractive), random);
    JobClass jobClass =
        told.classType() == null ? drawnClass : experiment.jobClass(told.classType());
    WorkloadChoice drawnWorkload = nextWorkload(random);
    WorkloadChoice workload =
        told.workload() == null ? drawnWorkload : experiment.workload(told.workload());
    String drawnBackend = oneOf(experiment.jobs().backendsEnabled(), random);
    String backend =
        workload.model() != null
            ? workload.model().backend()
            : requireNonNullElse(told.backend(), drawnBackend);
    String drawnPrecision = oneOf(experiment.jobs().precisionModes(), random);
    String precision = requireNonNullElse(told.precision(), drawnPrecision);
    int drawnSamples = oneOf(experiment.jobs().batchSizes(), random);
    int samples = told.samples() == 0 ? drawnSamples : told.samples();
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

  private List<JobClass> classesOfSort(boolean wantsInteractive) {
    if (interactive.isEmpty() || others.isEmpty()) {
      return experiment.jobs().classes();
    }
    return wantsInteractive ? interactive : others;
  }

  private WorkloadChoice nextWorkload(RandomStream random) {
    int last = weightsUpTo.length - 1;
    double at = random.nextOpenUnit() * weightsUpTo[last];
    int chosen = 0;
    while (chosen < last && at >= weightsUpTo[chosen]) {
      chosen++;
    }
    return experiment.jobs().workloads().get(chosen);
  }

  private static <T> T oneOf(List<T> choices, RandomStream random) {
    return choices.get(random.nextBelow(choices.size()));
  }
}
