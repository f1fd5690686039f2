package dev.sluice.scheduling.core;

import static dev.sluice.scheduling.core.Facts.MS;

import dev.sluice.contract.event.ArrivalsEnded;
import dev.sluice.contract.event.BatchCompleted;
import dev.sluice.contract.event.BatchCompleted.Result;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.ExecutorReported;
import dev.sluice.contract.event.ExecutorReported.Capability;
import dev.sluice.contract.event.ExecutorReported.WarmUp;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.PredictionsPublished.Calibration;
import dev.sluice.contract.event.PredictionsPublished.Service;
import dev.sluice.contract.value.Reason;
import dev.sluice.scheduling.driver.CoreSettings;
import dev.sluice.scheduling.driver.CoreSettings.Admission;
import dev.sluice.scheduling.driver.CoreSettings.Bounds;
import dev.sluice.scheduling.driver.CoreSettings.Leases;
import dev.sluice.scheduling.driver.CoreSettings.Microbatch;
import dev.sluice.scheduling.driver.CoreSettings.Placing;
import dev.sluice.scheduling.driver.CoreSettings.Predictor;
import dev.sluice.scheduling.driver.CoreSettings.Switching;
import dev.sluice.scheduling.policy.JobClass;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** A random run, drawn while a core answers: what completes is what was started. */
final class RandomFacts {
  /** A fact and its log time, which may lie before that of the fact before it. */
  record Timed(long atNs, Step step) {
    Timed(long atNs, Fact fact) {
      this(atNs, Step.of(fact));
    }
  }

  private static final List<String> CLASSES = List.of("interactive", "batch", "bulk");
  private static final int[] SAMPLES = {1, 2, 3, 8, 20};

  final CoreSettings settings;
  final int sources;
  private final Random random;
  private final long[] nextIndex;
  private final List<ExecutorReported> executors = new ArrayList<>();
  private final Map<String, Long> sloNs = new HashMap<>();
  private final List<Step> sent = new ArrayList<>();
  private final boolean jumps;
  private final boolean gangs;
  private final long arrivalsEndAtNsMax;
  private long nowNs;
  private long tableVersion;

  RandomFacts(long seed, boolean joining) {
    random = new Random(seed);
    sources = 1 + random.nextInt(3);
    nextIndex = new long[sources];
    CoreSettings drawn =
        CoreSettings.of(
                random.nextLong(),
                List.of(
                    new JobClass("interactive", 1, true, false),
                    new JobClass("batch", 5, false, true),
                    new JobClass("bulk", random.nextBoolean() ? 5 : 3, false, true)),
                Map.of("resnet18", 80, "vit", 260))
            .with(
                new Microbatch(
                    joining,
                    random.nextInt(4) * 2 * MS,
                    4 + random.nextInt(8),
                    random.nextInt(3) == 0,
                    Map.of()))
            .with(Admission.values()[random.nextInt(3)])
            .with(
                new Bounds(
                    random.nextBoolean() ? Integer.MAX_VALUE : 3 + random.nextInt(10),
                    random.nextBoolean() ? Long.MAX_VALUE : (20 + random.nextInt(60)) * MS))
            .with(leases())
            .with(new Placing(random.nextInt(2), random.nextBoolean(), Switching.NONE, 0))
            .with(new Predictor(random.nextInt(4) > 0, random.nextBoolean() ? 0.6 : 0.95));
    settings =
        drawn.with(
            new Placing(
                drawn.placing().ahead(),
                drawn.placing().cpuFallback(),
                random.nextBoolean() ? Switching.NONE : RandomFacts::switchNs,
                0));
    gangs = random.nextInt(3) == 0;
    jumps = settings.leases().heartbeatNs() > 100 * MS;
    arrivalsEndAtNsMax = random.nextInt(3) > 0 ? Long.MAX_VALUE : (50 + random.nextInt(300)) * MS;
  }

  private static long switchNs(String resident, String workload) {
    return resident == null ? 3 * MS : resident.equals(workload) ? 0 : 5 * MS;
  }

  private Leases leases() {
    long heartbeatNs = List.of(2 * MS, 20 * MS, 4000 * MS).get(random.nextInt(3));
    boolean lasts = random.nextInt(6) == 0;
    return new Leases(
        heartbeatNs,
        lasts ? Long.MAX_VALUE : heartbeatNs * (2 + random.nextInt(6)),
        1 + random.nextInt(3));
  }

  /** Executors join, most of them before the run starts. */
  List<Timed> beginning() {
    List<Timed> facts = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(3); i++) {
      facts.add(new Timed(random.nextInt(5) * MS, join(i)));
    }
    facts.add(new Timed(0, Facts.started(sources, arrivalsEndAtNsMax)));
    return facts;
  }

  /**
   * @param unanswered the batches that run, and lost ones that the core remembers
   * @param all whatever was dispatched
   */
  Timed next(long wakeAtNs, List<BatchDispatched> unanswered, List<BatchDispatched> all) {
    boolean toWake = wakeAtNs < Long.MAX_VALUE && random.nextInt(4) == 0;
    boolean jump = jumps && random.nextInt(15) == 0;
    long laterNs = nowNs + random.nextInt(jump ? 6000 : 4) * MS;
    nowNs = toWake ? Math.max(nowNs, wakeAtNs) : laterNs;
    long atNs = random.nextInt(20) == 0 ? nowNs - 3 * MS : nowNs;
    return new Timed(atNs, toWake ? Step.of(Facts.TICK) : step(unanswered, all));
  }

  private Step step(List<BatchDispatched> unanswered, List<BatchDispatched> all) {
    return random.nextInt(25) > 0
        ? single(unanswered, all)
        : Step.together(single(unanswered, all), single(unanswered, all), arrival());
  }

  private Step single(List<BatchDispatched> unanswered, List<BatchDispatched> all) {
    int dice = random.nextInt(100);
    if (dice < 45) {
      return arrival();
    }
    if (dice < 76 && !unanswered.isEmpty()) {
      return Step.of(completion(unanswered));
    }
    if (dice < 78) {
      return sent.isEmpty() ? Step.of(Facts.TICK) : sent.get(random.nextInt(sent.size()));
    }
    if (dice < 81 && !all.isEmpty()) {
      return Step.of(completion(all)); // of one that may have been answered long ago
    }
    if (dice < 96) {
      return Step.of(report(dice < 91));
    }
    if (dice < 99 && !executors.isEmpty()) {
      return table();
    }
    return Step.of(Facts.TICK);
  }

  List<Timed> ending() {
    List<Timed> facts = new ArrayList<>();
    for (int source = 0; source < sources; source++) {
      facts.add(new Timed(nowNs += MS, ArrivalsEnded.punctual(source, nextIndex[source])));
    }
    return facts;
  }

  Timed completionOfAny(List<BatchDispatched> unanswered) {
    return new Timed(nowNs += MS, completion(unanswered));
  }

  private Step arrival() {
    int source = random.nextInt(sources);
    long index = nextIndex[source];
    nextIndex[source] += 1 + random.nextInt(2);
    String classType = CLASSES.get(random.nextInt(3));
    Step arrival =
        Step.of(
            new JobSpec(
                source + "-" + index,
                source,
                index,
                classType,
                random.nextBoolean() ? "resnet18" : "vit",
                random.nextInt(4) == 0 ? "onnx" : "pytorch",
                random.nextInt(4) == 0 ? "bf16" : "fp32",
                SAMPLES[random.nextInt(SAMPLES.length)],
                gangs && random.nextInt(3) == 0 ? 2 + random.nextInt(2) : 1,
                sloNs.computeIfAbsent(classType, c -> (5 + random.nextInt(10) * 5) * MS),
                Math.max(0, nowNs - random.nextInt(3) * MS),
                new JobSpec.Node(0, 0, random.nextInt(30) * MS)));
    sent.add(arrival);
    return arrival;
  }

  private BatchCompleted completion(List<BatchDispatched> dispatches) {
    BatchDispatched dispatch = dispatches.get(random.nextInt(dispatches.size()));
    int dice = random.nextInt(12);
    Result result = dice < 8 ? Result.DONE : dice == 8 ? Result.FAILED : Result.REFUSED;
    String cause = random.nextBoolean() ? Reason.BUSY.text() : "cause";
    return Facts.completed(
        dispatch, result, result == Result.DONE ? null : cause, 1 + random.nextInt(20_000_000));
  }

  /** A report of an executor that lives, or of one that leaves, returns or joins. */
  private Fact report(boolean lives) {
    boolean another = !lives && executors.size() < 4 && random.nextInt(3) == 0;
    if (executors.isEmpty() || another) {
      return join(executors.size());
    }
    int place = random.nextInt(executors.size());
    ExecutorReported known = executors.get(place);
    int dice = lives ? -1 : random.nextInt(3);
    boolean leaves = dice == 0;
    boolean returns = dice == 1;
    int lanes = returns ? 1 + random.nextInt(3) : known.lanes().size();
    Long tokens = returns ? tokensOrNull() : known.tokens();
    ExecutorReported full =
        ExecutorReported.of(
            known.executorId(),
            Math.max(0, known.incarnation() + (returns ? random.nextInt(4) - 1 : 0)),
            leaves,
            known.deviceKind(),
            tokens,
            Facts.executor("", lanes, 0).lanes(),
            known.capabilities());
    ExecutorReported report =
        Facts.empty(
            full,
            IntStream.range(0, lanes)
                .filter(i -> random.nextBoolean())
                .boxed()
                .toArray(Integer[]::new));
    if (returns && report.incarnation() > known.incarnation()) {
      executors.set(place, report);
    }
    return report;
  }

  private ExecutorReported join(int number) {
    List<Capability> capabilities = new ArrayList<>();
    for (String workload : List.of("resnet18", "vit")) {
      for (String backend : List.of("pytorch", "onnx")) {
        for (String precision : List.of("fp32", "bf16")) {
          if (random.nextInt(5) > 0) {
            capabilities.add(
                new Capability(
                    workload, backend, precision, random.nextInt(1_000_000_000), warmUps()));
          }
        }
      }
    }
    ExecutorReported report =
        Facts.executor(
            "executor-" + number,
            1,
            false,
            random.nextBoolean() ? "cpu" : "accelerator",
            1 + random.nextInt(3),
            tokens(),
            capabilities);
    executors.add(report);
    return report;
  }

  /** A published table; one in four is not to be used. */
  private Step table() {
    ExecutorReported publisher = executors.get(random.nextInt(executors.size()));
    int fault = random.nextInt(18);
    long version = ++tableVersion - (fault == 0 ? 1 + random.nextInt(9) : 0);
    List<Service> services = new ArrayList<>();
    List<Calibration> calibrations = new ArrayList<>();
    for (Capability c : publisher.capabilities()) {
      if (random.nextInt(4) > 0) {
        int samples = 1 + random.nextInt(24);
        int busyLanes = 1 + random.nextInt(3);
        services.add(
            new Service(
                c.workload(),
                fault == 1 ? c.backend() + "-tpu" : c.backend(),
                c.precision(),
                IntStream.range(0, busyLanes).mapToObj(i -> meansNs(samples)).toList()));
      }
    }
    for (String workload : List.of("resnet18", "vit")) {
      if (random.nextBoolean()) {
        List<Double> residuals =
            random.doubles(random.nextInt(120), -0.5, 0.5).sorted().boxed().toList();
        calibrations.add(new Calibration(workload, "pytorch", residuals));
      }
    }
    if (services.isEmpty() || version < 1) {
      return Step.of(Facts.TICK); // an event cannot hold such a table
    }
    return Step.of(
        new PredictionsPublished(
            fault == 3 ? "nobody" : publisher.executorId(),
            fault == 4 ? "another" : publisher.deviceKind(),
            "model-" + version,
            version,
            services,
            calibrations));
  }

  private List<Long> meansNs(int samples) {
    List<Long> means = new ArrayList<>();
    for (int i = 0; i < samples; i++) {
      means.add(1L + random.nextInt(20_000_000));
    }
    return means;
  }

  private List<WarmUp> warmUps() {
    return switch (random.nextInt(3)) {
      case 0 -> List.of();
      case 1 -> List.of(new WarmUp(2, 4 * MS));
      default -> List.of(new WarmUp(1, 3 * MS), new WarmUp(8, 9 * MS));
    };
  }

  private Long tokensOrNull() {
    long tokens = tokens();
    return tokens == Long.MAX_VALUE ? null : tokens;
  }

  private long tokens() {
    return random.nextInt(4) == 0 ? Long.MAX_VALUE : 250 + random.nextInt(600);
  }
}
