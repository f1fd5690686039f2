package dev.sluice.executor.dispatch;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Dispatch;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.ProcessClock;
import dev.sluice.contract.log.RunClock;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import dev.sluice.contract.value.Reason;
import dev.sluice.executor.dispatch.Executor.Joined;
import dev.sluice.executor.lane.ExecutorSettings;
import dev.sluice.executor.lane.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes the shard's dispatches in their order, and appends a report at each heartbeat. */
final class DispatchReader implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(DispatchReader.class);
  private static final long POLL_NS_MAX = 100_000_000;

  private final Joined joined;
  private final Executor executor;
  private final List<Lane> lanes;
  private final ExecutorSettings settings;
  private final ProcessClock clock;
  private final BatchRuns runs;
  private final Set<ModelKey> models;

  /** Read before the run's time zero was known, which is in another topic. */
  private final List<Dispatch> early = new ArrayList<>();

  /** Clock of the run; null until its time zero was read. */
  private @Nullable RunClock runClock;

  /** Highest dispatch id read so far; if several dispatches have one id, only the first counts. */
  private @Nullable DispatchId highest;

  DispatchReader(Joined joined) {
    this.joined = joined;
    executor = joined.executor();
    lanes = executor.warmed.lanes();
    settings = executor.settings;
    clock = executor.clock;
    runs = new BatchRuns(joined);
    models = new LinkedHashSet<>(settings.models());
  }

  @Override
  public void run() {
    try {
      while (!joined.ending().hasBegun()) {
        executor.reports.appendDue(joined.log(), clock.monotonicNs());
        long untilReportNs = executor.reports.untilDueNs(clock.monotonicNs());
        long waitNs = Math.max(0, Math.min(POLL_NS_MAX, untilReportNs));
        for (var received : joined.log().poll(Duration.ofNanos(waitNs))) {
          take(received);
        }
      }
    } catch (RuntimeException | Error e) {
      joined.ending().fail(e);
    }
  }

  private void take(ConsumerRecord<byte[], byte[]> received) {
    byte[] bytes = Objects.requireNonNullElse(received.value(), new byte[0]);
    try {
      if (received.topic().equals(joined.topics().dispatches())) {
        take(EventCodec.DISPATCHES.read(bytes));
      } else if (EventCodec.RUNS.read(bytes) instanceof RunStarted run) {
        begin(run);
      }
    } catch (UnreadableEventException e) {
      LOG.warn(
          "{}-{} at {} is no event", received.topic(), received.partition(), received.offset(), e);
      if (received.topic().equals(joined.topics().dispatches())) {
        joined.log().putAside(received, e.getMessage()); // analytics keeps the other topic's bytes
      }
    }
  }

  private void begin(RunStarted run) {
    runClock = clock.forRun(run.timeZeroEpochMs());
    executor.device.begin(runClock);
    var waiting = List.copyOf(early);
    early.clear();
    waiting.forEach(this::take);
  }

  private void take(Dispatch dispatch) {
    if (runClock == null) {
      early.add(dispatch);
      return;
    }
    if (highest != null && dispatch.dispatchId().compareTo(highest) <= 0) {
      return;
    }
    highest = dispatch.dispatchId();
    if (!dispatch.executorId().equals(settings.executorId())
        || dispatch.incarnation() > settings.incarnation()) {
      return;
    }
    if (dispatch instanceof BatchDispatched batch) {
      Reason refusal = startOrRefuse(batch, runClock);
      if (refusal != null) {
        joined.log().append(executor.completions.refused(batch, refusal));
      }
      return;
    }
    var prepared = (LanePrepared) dispatch;
    if (prepared.incarnation() == settings.incarnation()
        && prepared.lane() >= 0
        && prepared.lane() < lanes.size()) { // else of an earlier process, or no lane
      runs.prepare(prepared, lanes.get(prepared.lane()), runClock);
    }
  }

  /** Starts a dispatch, or returns the cause of its refusal. */
  private @Nullable Reason startOrRefuse(BatchDispatched dispatch, RunClock runClock) {
    var model = dispatch.work().model();
    if (dispatch.place().incarnation() < settings.incarnation()) {
      return Reason.OLDER_INCARNATION;
    }
    if (!areNeighbours(dispatch.place().lanes()) || !models.contains(model)) {
      return Reason.UNSUPPORTED;
    }
    if (dispatch.decision().notAfterNs() != null
        && runClock.nowNs() > dispatch.decision().notAfterNs()) {
      return Reason.TOO_LATE;
    }
    int first = dispatch.place().lanes().get(0);
    var taken = lanes.subList(first, first + dispatch.place().lanes().size());
    return runs.start(dispatch, model, taken, runClock) ? null : Reason.BUSY;
  }

  private boolean areNeighbours(List<Integer> indexes) {
    int first = indexes.get(0);
    for (int i = 0; i < indexes.size(); i++) {
      if (indexes.get(i) != first + i) {
        return false;
      }
    }
    return first >= 0 && first + indexes.size() <= lanes.size();
  }
}
