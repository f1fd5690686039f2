package dev.sluice.executor.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.experiment.ModelInput;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.RealDevice;
import dev.sluice.executor.lane.WarmedLanes.WarmUpException;
import dev.sluice.executor.latency.LatencyKey;
import dev.sluice.executor.latency.ProfilePlan;
import dev.sluice.executor.latency.ProfileRow;
import dev.sluice.executor.model.FakeModels;
import dev.sluice.executor.model.InferenceException;
import dev.sluice.executor.network.Workloads.WorkloadInfo;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The profiler on two lanes with made-up models; the clock advances each time it is read. */
@Timeout(600)
final class ProfilerTest {
  private static final ModelKey A = new ModelKey("a", "onnx", "fp32");
  private static final ModelKey B = new ModelKey("b", "onnx", "fp32");
  private static final ExecutorSettings SETTINGS =
      new ExecutorSettings(
          "executor-0", 1, 0, 2, 0, 1, null, 42, 200, List.of(A, B), List.of(1, 2));
  private static final Map<String, WorkloadInfo> INFOS =
      Map.of("a", new WorkloadInfo("a", 80, 1_000, 11, List.of(ModelInput.of(List.of(3, 2, 2)))));

  private final FakeModels models = new FakeModels();
  private final AtomicLong steps = new AtomicLong();
  private final ProcessClock clock =
      new ProcessClock(InstantSource.fixed(Instant.EPOCH), steps::incrementAndGet);
  private final LaneBackend backend =
      LaneBackend.real("fake", models, RealDevice.Holding.ALL, () -> 0);

  /** A listener that keeps all that it receives. */
  private static final class Heard implements Profiler.Listener {
    final List<ProfileRow> rows = new ArrayList<>();
    final List<String> filled = Collections.synchronizedList(new ArrayList<>());
    final List<String> measured = Collections.synchronizedList(new ArrayList<>());
    volatile int rowsMax = Integer.MAX_VALUE;

    @Override
    public void settled() {
      assertThat(measured).isEmpty();
      assertThat(filled).isNotEmpty();
    }

    @Override
    public void batchEnded(
        LatencyKey key, String jobId, int lane, long serviceNs, boolean isMeasured) {
      (isMeasured ? measured : filled).add(jobId);
    }

    @Override
    public @Nullable Double foreignLoad() {
      return 0.25;
    }

    @Override
    public void measured(List<ProfileRow> some) {
      rows.addAll(some);
    }

    @Override
    public boolean goesOn() {
      return measured.size() < rowsMax;
    }
  }

  private Heard measure(Heard heard, ProfilePlan plan, Set<ProfileRow.Slot> there)
      throws Exception {
    try (var executor = new Executor(SETTINGS, backend, clock, ns -> {}, (d, t, w) -> {})) {
      boolean all = new Profiler(executor.awaitWarm()).measure(plan, there, INFOS, 0, heard);
      assertThat(all).isEqualTo(heard.rowsMax == Integer.MAX_VALUE);
      return heard;
    }
  }

  private static ProfilePlan plan(int passes, int repeats) {
    return new ProfilePlan(Profiler.keys(SETTINGS), passes, repeats, 7);
  }

  private static Set<ProfileRow.Slot> slots(List<ProfileRow> rows) {
    Set<ProfileRow.Slot> slots = new HashSet<>();
    rows.forEach(row -> slots.add(row.slot()));
    return slots;
  }

  @Test
  void eachKeyIsMeasuredSoOftenAsPlanned() throws Exception {
    var heard = measure(new Heard(), plan(2, 3), Set.of());
    assertThat(Profiler.keys(SETTINGS)).hasSize(8);
    assertThat(heard.rows).hasSize(8 * 6);
    assertThat(slots(heard.rows)).hasSize(8 * 6);
    assertThat(heard.measured).hasSize(8 * 6).doesNotHaveDuplicates();
    assertThat(heard.filled.stream().distinct()).hasSameSizeAs(heard.filled);
  }

  @Test
  void rowsSayAllThatIsKnown() throws Exception {
    var heard = measure(new Heard(), plan(1, 1), Set.of());
    for (ProfileRow row : heard.rows) {
      assertThat(row.deviceKind()).isEqualTo("fake");
      assertThat(row.foreignLoad()).isEqualTo(0.25);
      assertThat(row.serviceNs()).isPositive();
      assertThat(row.atNs()).isPositive();
      boolean known = row.key().workload().equals("a");
      assertThat(row.flopsPerSample()).isEqualTo(known ? 1_000 : 0);
      assertThat(row.parameters()).isEqualTo(known ? 11 : 0);
    }
  }

  @Test
  void aMeasuredBatchBesideOneHasAnotherBesideIt_evenTheLast() throws Exception {
    var lone = Profiler.keys(SETTINGS).stream().filter(key -> key.busyLanes() == 2).toList();
    var oneKey = new ProfilePlan(lone.subList(0, 1), 2, 3, 7);
    var beside =
        new Object() {
          private int begun;

          /**
           * Infers; a measured batch waits until a batch that is not measured has begun after it.
           */
          synchronized void infer(boolean measured) throws InterruptedException {
            int before = begun++;
            notifyAll();
            while (measured && begun == before + 1) {
              wait();
            }
          }
        };
    models.inference =
        jobs -> {
          try {
            String id = jobs.get(0).jobId();
            if (!id.equals("warm-up")) {
              beside.infer(id.startsWith("measured"));
            }
          } catch (InterruptedException e) {
            throw new InferenceException("interrupted", e);
          }
          return FakeModels.oneHot(jobs);
        };
    var heard = measure(new Heard(), oneKey, Set.of());
    assertThat(heard.rows).hasSize(6);
    assertThat(heard.filled).hasSizeGreaterThan(6);
  }

  @Test
  void whatWasMeasuredIsNotMeasuredAgain() throws Exception {
    var first = new Heard();
    first.rowsMax = 11;
    measure(first, plan(2, 2), Set.of());
    assertThat(first.rows).hasSizeBetween(11, 12); // the other lane ends the batch that it runs
    var second = measure(new Heard(), plan(2, 2), slots(first.rows));
    assertThat(second.rows).hasSize(32 - first.rows.size());
    var both = new ArrayList<>(first.rows);
    both.addAll(second.rows);
    assertThat(slots(both)).hasSize(32);
    assertThat(measure(new Heard(), plan(2, 2), slots(both)).filled).isEmpty();
  }

  @Test
  void aBatchThatFailsEndsTheProfile_andWhatWasMeasuredIsTold() throws Exception {
    var heard = new Heard();
    models.inference =
        jobs -> {
          if (jobs.get(0).jobId().startsWith("measured-2")) {
            throw new InferenceException("out of memory", new IllegalStateException());
          }
          return FakeModels.oneHot(jobs);
        };
    assertThatThrownBy(() -> measure(heard, plan(2, 1), Set.of()))
        .isInstanceOf(WarmUpException.class)
        .hasMessage("a batch failed: out of memory");
    assertThat(heard.rows).hasSize(8);
    assertThat(models.events.stream().filter(event -> event.startsWith("close"))).hasSize(4);
  }
}
