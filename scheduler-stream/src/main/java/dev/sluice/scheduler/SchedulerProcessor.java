package dev.sluice.scheduler;

import dev.sluice.contract.EventCodec;
import dev.sluice.contract.Fact;
import dev.sluice.contract.RunStarted;
import dev.sluice.contract.Ticked;
import dev.sluice.contract.UnreadableEventException;
import dev.sluice.scheduling.CoreEntity;
import dev.sluice.scheduling.CoreListener;
import dev.sluice.scheduling.Dispatch;
import dev.sluice.scheduling.JobEnd;
import dev.sluice.scheduling.SchedulingCore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;

/**
 * One shard's scheduler: applies each fact to the core, in the order of the log, with the fact's
 * append time as now, and forwards what the core decides. The core lives in memory and is rebuilt
 * from the store whenever the task starts.
 */
final class SchedulerProcessor implements Processor<byte[], byte[], Integer, byte[]>, CoreListener {
  /** The store's entry for the run itself; no entity of the core has this key. */
  private static final String RUN_KEY = "run";

  private final Function<Collection<CoreEntity>, SchedulingCore> restoreCore;
  private final WakeUps wakeUps;

  private @Nullable ProcessorContext<Integer, byte[]> context;
  private @Nullable KeyValueStore<String, byte[]> store;
  private @Nullable SchedulingCore core;
  private @Nullable RunStarted run;
  private long factAtEpochMs;

  SchedulerProcessor(
      Function<Collection<CoreEntity>, SchedulingCore> restoreCore, WakeUps wakeUps) {
    this.restoreCore = restoreCore;
    this.wakeUps = wakeUps;
  }

  @Override
  public void init(ProcessorContext<Integer, byte[]> context) {
    this.context = context;
    KeyValueStore<String, byte[]> entries = context.getStateStore(SchedulerTopology.STORE);
    store = entries;
    List<CoreEntity> entities = new ArrayList<>();
    try (var all = entries.all()) {
      while (all.hasNext()) {
        KeyValue<String, byte[]> entry = all.next();
        if (entry.key.equals(RUN_KEY)) {
          run = (RunStarted) readRun(entry.value);
        } else {
          entities.add(EntityCodec.read(entry.key, entry.value));
        }
      }
    }
    core = restoreCore.apply(entities);
    requestWakeUp();
  }

  private static Fact readRun(byte[] bytes) {
    try {
      return EventCodec.FACTS.read(bytes);
    } catch (UnreadableEventException e) {
      throw new IllegalStateException("the store's entry " + RUN_KEY + " can not be read", e);
    }
  }

  @Override
  public void process(Record<byte[], byte[]> record) {
    RecordMetadata source = context().recordMetadata().orElseThrow();
    Fact fact;
    try {
      fact = EventCodec.FACTS.read(record.value() == null ? new byte[0] : record.value());
    } catch (UnreadableEventException e) {
      forwardDeadLetter(record, source, e);
      return;
    }
    if (fact instanceof RunStarted started && run == null) {
      run = started;
      store().put(RUN_KEY, record.value());
    }
    factAtEpochMs = record.timestamp();
    core().apply(source.offset(), nowNs(factAtEpochMs), Translation.toCore(fact), this);
    if (fact instanceof Ticked) {
      wakeUps.ticked(shard());
    }
    requestWakeUp();
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
      Record<byte[], byte[]> record, RecordMetadata source, UnreadableEventException error) {
    var letter = new Record<>(shard(), record.value(), record.timestamp(), record.headers());
    letter.headers().add("error", text(String.valueOf(error.getMessage())));
    letter.headers().add("source-topic", text(source.topic()));
    letter.headers().add("source-partition", text(Integer.toString(source.partition())));
    letter.headers().add("source-offset", text(Long.toString(source.offset())));
    context().forward(letter, SchedulerTopology.DEAD_LETTERS);
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void started(Dispatch dispatch) {
    forward(
        EventCodec.DISPATCHES.write(Translation.toEvent(dispatch)), SchedulerTopology.DISPATCHES);
  }

  @Override
  public void ended(JobEnd end) {
    forward(EventCodec.OUTCOMES.write(Translation.toEvent(end)), SchedulerTopology.OUTCOMES);
  }

  private void forward(byte[] value, String sink) {
    context().forward(new Record<>(shard(), value, factAtEpochMs), sink);
  }

  @Override
  public void changed(CoreEntity entity) {
    store().put(entity.key(), EntityCodec.write(entity));
  }

  @Override
  public void removed(String entityKey) {
    store().delete(entityKey);
  }

  @Override
  public void close() {
    if (context != null) {
      wakeUps.forget(shard());
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

  private KeyValueStore<String, byte[]> store() {
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
