package dev.sluice.scheduler.translation;

import static java.util.Objects.requireNonNull;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import dev.sluice.contract.value.Reason;
import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.DispatchName;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.policy.Choice;
import dev.sluice.scheduling.policy.JobGraph;
import dev.sluice.scheduling.policy.JobSpec;
import dev.sluice.scheduling.policy.WorkflowSpec;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Translation of event records into the core's facts, and of the core's decisions into event
 * records.
 */
public final class Translation {
  private static final Map<String, dev.sluice.scheduling.fact.Reason> CORE_REASONS =
      Stream.of(dev.sluice.scheduling.fact.Reason.values())
          .collect(Collectors.toUnmodifiableMap(Enum::name, Function.identity()));

  /** Sources of predictions as events hold them. */
  private static final Map<dev.sluice.scheduling.fact.Prediction.Source, String> SOURCES =
      new EnumMap<>(
          Stream.of(dev.sluice.scheduling.fact.Prediction.Source.values())
              .collect(Collectors.toMap(Function.identity(), Translation::text)));

  private Translation() {}

  private static String text(dev.sluice.scheduling.fact.Prediction.Source source) {
    return source.name().toLowerCase(Locale.ROOT);
  }

  public static CoreFact toCore(Fact fact) {
    if (fact instanceof JobRequested job) {
      return new CoreFact.JobArrived(
          new JobSpec(
              job.jobId(),
              job.generator(),
              job.index(),
              job.classType(),
              job.workload(),
              job.backend(),
              job.precision(),
              job.samples(),
              1,
              job.sloNs(),
              job.intendedAtNs()));
    }
    if (fact instanceof WorkflowRequested workflow) {
      return new CoreFact.WorkflowArrived(toCore(workflow));
    }
    if (fact instanceof BatchCompleted completed) {
      return new CoreFact.BatchCompleted(
          new DispatchName(completed.dispatchId().factOffset(), completed.dispatchId().index()),
          completed.executorId(),
          completed.incarnation(),
          completed.lane(),
          CoreFact.Result.valueOf(completed.result().name()),
          toCore(completed.cause()),
          completed.serviceNs());
    }
    if (fact instanceof ExecutorReported report) {
      Long tokens = report.tokens();
      return new CoreFact.ExecutorReported(
          report.executorId(),
          report.incarnation(),
          report.leaving(),
          report.deviceKind(),
          tokens == null ? Long.MAX_VALUE : tokens,
          report.lanes().size(),
          report.capabilities().stream().map(Translation::toCore).toList(),
          report.lanes().stream()
              .filter(lane -> lane.holds().isEmpty())
              .map(ExecutorReported.Lane::index)
              .toList());
    }
    if (fact instanceof RunStarted started) {
      Long arrivalsEndAtNsMax = started.arrivalsEndAtNsMax();
      return new CoreFact.RunStarted(
          started.seed(),
          started.generators(),
          arrivalsEndAtNsMax == null ? Long.MAX_VALUE : arrivalsEndAtNsMax);
    }
    if (fact instanceof ArrivalsEnded ended) {
      return new CoreFact.ArrivalsEnded(ended.generator(), ended.jobsSent());
    }
    if (fact instanceof PredictionsPublished table) {
      return toCore(table);
    }
    if (fact instanceof Ticked) {
      return new CoreFact.Ticked();
    }
    throw new IllegalStateException("a fact that the core does not know: " + fact);
  }

  public static WorkflowSpec toCore(WorkflowRequested workflow) {
    Long sloNs = workflow.sloNs();
    return new WorkflowSpec(
        workflow.requestId(),
        workflow.generator(),
        workflow.index(),
        workflow.classType(),
        sloNs == null ? Long.MAX_VALUE : sloNs,
        workflow.intendedAtNs(),
        new JobGraph(
            workflow.nodes().stream()
                .map(
                    n ->
                        new JobGraph.Node(
                            n.nodeId(),
                            n.workload(),
                            n.backend(),
                            n.precision(),
                            n.samples(),
                            n.lanes(),
                            n.inputs()))
                .toList()),
        workflow.nodes().stream().mapToLong(WorkflowRequested.Node::expectedNs).toArray());
  }

  public static CoreFact.Capability toCore(ExecutorReported.Capability capability) {
    Long loadNs = capability.loadNs();
    return new CoreFact.Capability(
        capability.workload(),
        capability.backend(),
        capability.precision(),
        capability.flopsPerSample(),
        capability.warmUps().stream()
            .map(w -> new CoreFact.WarmUp(w.samples(), w.serviceNs()))
            .toList(),
        loadNs == null ? 0 : loadNs);
  }

  public static CoreFact.PredictionsPublished toCore(PredictionsPublished table) {
    return new CoreFact.PredictionsPublished(
        table.executorId(),
        table.deviceKind(),
        table.modelVersion(),
        table.tableVersion(),
        table.services().stream()
            .map(
                s ->
                    new CoreFact.PredictionsPublished.Service(
                        s.workload(), s.backend(), s.precision(), s.meanNs()))
            .toList(),
        table.calibrations().stream()
            .map(
                c ->
                    new CoreFact.PredictionsPublished.Calibration(
                        c.workload(), c.backend(), c.residuals()))
            .toList());
  }

  public static BatchDispatched toEvent(Dispatch dispatch) {
    JobSpec first = dispatch.jobs().get(0);
    return new BatchDispatched(
        toEvent(dispatch.name()),
        new BatchDispatched.Place(dispatch.executorId(), dispatch.incarnation(), dispatch.lanes()),
        new BatchDispatched.Work(
            new ModelKey(first.workload(), first.backend(), first.precision()),
            toEvent(dispatch.jobs()),
            dispatch.samples(),
            dispatch.tokens(),
            dispatch.attempt()),
        new BatchDispatched.Decision(
            dispatch.decidedAtNs(),
            dispatch.notAfterNs() == Long.MAX_VALUE ? null : dispatch.notAfterNs(),
            dispatch.scoreTerms()),
        toEvent(dispatch.prediction()));
  }

  private static List<BatchDispatched.DispatchedJob> toEvent(List<JobSpec> jobs) {
    List<BatchDispatched.DispatchedJob> events = new ArrayList<>(jobs.size());
    for (JobSpec job : jobs) {
      events.add(new BatchDispatched.DispatchedJob(job.id(), job.samples()));
    }
    return events;
  }

  public static Prediction toEvent(dev.sluice.scheduling.fact.Prediction prediction) {
    return new Prediction(
        prediction.meanNs(),
        toEvent(prediction.source()),
        prediction.busyLanes(),
        prediction.modelVersion(),
        prediction.quantileNs(),
        prediction.p95Ns(),
        prediction.p99Ns());
  }

  /** Returns the event's word for a source of predictions. */
  public static String toEvent(dev.sluice.scheduling.fact.Prediction.Source source) {
    return requireNonNull(SOURCES.get(source));
  }

  public static JobEnded toEvent(JobEnd end) {
    DispatchName dispatch = end.dispatch();
    return new JobEnded(
        end.jobId(),
        switch (end.status()) {
          case DONE -> JobEnded.Status.DONE;
          case DROPPED -> JobEnded.Status.DROPPED;
          case FAILED -> JobEnded.Status.FAILED;
        },
        toEvent(end.reason()),
        dispatch == null ? null : toEvent(dispatch),
        end.attempt(),
        end.endedAtNs());
  }

  /** Returns the event's reason for a reason of the core; the words of a failure stay unchanged. */
  public static @Nullable String toEvent(@Nullable String reason) {
    var own = dev.sluice.scheduling.fact.Reason.ofOrNull(reason);
    return own == null ? reason : Reason.valueOf(own.name()).text();
  }

  /**
   * Returns the core's reason for a cause in an event; a cause that the core does not know stays
   * unchanged.
   */
  static @Nullable String toCore(@Nullable String cause) {
    return Reason.of(cause)
        .map(reason -> CORE_REASONS.get(reason.name()))
        .map(dev.sluice.scheduling.fact.Reason::text)
        .orElse(cause);
  }

  public static Blocked toEvent(long fromNs, long toNs, Choice.Cause cause) {
    return new Blocked(fromNs, toNs, Blocked.Cause.valueOf(cause.name()));
  }

  /**
   * Returns the event record of an executor's report to the core.
   *
   * @param held the dispatches that each lane holds, by lane
   */
  public static ExecutorReported toEvent(
      CoreFact.ExecutorReported report, List<List<DispatchName>> held) {
    return new ExecutorReported(
        report.executorId(),
        report.incarnation(),
        report.leaving(),
        report.deviceKind(),
        report.tokens() == Long.MAX_VALUE ? null : report.tokens(),
        IntStream.range(0, held.size())
            .mapToObj(
                lane ->
                    new ExecutorReported.Lane(
                        lane, held.get(lane).stream().map(Translation::toEvent).toList()))
            .toList(),
        report.capabilities().stream().map(Translation::toEvent).toList(),
        0,
        null,
        0L);
  }

  public static ExecutorReported.Capability toEvent(CoreFact.Capability capability) {
    return new ExecutorReported.Capability(
        capability.workload(),
        capability.backend(),
        capability.precision(),
        capability.flopsPerSample(),
        capability.warmUps().stream()
            .map(w -> new ExecutorReported.WarmUp(w.samples(), w.serviceNs()))
            .toList(),
        capability.loadNs() == 0 ? null : Long.valueOf(capability.loadNs()));
  }

  public static PredictionsPublished toEvent(CoreFact.PredictionsPublished table) {
    return new PredictionsPublished(
        table.executorId(),
        table.deviceKind(),
        table.modelVersion(),
        table.tableVersion(),
        table.services().stream()
            .map(
                s ->
                    new PredictionsPublished.Service(
                        s.workload(), s.backend(), s.precision(), s.meanNs()))
            .toList(),
        table.calibrations().stream()
            .map(
                c -> new PredictionsPublished.Calibration(c.workload(), c.backend(), c.residuals()))
            .toList());
  }

  public static DispatchId toEvent(DispatchName name) {
    return new DispatchId(name.factId(), name.index());
  }
}
