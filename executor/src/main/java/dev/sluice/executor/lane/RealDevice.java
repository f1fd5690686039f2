package dev.sluice.executor.lane;

import dev.sluice.contract.event.BatchCompleted.JobResult;
import dev.sluice.contract.event.BatchDispatched.DispatchedJob;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.RunClock;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.model.InferenceSession;
import dev.sluice.executor.model.InputBuffer;
import dev.sluice.executor.model.JobInput;
import dev.sluice.executor.model.RunModels;
import dev.sluice.executor.network.Workloads.WorkloadInfo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Lanes that run real models, each lane with its own sessions: of all models from the beginning, of
 * one model at a time, loaded when a batch needs it, or of those that the scheduler has it load.
 */
public final class RealDevice implements Device {
  /** Number of timed inferences per model and samples count, if they are short. */
  private static final int TIMED_RUNS = 3;

  /** Total time of a samples count's timed inferences after which no further one begins. */
  private static final long TIMED_NS_MAX = 50_000_000;

  /**
   * Number of untimed inferences at a lane's first batch of a model: TorchScript compiles during
   * the first and the second. For any later samples count, the first inference was seen to take at
   * most 17 % longer than the following ones; where there are several, the median leaves it out.
   */
  private static final int UNTIMED_RUNS = 2;

  private static final int TOP_CLASSES = 5;

  private final RunModels models;
  private final Holding holding;
  private final ExecutorSettings settings;
  private final ProcessClock clock;
  private final LongSupplier processCpuNs;

  /** True from the run's beginning: no lane loads a model for its warm-up any more. */
  private volatile boolean hasBegun;

  public enum Holding {
    ALL,
    /** One at a time, which is loaded when a batch needs it. */
    ONE,
    /** Those that preparations of the lane have loaded and not released. */
    AS_PREPARED
  }

  public RealDevice(
      RunModels models,
      Holding holding,
      ExecutorSettings settings,
      ProcessClock clock,
      LongSupplier processCpuNs) {
    this.models = models;
    this.holding = holding;
    this.settings = settings;
    this.clock = clock;
    this.processCpuNs = processCpuNs;
  }

  @Override
  public LaneWork openLane(int index) throws InferenceException {
    var lane = new RealLane(index);
    try {
      for (ModelKey model : holding == Holding.ALL ? settings.models() : List.<ModelKey>of()) {
        lane.sessions.put(model, models.openSession(model, index, lane.buffer));
      }
      return lane;
    } catch (InferenceException | RuntimeException e) {
      lane.close();
      throw e;
    }
  }

  @Override
  public void begin(RunClock runClock) {
    hasBegun = true;
  }

  @Override
  public Capability capability(ModelKey model, List<WarmUp> warmUps, @Nullable Long loadNs) {
    WorkloadInfo info = models.info(model);
    Long memoryBytes = holding == Holding.AS_PREPARED ? parameterBytes(info, model) : null;
    return new Capability(model, info.flopsPerSample(), warmUps, loadNs, memoryBytes);
  }

  public static long parameterBytes(WorkloadInfo info, ModelKey model) {
    return info.parameters() * (model.precision().equals("fp32") ? 4 : 2);
  }

  private final class RealLane implements LaneWork {
    private final int index;
    private final Map<ModelKey, InferenceSession> sessions = new LinkedHashMap<>();
    private final InputBuffer buffer = new InputBuffer();

    /** Arrays of the last batch's inputs, which the next batch uses again. */
    private final List<float[]> arrays = new ArrayList<>();

    private final Set<ModelKey> begun = new HashSet<>();

    RealLane(int index) {
      this.index = index;
    }

    @Override
    public long hold(ModelKey model) throws Exception {
      if (holding == Holding.ALL || sessions.containsKey(model)) {
        return 0;
      }
      if (holding == Holding.AS_PREPARED && hasBegun) {
        throw new IllegalStateException("the lane does not hold " + model);
      }
      long startedNs = clock.monotonicNs();
      release();
      return Math.max(1, load(model) - startedNs);
    }

    @Override
    public long load(ModelKey model) throws Exception {
      if (!sessions.containsKey(model)) {
        sessions.put(model, models.openSession(model, index, buffer));
      }
      try {
        untimed(model, warmUpBatch(model, 1));
      } catch (Exception e) {
        evict(model); // a model that cannot run must not stay held
        throw e;
      }
      return clock.monotonicNs();
    }

    @Override
    public void evict(ModelKey model) {
      begun.remove(model);
      InferenceSession session = sessions.remove(model);
      if (session != null) {
        session.close();
      }
    }

    @Override
    public void release() {
      if (holding != Holding.ALL) {
        begun.clear();
        close();
      }
    }

    @Override
    public PreparedBatch prepare(ModelKey model, List<DispatchedJob> jobs, int attempt) {
      InferenceSession session = sessions.get(model);
      if (session == null) {
        throw new IllegalArgumentException("no session is open for " + model);
      }
      int elements = models.info(model).elementsPerSample();
      List<float[]> free = new ArrayList<>(arrays); // the previous batch is over
      arrays.clear();
      var inputs = new ArrayList<JobInput>(jobs.size());
      for (DispatchedJob job : jobs) {
        float[] values = array(free, Math.multiplyExact(job.samples(), elements));
        arrays.add(values);
        inputs.add(JobInput.make(settings.seed(), job.jobId(), job.samples(), values));
      }
      return new RealBatch(session, inputs);
    }

    private static float[] array(List<float[]> free, int length) {
      for (int i = 0; i < free.size(); i++) {
        if (free.get(i).length == length) {
          return free.remove(i);
        }
      }
      return new float[length];
    }

    @Override
    public void start(ModelKey model, int samples) throws Exception {
      if (sessions.containsKey(model)) {
        untimed(model, warmUpBatch(model, samples));
      }
    }

    @Override
    public WarmUpTiming warmUp(ModelKey model, int samples) throws Exception {
      var batch = warmUpBatch(model, samples);
      untimed(model, batch);
      var serviceNs = new ArrayList<Long>();
      var cpuCores = new ArrayList<Double>();
      long spentNs = 0;
      while (serviceNs.size() < TIMED_RUNS && spentNs < TIMED_NS_MAX) {
        long cpuBeforeNs = processCpuNs.getAsLong();
        long startedNs = clock.monotonicNs();
        batch.run();
        long tookNs = Math.max(1, clock.monotonicNs() - startedNs);
        cpuCores.add((double) (processCpuNs.getAsLong() - cpuBeforeNs) / tookNs);
        serviceNs.add(tookNs);
        spentNs += tookNs;
      }
      return new WarmUpTiming(LowerMedian.of(serviceNs), LowerMedian.of(cpuCores));
    }

    /**
     * Runs a model on this lane's thread. All lanes on a device share what the model compiles, but
     * a thread's first inference was seen to take up to 40 % longer than the following ones, for
     * any samples count.
     */
    @Override
    public void follow(ModelKey model, List<Integer> samplesCounts) throws Exception {
      if (holding != Holding.ALL) {
        return; // this lane loads models itself, when batches need them
      }
      if (models.isOneWithTheFirst(model, index)) {
        warmUpBatch(model, samplesCounts.get(samplesCounts.size() - 1)).run();
        return;
      }
      for (int samples : samplesCounts) {
        var batch = warmUpBatch(model, samples);
        untimed(model, batch);
        batch.run();
      }
    }

    private PreparedBatch warmUpBatch(ModelKey model, int samples) {
      return prepare(model, List.of(new DispatchedJob("warm-up", samples)), 1);
    }

    private void untimed(ModelKey model, PreparedBatch batch) throws Exception {
      if (begun.add(model)) {
        for (int i = 0; i < UNTIMED_RUNS; i++) {
          batch.run();
        }
      }
    }

    @Override
    public void close() {
      List<InferenceSession> open = List.copyOf(sessions.values());
      sessions.clear();
      open.forEach(InferenceSession::close);
    }
  }

  private static final class RealBatch implements LaneWork.PreparedBatch {
    private final InferenceSession session;
    private final List<JobInput> inputs;
    private float[][] logits = {};

    RealBatch(InferenceSession session, List<JobInput> inputs) {
      this.session = session;
      this.inputs = inputs;
    }

    @Override
    public void run() throws Exception {
      logits = session.infer(inputs);
    }

    @Override
    public List<JobResult> results() {
      var results = new ArrayList<JobResult>(inputs.size());
      int first = 0;
      for (JobInput input : inputs) {
        results.add(
            new JobResult(input.jobId(), topClasses(logits, first, first + input.samples())));
        first += input.samples();
      }
      return results;
    }
  }

  /**
   * The highest logits, summed over a job's samples in [from, to); of equal sums the lower class
   * first.
   */
  static List<Integer> topClasses(float[][] logits, int from, int to) {
    var sums = new double[logits[from].length];
    for (int row = from; row < to; row++) {
      for (int c = 0; c < sums.length; c++) {
        sums[c] += logits[row][c];
      }
    }
    return IntStream.range(0, sums.length)
        .boxed()
        .sorted(Comparator.comparingDouble((Integer c) -> -sums[c]).thenComparing(c -> c))
        .limit(TOP_CLASSES)
        .toList();
  }
}
