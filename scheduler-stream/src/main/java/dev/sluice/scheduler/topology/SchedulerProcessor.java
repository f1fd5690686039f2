package dev.sluice.scheduler.topology;

import dev.sluice.contract.codec.EventCodec;
import dev.sluice.contract.codec.UnreadableEventException;
import dev.sluice.contract.event.Fact;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.event.Ticked;
import dev.sluice.contract.log.DeadLetter;
import dev.sluice.scheduler.translation.Translation;
import dev.sluice.scheduling.core.SchedulingCore;
import dev.sluice.scheduling.fact.CoreEntity;
import dev.sluice.scheduling.fact.CoreFact;
import dev.sluice.scheduling.fact.CoreListener;
import dev.sluice.scheduling.fact.Dispatch;
import dev.sluice.scheduling.fact.JobEnd;
import dev.sluice.scheduling.policy.Choice;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * One shard's scheduler: applies each fact to the core, in the order of the log, with the fact's
 * append time as now, and forwards the core's decisions. The core lives in memory and is rebuilt
 * from the store whenever the task starts.
 */
final class SchedulerProcessor implements Processor<byte[], byte[], Integer, byte[]>, CoreListener {
  private final Function<Collection<CoreEntity>, SchedulingCore> restoreCore;
  private final WakeUps wakeUps;
  private final OwnShards shards;

  /**
   * Outcomes of jobs by the fact at hand. They are held until its dispatches are sent, since lanes
   * wait for dispatches.
   */
  private final List<Outcome> outcomes = new ArrayList<>();

  /** Reason why the core does not use the fact at hand; null: it does. */
  private @Nullable String refusal;

  private @Nullable ProcessorContext<Integer, byte[]> context;
  private @Nullable EntityStore store;
  private @Nullable SchedulingCore core;
  private @Nullable RunStarted run;
  private long factAtEpochMs;
  private boolean arrivalsEnded;
  private boolean askedForTheLastCommit;

  SchedulerProcessor(
      Function<Collection<CoreEntity>, SchedulingCore> restoreCore,
      WakeUps wakeUps,
      OwnShards shards) {
    this.restoreCore = restoreCore;
    this.wakeUps = wakeUps;
    this.shards = shards;
  }

  @Override
  public void init(ProcessorContext<Integer, byte[]> context) {
    this.context = context;
    outcomes.clear();
    arrivalsEnded = false;
    askedForTheLastCommit = false;
    EntityStore entries = context.getStateStore(SchedulerTopology.STORE);
    store = entries;
    byte[] runBytes = entries.run();
    run = runBytes == null ? null : (RunStarted) readRun(runBytes);
    List<CoreEntity> entities = entries.entities();
    entities.forEach(this::observe);
    SchedulingCore restored = restoreCore.apply(entities);
    core = restored;
    shards.taken(shard(), restored.waiting(), restored.running());
    requestWakeUp();
  }

  private static Fact readRun(byte[] bytes) {
    try {
      return EventCodec.FACTS.read(bytes);
    } catch (UnreadableEventException e) {
      throw new IllegalStateException("the run in the store cannot be read", e);
    }
  }

  @Override
  public void process(Record<byte[], byte[]> record) {
    RecordMetadata source = context().recordMetadata().orElseThrow();
    Fact fact;
    try {
      fact = EventCodec.FACTS.read(record.value() == null ? new byte[0] : record.value());
    } catch (UnreadableEventException e) {
      forwardDeadLetter(record, source, String.valueOf(e.getMessage()));
      return;
    }
    refusal = null;
    if (fact instanceof RunStarted started && run == null) {
      run = started;
      store().putRun(record.value());
    }
    factAtEpochMs = record.timestamp();
    core().apply(source.offset(), nowNs(factAtEpochMs), Translation.toCore(fact), this);
    if (refusal != null) {
      forwardDeadLetter(record, source, refusal);
    }
    for (Outcome outcome : outcomes) {
      forward(EventCodec.OUTCOMES.write(outcome), SchedulerTopology.OUTCOMES);
    }
    outcomes.clear();
    store().writeOldest();
    shards.applied(shard(), core().waiting(), core().running());
    if (fact instanceof Ticked) {
      wakeUps.ticked(shard());
    }
    requestWakeUp();
    commitWhatEndsTheRun();
  }

  /**
   * Requests a commit at the run's end, so that readers of its last outcomes need not wait for the
   * commit interval.
   */
  private void commitWhatEndsTheRun() {
    if (arrivalsEnded && !askedForTheLastCommit && core().waiting() == 0 && core().running() == 0) {
      askedForTheLastCommit = true;
      context().commit();
    }
  }

  private long nowNs(long appendedAtEpochMs) {
    return run == null ? 0 : (appendedAtEpochMs - run.timeZeroEpochMs()) * 1_000_000;
  }

  private void requestWakeUp() {
    if (run != null) {
      wakeUps.wakeAt(shard(), run.timeZeroEpochMs(), core().wakeAtNs());
    }
  }

  private void forwardDeadLetter(
      Record<byte[], byte[]> record, RecordMetadata source, String error) {
    var letter = new Record<>(shard(), record.value(), record.timestamp(), record.headers());
    DeadLetter.describe(
        letter.headers(), source.topic(), source.partition(), source.offset(), error);
    context().forward(letter, SchedulerTopology.DEAD_LETTERS);
  }

  @Override
  public void started(Dispatch dispatch) {
    forward(
        EventCodec.DISPATCHES.write(Translation.toEvent(dispatch)), SchedulerTopology.DISPATCHES);
    shards.dispatched();
  }

  @Override
  public void ended(JobEnd end) {
    outcomes.add(Translation.toEvent(end));
    shards.ended();
  }

  @Override
  public void blocked(long fromNs, long toNs, Choice.Cause cause) {
    outcomes.add(Translation.toEvent(fromNs, toNs, cause));
  }

  private void forward(byte[] value, String sink) {
    context().forward(new Record<>(shard(), value, factAtEpochMs), sink);
  }

  @Override
  public void refused(CoreFact.PredictionsPublished table, String reason) {
    refusal = reason;
  }

  @Override
  public void changed(CoreEntity entity) {
    observe(entity);
    store().put(entity);
  }

  private void observe(CoreEntity entity) {
    if (entity instanceof CoreEntity.Progress progress) {
      arrivalsEnded =
          progress.sources() > 0 && progress.sourcesEnded().size() >= progress.sources();
    }
  }

  @Override
  public void removed(String entityKey) {
    store().remove(entityKey);
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
    if (context == null) {
      throw new IllegalStateException("used before init");
    }
    return context;
  }

  private EntityStore store() {
    if (store == null) {
      throw new IllegalStateException("used before init");
    }
    return store;
  }

  private SchedulingCore core() {
    if (core == null) {
      throw new IllegalStateException("used before init");
    }
    return core;
  }
}
