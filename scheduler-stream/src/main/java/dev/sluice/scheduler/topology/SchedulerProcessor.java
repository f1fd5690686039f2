package dev.sluice.scheduler.topology;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Blocked;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.PredictionsPublished;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.log.DeadLetter;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.driver.CoreListener;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One shard's scheduler: applies each fact to the core, in the order of the log, with the fact's
 * append time as now, and forwards the core's decisions. The core lives in memory. Whenever the
 * task starts, the core is restored from the store's snapshot, and the facts between the snapshot
 * and the last commit are applied again, with their decisions kept back: they are in the log.
 */
final class SchedulerProcessor implements Processor<byte[], byte[], Integer, byte[]>, CoreListener {
  private static final Logger LOG = LoggerFactory.getLogger(SchedulerProcessor.class);

  private final Function<Collection<CoreEntity>, SchedulingCore> restoreCore;
  private final WakeUps wakeUps;
  private final OwnShards shards;
  private final FactLog facts;

  /**
   * Outcomes of jobs by the fact at hand. They are held until its dispatches are sent, since lanes
   * wait for dispatches.
   */
  private final List<Outcome> outcomes = new ArrayList<>();

  /** Reason why the core does not use the fact at hand; null: it does. */
  private @Nullable String refusal;

  private @Nullable ProcessorContext<Integer, byte[]> context;
  private @Nullable SnapshotStore store;
  private @Nullable SchedulingCore core;
  private @Nullable RunStarted run;
  private long factAtEpochMs;
  private boolean askedForTheLastCommit;

  SchedulerProcessor(
      Function<Collection<CoreEntity>, SchedulingCore> restoreCore,
      WakeUps wakeUps,
      OwnShards shards,
      FactLog facts) {
    this.restoreCore = restoreCore;
    this.wakeUps = wakeUps;
    this.shards = shards;
    this.facts = facts;
  }

  @Override
  public void init(ProcessorContext<Integer, byte[]> context) {
    this.context = context;
    outcomes.clear();
    askedForTheLastCommit = false;
    SnapshotStore snapshots = context.getStateStore(SchedulerStream.STORE);
    store = snapshots;
    SnapshotStore.Held held = snapshots.read();
    SchedulingCore restored = restoreCore.apply(held.entities());
    core = restored;
    run = held.run() == null ? null : run(held.run());
    applyAgain(held.position());
    shards.taken(shard(), restored.waiting(), restored.running());
    requestWakeUp();
  }

  private static RunStarted run(String text) {
    try {
      return (RunStarted) EventCodec.FACTS.read(text.getBytes(UTF_8));
    } catch (UnreadableEventException e) {
      throw new IllegalStateException("the run in the store cannot be read", e);
    }
  }

  /** Applies the facts again that the core lacks, up to an offset. */
  private void applyAgain(long to) {
    long from = store().appliedTo() + 1;
    if (from <= to) {
      facts.read(shard(), from, to, this::applyAgain);
    }
  }

  private void applyAgain(long offset, long appendedAtEpochMs, byte @Nullable [] bytes) {
    byte[] value = bytes == null ? new byte[0] : bytes;
    try {
      apply(offset, appendedAtEpochMs, EventCodec.FACTS.read(value), CoreListener.NOBODY);
    } catch (UnreadableEventException e) {
      LOG.debug("fact {} stands among the dead letters", offset, e);
    }
    store().applied(offset, value.length);
  }

  private void apply(long offset, long appendedAtEpochMs, Fact fact, CoreListener listener) {
    if (fact instanceof RunStarted started && run == null) {
      run = started;
    }
    long nowNs = run == null ? 0 : (appendedAtEpochMs - run.timeZeroEpochMs()) * 1_000_000;
    core().apply(offset, nowNs, fact, listener);
  }

  @Override
  public void process(Record<byte[], byte[]> record) {
    RecordMetadata source = context().recordMetadata().orElseThrow();
    byte[] bytes = record.value() == null ? new byte[0] : record.value();
    applyAgain(source.offset() - 1); // if the store was lost, or is of an earlier form
    Fact fact;
    try {
      fact = EventCodec.FACTS.read(bytes);
    } catch (UnreadableEventException e) {
      forwardDeadLetter(record, source, String.valueOf(e.getMessage()));
      store().applied(source.offset(), bytes.length);
      return;
    }
    refusal = null;
    factAtEpochMs = record.timestamp();
    apply(source.offset(), factAtEpochMs, fact, this);
    if (refusal != null) {
      forwardDeadLetter(record, source, refusal);
    }
    for (Outcome outcome : outcomes) {
      forward(EventCodec.OUTCOMES.write(outcome), SchedulerStream.OUTCOMES);
    }
    outcomes.clear();
    store().applied(source.offset(), bytes.length);
    if (store().isDue(core().waiting())) {
      String runText = run == null ? null : new String(EventCodec.FACTS.write(run), UTF_8);
      store().begin(runText, core().entities());
    }
    shards.applied(shard(), core().waiting(), core().running());
    if (fact instanceof Ticked) {
      wakeUps.ticked(shard());
    }
    requestWakeUp();
    commitWhatEndsTheRun();
  }

  /** Spares readers of the run's last outcomes the commit interval. */
  private void commitWhatEndsTheRun() {
    if (!askedForTheLastCommit
        && core().waiting() == 0
        && core().running() == 0
        && core().arrivalsEnded()) {
      askedForTheLastCommit = true;
      context().commit();
    }
  }

  private void requestWakeUp() {
    if (run != null) {
      long atNs = core().wakeAtNs();
      wakeUps.wakeAt(shard(), run.timeZeroEpochMs(), core().hasFineTime() ? atNs : toWholeMs(atNs));
    }
  }

  /**
   * Rounds up to whole milliseconds: log time moves in them unless the policy wants it finer, so
   * that an earlier tick would come too early.
   */
  private static long toWholeMs(long atNs) {
    return atNs == Long.MAX_VALUE ? atNs : Math.floorDiv(atNs + 999_999, 1_000_000L) * 1_000_000L;
  }

  private void forwardDeadLetter(
      Record<byte[], byte[]> record, RecordMetadata source, String error) {
    var letter = new Record<>(shard(), record.value(), record.timestamp(), record.headers());
    DeadLetter.describe(
        letter.headers(), source.topic(), source.partition(), source.offset(), error);
    context().forward(letter, SchedulerStream.DEAD_LETTERS);
  }

  @Override
  public void started(BatchDispatched dispatch) {
    forward(EventCodec.DISPATCHES.write(dispatch), SchedulerStream.DISPATCHES);
    shards.dispatched();
  }

  @Override
  public void prepared(LanePrepared dispatch) {
    forward(EventCodec.DISPATCHES.write(dispatch), SchedulerStream.DISPATCHES);
  }

  @Override
  public void ended(JobEnded end) {
    outcomes.add(end);
    shards.ended();
  }

  @Override
  public void blocked(Blocked span) {
    outcomes.add(span);
  }

  private void forward(byte[] value, String sink) {
    context().forward(new Record<>(shard(), value, factAtEpochMs), sink);
  }

  @Override
  public void refused(PredictionsPublished table, String reason) {
    refusal = reason;
  }

  @Override
  public void close() {
    if (context != null) {
      wakeUps.forget(shard());
      shards.left(shard());
    }
  }

  private int shard() {
    return context().taskId().partition();
  }

  private ProcessorContext<Integer, byte[]> context() {
    return requireNonNull(context, "used before init");
  }

  private SnapshotStore store() {
    return requireNonNull(store, "used before init");
  }

  private SchedulingCore core() {
    return requireNonNull(core, "used before init");
  }

  /** A shard's facts, to be read once more by a scheduler that takes the shard over. */
  interface FactLog {
    /** Receives facts in the order of the log; the value may be missing. */
    interface Reader {
      void fact(long offset, long appendedAtEpochMs, byte @Nullable [] bytes);
    }

    /**
     * Reads the facts between two offsets, both included.
     *
     * @throws IllegalStateException if some of them are gone from the log
     */
    void read(int shard, long from, long to, Reader reader);
  }

  /** Takes the core's next wake-up time after each fact, and makes a tick follow at that time. */
  interface WakeUps {
    /**
     * Replaces the shard's earlier wake-up.
     *
     * @param atNs {@link Long#MAX_VALUE}: the core need not be woken
     */
    void wakeAt(int shard, long timeZeroEpochMs, long atNs);

    /** Notes that a tick of the shard was applied; a call of {@link #wakeAt} follows. */
    void ticked(int shard);

    /** Forgets a shard that this process no longer decides for. */
    void forget(int shard);
  }
}
