package dev.sluice.contract.codec;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Decision;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.BatchDispatched.Place;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * JSON form of a {@link BatchDispatched}: the fields of all its parts side by side, in the order in
 * which they were added to the event. The order is part of the form.
 */
record FlatBatch(
    DispatchId dispatchId,
    String executorId,
    long incarnation,
    List<Integer> lanes,
    String workload,
    String backend,
    String precision,
    List<DispatchedJob> jobs,
    int samples,
    int tokens,
    int attempt,
    long decidedAtNs,
    @Nullable Long notAfterNs,
    long predictedServiceNs,
    String predictionSource,
    Map<String, Double> scoreTerms,
    @Nullable String modelVersion,
    @Nullable Long predictedQuantileNs,
    @Nullable Long predictedP95Ns,
    @Nullable Long predictedP99Ns,
    @Nullable Integer busyLanes,
    @Nullable DispatchId cancels,
    @Nullable Long notBeforeNs)
    implements FlatDispatch {
  FlatBatch {
    requireNonNull(dispatchId, "dispatchId");
    requireNonNull(executorId, "executorId");
    requireNonNull(workload, "workload");
    requireNonNull(backend, "backend");
    requireNonNull(precision, "precision");
    requireNonNull(predictionSource, "predictionSource");
    requireNonNull(scoreTerms, "scoreTerms");
    lanes = List.copyOf(lanes);
    jobs = List.copyOf(jobs);
  }

  static FlatBatch of(BatchDispatched dispatch) {
    Place place = dispatch.place();
    Work work = dispatch.work();
    Decision decision = dispatch.decision();
    Prediction prediction = dispatch.prediction();
    return new FlatBatch(
        dispatch.dispatchId(),
        place.executorId(),
        place.incarnation(),
        place.lanes(),
        work.model().workload(),
        work.model().backend(),
        work.model().precision(),
        work.jobs(),
        work.samples(),
        work.tokens(),
        work.attempt(),
        decision.decidedAtNs(),
        decision.notAfterNs(),
        prediction.meanNs(),
        prediction.source(),
        decision.scoreTerms(),
        prediction.modelVersion(),
        prediction.quantileNs(),
        prediction.p95Ns(),
        prediction.p99Ns(),
        prediction.busyLanes(),
        decision.cancels(),
        decision.notBeforeNs());
  }

  @Override
  public BatchDispatched event() {
    return new BatchDispatched(
        dispatchId,
        new Place(executorId, incarnation, lanes),
        new Work(new ModelKey(workload, backend, precision), jobs, samples, tokens, attempt),
        new Decision(decidedAtNs, notAfterNs, scoreTerms, cancels, notBeforeNs),
        new Prediction(
            predictedServiceNs,
            predictionSource,
            busyLanes,
            modelVersion,
            predictedQuantileNs,
            predictedP95Ns,
            predictedP99Ns));
  }

  @JsonProperty("version")
  int version() {
    return BatchDispatched.VERSION;
  }
}
