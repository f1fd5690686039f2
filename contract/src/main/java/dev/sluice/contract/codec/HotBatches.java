package dev.sluice.contract.codec;

import static dev.sluice.contract.codec.JsonOutput.ascii;

import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchCompleted.JobResult;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.BatchDispatched.Decision;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.BatchDispatched.Place;
import dev.sluice.contract.event.BatchDispatched.Work;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Prediction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON of a batch's dispatch and of its completion, by hand as {@link HotJson} has it. */
final class HotBatches {
  private static final byte[] DISPATCHED = ascii("{\"type\":\"BatchDispatched\",\"dispatchId\":");
  private static final byte[] EXECUTOR = ascii(",\"executorId\":");
  private static final byte[] INCARNATION = ascii(",\"incarnation\":");
  private static final byte[] LANES = ascii(",\"lanes\":[");
  private static final byte[] WORKLOAD = ascii("],\"workload\":");
  private static final byte[] BACKEND = ascii(",\"backend\":");
  private static final byte[] PRECISION = ascii(",\"precision\":");
  private static final byte[] JOBS = ascii(",\"jobs\":[");
  private static final byte[] JOB_ID = ascii("{\"jobId\":");
  private static final byte[] SAMPLES = ascii(",\"samples\":");
  private static final byte[] ALL_SAMPLES = ascii("],\"samples\":");
  private static final byte[] TOKENS = ascii(",\"tokens\":");
  private static final byte[] ATTEMPT = ascii(",\"attempt\":");
  private static final byte[] DECIDED_AT = ascii(",\"decidedAtNs\":");
  private static final byte[] NOT_AFTER = ascii(",\"notAfterNs\":");
  private static final byte[] MEAN = ascii(",\"predictedServiceNs\":");
  private static final byte[] SOURCE = ascii(",\"predictionSource\":");
  private static final byte[] SCORE_TERMS = ascii(",\"scoreTerms\":{");
  private static final byte[] MODEL_VERSION = ascii("},\"modelVersion\":");
  private static final byte[] QUANTILE = ascii(",\"predictedQuantileNs\":");
  private static final byte[] P95 = ascii(",\"predictedP95Ns\":");
  private static final byte[] P99 = ascii(",\"predictedP99Ns\":");
  private static final byte[] BUSY_LANES = ascii(",\"busyLanes\":");

  private static final byte[] COMPLETED = ascii("{\"type\":\"BatchCompleted\",\"dispatchId\":");
  private static final byte[] LANE = ascii(",\"lane\":");
  private static final byte[] STARTED_AT = ascii(",\"startedAtNs\":");
  private static final byte[] FINISHED_AT = ascii(",\"finishedAtNs\":");
  private static final byte[] SERVICE = ascii(",\"serviceNs\":");
  private static final byte[] SWITCH = ascii(",\"switchNs\":");
  private static final byte[] RESULT = ascii(",\"result\":");
  private static final byte[] CAUSE = ascii(",\"cause\":");
  private static final byte[] RESULTS = ascii(",\"results\":[");
  private static final byte[] TOP_CLASSES = ascii(",\"topClasses\":[");
  private static final byte[] EMULATED_SERVICE = ascii("],\"emulatedServiceNs\":");

  private static final byte[] VERSION_2 = ascii(",\"version\":2}");
  private static final byte[] NOTHING = {};
  private static final byte[] COLON = ascii(":");
  private static final byte[] OBJECT_END = ascii("}");
  private static final byte[] RESULT_END = ascii("]}");

  /** Bytes of most records beside their jobs. */
  private static final int EXPECTED = 640;

  /** Bytes of most jobs of a batch. */
  private static final int EXPECTED_JOB = 40;

  private static final Result[] RESULT_VALUES = Result.values();

  private HotBatches() {}

  /** Returns the dispatch as bytes; null: the general way must write it. */
  static byte @Nullable [] write(BatchDispatched dispatch) {
    Place place = dispatch.place();
    Work work = dispatch.work();
    var json = new JsonOutput(EXPECTED + EXPECTED_JOB * work.jobs().size());
    json.dispatch(DISPATCHED, dispatch.dispatchId());
    json.name(EXECUTOR, place.executorId());
    json.number(INCARNATION, place.incarnation());
    numbers(json, LANES, place.lanes());
    json.name(WORKLOAD, work.model().workload());
    json.name(BACKEND, work.model().backend());
    json.name(PRECISION, work.model().precision());
    json.raw(JOBS);
    for (int i = 0; i < work.jobs().size(); i++) {
      json.comma(i);
      json.text(JOB_ID, work.jobs().get(i).jobId());
      json.number(SAMPLES, work.jobs().get(i).samples());
      json.one('}');
    }
    json.number(ALL_SAMPLES, work.samples());
    json.number(TOKENS, work.tokens());
    json.number(ATTEMPT, work.attempt());
    return rest(json, dispatch.decision(), dispatch.prediction());
  }

  private static byte @Nullable [] rest(JsonOutput json, Decision decision, Prediction prediction) {
    json.number(DECIDED_AT, decision.decidedAtNs());
    json.number(NOT_AFTER, decision.notAfterNs());
    json.number(MEAN, prediction.meanNs());
    json.name(SOURCE, prediction.source());
    json.raw(SCORE_TERMS);
    int i = 0;
    for (Map.Entry<String, Double> term : decision.scoreTerms().entrySet()) {
      json.comma(i++);
      json.name(NOTHING, term.getKey());
      json.fraction(COLON, term.getValue());
    }
    json.name(MODEL_VERSION, prediction.modelVersion());
    json.number(QUANTILE, prediction.quantileNs());
    json.number(P95, prediction.p95Ns());
    json.number(P99, prediction.p99Ns());
    json.number(BUSY_LANES, prediction.busyLanes());
    json.raw(VERSION_2);
    return json.bytes();
  }

  /** Returns the completion as bytes; null: the general way must write it. */
  static byte @Nullable [] write(BatchCompleted completed) {
    var json = new JsonOutput(EXPECTED);
    json.dispatch(COMPLETED, completed.dispatchId());
    json.name(EXECUTOR, completed.executorId());
    json.number(INCARNATION, completed.incarnation());
    json.number(LANE, completed.lane());
    json.number(STARTED_AT, completed.startedAtNs());
    json.number(FINISHED_AT, completed.finishedAtNs());
    json.number(SERVICE, completed.serviceNs());
    json.number(SWITCH, completed.switchNs());
    json.name(RESULT, completed.result().name());
    json.name(CAUSE, completed.cause());
    json.raw(RESULTS);
    for (int i = 0; i < completed.results().size(); i++) {
      JobResult result = completed.results().get(i);
      json.comma(i);
      json.text(JOB_ID, result.jobId());
      numbers(json, TOP_CLASSES, result.topClasses());
      json.raw(RESULT_END);
    }
    json.number(EMULATED_SERVICE, completed.emulatedServiceNs());
    json.number(BUSY_LANES, completed.busyLanes());
    json.raw(VERSION_2);
    return json.bytes();
  }

  private static void numbers(JsonOutput json, byte[] before, List<Integer> numbers) {
    json.raw(before);
    for (int i = 0; i < numbers.size(); i++) {
      json.comma(i);
      json.number(NOTHING, numbers.get(i));
    }
  }

  /** Returns the dispatch in the bytes; null: the general way must read it. */
  static @Nullable BatchDispatched readDispatch(byte[] bytes) {
    var json = new JsonInput(bytes);
    DispatchId id = json.dispatch(DISPATCHED);
    try {
      Place place = place(json);
      Work work = place == null ? null : work(json);
      return id == null || place == null || work == null ? null : dispatch(json, id, place, work);
    } catch (IllegalArgumentException e) {
      return null; // the general way says what is wrong
    }
  }

  /** Returns what the dispatch in the bytes starts; null: the general way must read it. */
  static @Nullable DispatchStart readStart(byte[] bytes) {
    var json = new JsonInput(bytes);
    DispatchId id = json.dispatch(DISPATCHED);
    String executorId = json.name(EXECUTOR);
    long unusedIncarnation = json.number(INCARNATION);
    List<Integer> lanes = numbers(json, LANES);
    String unusedWorkload = json.name(WORKLOAD);
    String unusedBackend = json.name(BACKEND);
    String unusedPrecision = json.name(PRECISION);
    List<String> jobIds = new ArrayList<>(4);
    boolean usual = json.takes(JOBS);
    do {
      String jobId = json.text(JOB_ID);
      int unusedSamples = json.small(SAMPLES);
      usual = json.takes(OBJECT_END) && usual;
      if (jobId == null || !usual) {
        return null;
      }
      jobIds.add(jobId);
    } while (json.skips(','));
    return json.takes(ALL_SAMPLES) && id != null && executorId != null
        ? new DispatchStart(id, executorId, lanes, jobIds)
        : null;
  }

  /**
   * Returns the head of the dispatch in the bytes, if these begin and end as a whole dispatch does;
   * null: the general way must read it.
   */
  static @Nullable DispatchHead readHead(byte[] bytes) {
    var json = new JsonInput(bytes);
    DispatchId id = json.dispatch(DISPATCHED);
    String executorId = json.name(EXECUTOR);
    int end = bytes.length - VERSION_2.length;
    boolean whole =
        end > 0 && Arrays.equals(bytes, end, bytes.length, VERSION_2, 0, VERSION_2.length);
    return !whole || id == null || executorId == null ? null : new DispatchHead(id, executorId);
  }

  private static @Nullable Place place(JsonInput json) {
    String executorId = json.name(EXECUTOR);
    long incarnation = json.number(INCARNATION);
    List<Integer> lanes = numbers(json, LANES);
    return executorId == null || lanes.isEmpty() ? null : new Place(executorId, incarnation, lanes);
  }

  private static @Nullable Work work(JsonInput json) {
    String workload = json.name(WORKLOAD);
    String backend = json.name(BACKEND);
    String precision = json.name(PRECISION);
    List<DispatchedJob> jobs = new ArrayList<>();
    boolean usual = json.takes(JOBS);
    do {
      String jobId = json.text(JOB_ID);
      int samples = json.small(SAMPLES);
      usual = json.takes(OBJECT_END) && usual;
      if (jobId == null || !usual) {
        return null;
      }
      jobs.add(new DispatchedJob(jobId, samples));
    } while (json.skips(','));
    int samples = json.small(ALL_SAMPLES);
    int tokens = json.small(TOKENS);
    int attempt = json.small(ATTEMPT);
    return workload == null || backend == null || precision == null
        ? null
        : new Work(new ModelKey(workload, backend, precision), jobs, samples, tokens, attempt);
  }

  private static @Nullable BatchDispatched dispatch(
      JsonInput json, DispatchId id, Place place, Work work) {
    long decidedAtNs = json.number(DECIDED_AT);
    Long notAfterNs = json.numberOrNull(NOT_AFTER);
    long meanNs = json.number(MEAN);
    String source = json.name(SOURCE);
    Map<String, Double> scoreTerms = scoreTerms(json);
    String modelVersion = json.nameOrNull(MODEL_VERSION);
    Long quantileNs = json.numberOrNull(QUANTILE);
    Long p95Ns = json.numberOrNull(P95);
    Long p99Ns = json.numberOrNull(P99);
    Integer busyLanes = json.smallOrNull(BUSY_LANES);
    if (!json.endsWith(VERSION_2) || source == null) {
      return null;
    }
    return new BatchDispatched(
        id,
        place,
        work,
        new Decision(decidedAtNs, notAfterNs, scoreTerms),
        new Prediction(meanNs, source, busyLanes, modelVersion, quantileNs, p95Ns, p99Ns));
  }

  private static Map<String, Double> scoreTerms(JsonInput json) {
    if (!json.takes(SCORE_TERMS) || json.isAt('}')) {
      return Map.of();
    }
    Map<String, Double> terms = new LinkedHashMap<>();
    do {
      String term = json.name(NOTHING);
      double value = json.fraction(COLON);
      if (term != null) {
        terms.put(term, value);
      }
    } while (json.skips(','));
    return terms;
  }

  /** Returns the completion in the bytes; null: the general way must read it. */
  static @Nullable BatchCompleted readCompleted(byte[] bytes) {
    var json = new JsonInput(bytes);
    DispatchId id = json.dispatch(COMPLETED);
    String executorId = json.name(EXECUTOR);
    long incarnation = json.number(INCARNATION);
    int lane = json.small(LANE);
    Long startedAtNs = json.numberOrNull(STARTED_AT);
    Long finishedAtNs = json.numberOrNull(FINISHED_AT);
    long serviceNs = json.number(SERVICE);
    long switchNs = json.number(SWITCH);
    Result result = result(json.name(RESULT));
    String cause = json.nameOrNull(CAUSE);
    List<JobResult> results = results(json);
    Long emulatedServiceNs = json.numberOrNull(EMULATED_SERVICE);
    Integer busyLanes = json.smallOrNull(BUSY_LANES);
    if (!json.endsWith(VERSION_2) || id == null || executorId == null || result == null) {
      return null;
    }
    try {
      return new BatchCompleted(
          id,
          executorId,
          incarnation,
          lane,
          startedAtNs,
          finishedAtNs,
          serviceNs,
          switchNs,
          result,
          cause,
          results,
          emulatedServiceNs,
          busyLanes);
    } catch (IllegalArgumentException e) {
      return null; // the general way says what is wrong
    }
  }

  private static @Nullable Result result(@Nullable String name) {
    for (Result result : RESULT_VALUES) {
      if (result.name().equals(name)) {
        return result;
      }
    }
    return null;
  }

  private static List<JobResult> results(JsonInput json) {
    if (!json.takes(RESULTS) || json.isAt(']')) {
      return List.of();
    }
    List<JobResult> results = new ArrayList<>();
    do {
      String jobId = json.text(JOB_ID);
      List<Integer> topClasses = numbers(json, TOP_CLASSES);
      if (jobId != null && json.takes(RESULT_END)) {
        results.add(new JobResult(jobId, topClasses));
      }
    } while (json.skips(','));
    return results;
  }

  /** Reads numbers up to the end of their list, which stays. */
  private static List<Integer> numbers(JsonInput json, byte[] before) {
    if (!json.takes(before) || json.isAt(']')) {
      return List.of();
    }
    int first = json.small(NOTHING);
    if (!json.skips(',')) {
      return List.of(first);
    }
    List<Integer> numbers = new ArrayList<>();
    numbers.add(first);
    do {
      numbers.add(json.small(NOTHING));
    } while (json.skips(','));
    return numbers;
  }
}
