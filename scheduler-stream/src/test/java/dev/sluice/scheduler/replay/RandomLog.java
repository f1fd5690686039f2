package dev.sluice.scheduler.replay;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.JobRequested;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.event.WorkflowRequested;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.RecordedEntry;
import dev.sluice.contract.value.Reason;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.driver.CoreListener;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.driver.CoreSettings.Admission;
import dev.sluice.scheduling.driver.CoreSettings.Bounds;
import dev.sluice.scheduling.driver.CoreSettings.Leases;
import dev.sluice.scheduling.driver.CoreSettings.Microbatch;
import dev.sluice.scheduling.driver.CoreSettings.Placing;
import dev.sluice.scheduling.driver.CoreSettings.Switching;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.JobClass;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** A log drawn while a core answers it: silent executors, failures, refusals, gangs, workflows. */
final class RandomLog implements CoreListener {
  static final long ZERO_EPOCH_MS = 5_000;
  private static final long MS = 1_000_000;
  private static final List<String> WORKLOADS = List.of("small", "large");
  private static final List<JobClass> CLASSES =
      List.of(new JobClass("interactive", 1, true, false), new JobClass("batch", 5, false, true));

  final List<Fact> facts = new ArrayList<>();
  private final List<RecordedEntry> recording = new ArrayList<>();
  final List<String> jobIds = new ArrayList<>();
  final Map<String, JobEnded> ends = new HashMap<>();
  final List<BatchDispatched> dispatches = new ArrayList<>();
  private final CoreSettings settings;
  private final String policy;
  private final SchedulingCore core;
  private final Random random;
  private final List<BatchDispatched> unanswered = new ArrayList<>();
  private final long[] incarnations = {1, 1};
  private final boolean[] silent = new boolean[2];
  private long nowMs;
  private long lastFactMs;
  private long offset;
  private long index;

  RandomLog(long seed, String policy) {
    this.random = new Random(seed);
    this.policy = policy;
    this.settings =
        CoreSettings.of(seed, CLASSES, Map.of("small", 80, "large", 260))
            .with(new Microbatch(random.nextBoolean(), random.nextInt(3) * 4 * MS, 8))
            .with(Admission.values()[(int) (seed + policy.length()) % 3])
            .with(
                new Bounds(
                    random.nextBoolean() ? Integer.MAX_VALUE : 12,
                    random.nextBoolean() ? Long.MAX_VALUE : 120 * MS))
            .with(new Leases(50 * MS, 300 * MS, 2))
            .with(new Placing(random.nextInt(2), false, Switching.NONE, 0));
    this.core = newCore();
    draw();
  }

  SchedulingCore newCore() {
    return new SchedulingCore(settings, Policies.create(policy, Map.of()));
  }

  private void draw() {
    append(new RunStarted("r", ZERO_EPOCH_MS, 7, "c", "q", 1, 1, null));
    request();
    nowMs += 7;
    report(0, false);
    report(1, false);
    for (int i = 0; i < 300; i++) {
      nowMs += random.nextInt(8);
      step();
    }
    append(ArrivalsEnded.punctual(0, index));
    while (!unanswered.isEmpty() && random.nextInt(40) > 0) {
      nowMs += random.nextInt(8);
      complete();
    }
  }

  private void step() {
    int what = random.nextInt(20);
    if (what < 7) {
      request();
    } else if (what == 7) {
      workflow();
    } else if (what < 14) {
      complete();
    } else if (what < 18) {
      int executor = random.nextInt(2);
      if (random.nextInt(25) == 0) {
        silent[executor] ^= true;
      }
      if (!silent[executor]) {
        report(executor, false);
      }
    } else if (what == 18 && random.nextInt(4) == 0) {
      restart(random.nextInt(2));
    } else {
      append(new Ticked());
    }
  }

  private void restart(int executor) {
    if (random.nextBoolean()) {
      report(executor, true);
    }
    incarnations[executor]++;
    report(executor, false);
  }

  private long jitterNs(int ms) {
    return random.nextInt((int) (ms * MS));
  }

  private void request() {
    long intendedNs = Math.max(0, nowMs * MS - jitterNs(3));
    String id = "job-" + index;
    jobIds.add(id);
    boolean interactive = random.nextInt(3) == 0;
    append(
        new JobRequested(
            id,
            0,
            index++,
            interactive ? "interactive" : "batch",
            WORKLOADS.get(random.nextInt(2)),
            "onnx",
            "fp32",
            1 + random.nextInt(3),
            (interactive ? 60 : 300) * MS,
            intendedNs,
            intendedNs + jitterNs(2)));
  }

  private void workflow() {
    long intendedNs = Math.max(0, nowMs * MS - jitterNs(3));
    String id = "flow-" + index;
    List<WorkflowRequested.Node> nodes =
        List.of(
            node("a", 1, List.of()),
            node("b", 1, List.of()),
            node("c", 2, List.of(0, 1)),
            node("d", 1, List.of(2)));
    nodes.forEach(node -> jobIds.add(id + "/" + node.nodeId()));
    append(
        new WorkflowRequested(
            id,
            0,
            index++,
            "w",
            "batch",
            random.nextBoolean() ? null : Long.valueOf(900 * MS),
            intendedNs,
            intendedNs + jitterNs(1),
            nodes));
  }

  private WorkflowRequested.Node node(String id, int lanes, List<Integer> inputs) {
    return new WorkflowRequested.Node(
        id, WORKLOADS.get(random.nextInt(2)), "onnx", "fp32", 1, lanes, 5 * MS, inputs);
  }

  private void report(int executor, boolean leaving) {
    append(
        new ExecutorReported(
            "e" + executor,
            incarnations[executor],
            leaving,
            "cpu",
            400L,
            IntStream.range(0, 2)
                .mapToObj(lane -> new ExecutorReported.Lane(lane, List.of()))
                .toList(),
            WORKLOADS.stream()
                .map(
                    w ->
                        new ExecutorReported.Capability(
                            w,
                            "onnx",
                            "fp32",
                            1_000,
                            List.of(new ExecutorReported.WarmUp(1, 4 * MS))))
                .toList(),
            0,
            null,
            0L));
  }

  private void complete() {
    if (unanswered.isEmpty()) {
      return;
    }
    BatchDispatched dispatch = unanswered.get(random.nextInt(unanswered.size()));
    int executor = dispatch.place().executorId().charAt(1) - '0';
    if (silent[executor] && random.nextInt(4) > 0) {
      return;
    }
    unanswered.remove(dispatch);
    if (dispatch.incarnation() < incarnations[executor] && random.nextBoolean()) {
      return; // its process is gone
    }
    int how = random.nextInt(10);
    int lane = dispatch.place().lanes().get(0);
    if (how == 0) {
      append(
          BatchCompleted.refused(
              dispatch.dispatchId(),
              dispatch.place().executorId(),
              dispatch.incarnation(),
              lane,
              random.nextBoolean() ? Reason.BUSY : Reason.TOO_LATE));
      return;
    }
    long roomNs = Math.max(1, nowMs * MS - dispatch.decidedAtNs());
    long startedNs = dispatch.decidedAtNs() + random.nextLong(roomNs);
    long serviceNs = 1 + random.nextLong(roomNs);
    append(
        new BatchCompleted(
            dispatch.dispatchId(),
            dispatch.place().executorId(),
            dispatch.incarnation(),
            lane,
            startedNs,
            startedNs + serviceNs,
            serviceNs,
            random.nextBoolean() ? 0 : jitterNs(3),
            how == 1 ? BatchCompleted.Result.FAILED : BatchCompleted.Result.DONE,
            how == 1 ? "it broke" : null,
            List.of(),
            null,
            1));
  }

  private void append(Fact fact) {
    lastFactMs = nowMs;
    facts.add(fact);
    record("facts", offset, ZERO_EPOCH_MS + nowMs, EventCodec.FACTS.write(fact));
    core.apply(offset++, nowMs * MS, fact, this);
  }

  @Override
  public void started(BatchDispatched dispatch) {
    dispatches.add(dispatch);
    unanswered.add(dispatch);
    record("dispatches", 0, ZERO_EPOCH_MS + nowMs, EventCodec.DISPATCHES.write(dispatch));
  }

  @Override
  public void ended(JobEnded end) {
    ends.put(end.jobId(), end);
    record("outcomes", 0, ZERO_EPOCH_MS + nowMs + 2, EventCodec.OUTCOMES.write(end));
  }

  @Override
  public void blocked(Blocked span) {}

  long lastFactNs() {
    return lastFactMs * MS;
  }

  private void record(String topic, long recordOffset, long appendedAtEpochMs, byte[] value) {
    recording.add(new RecordedEntry(topic, 0, recordOffset, appendedAtEpochMs, value));
  }

  /** Gives the explainer the log. */
  void feed(Explainer explainer) throws UserMistakeException {
    for (RecordedEntry entry : recording) {
      explainer.take(entry);
    }
  }
}
