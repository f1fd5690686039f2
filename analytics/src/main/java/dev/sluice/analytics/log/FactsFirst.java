package dev.sluice.analytics.log;

import dev.sluice.analytics.abort.EarlyEnd;
import dev.sluice.analytics.fold.LiveFold;
import dev.sluice.contract.event.Dispatch;
import dev.sluice.contract.event.JobEnded;
import dev.sluice.contract.event.LogFold;
import dev.sluice.contract.event.Outcome;
import dev.sluice.contract.event.RunStarted;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.UnreadableEventException;
import dev.sluice.contract.value.DispatchId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Order of the live fold: a dispatch or an outcome waits here until the facts that it rests on have
 * been applied, and no partition is read far ahead of the slowest one. Not thread-safe.
 */
final class FactsFirst {
  /** Longest lead of a partition over the slowest one, so that few records wait. */
  private static final long AHEAD_MS_MAX = 2000;

  private final Topics topics;
  private final LiveFold fold;

  /** All that take the records, {@code fold} among them. */
  private final List<LogFold> folds;

  private final Map<TopicPartition, Progress> progress = new HashMap<>();

  /** How far a partition has been read, and its dispatches or outcomes that wait for facts. */
  private static final class Progress {
    final Deque<LogEvent> waiting = new ArrayDeque<>();
    long appliedOffset = -1;
    long appliedEpochMs;

    /** Last applied dispatch; null: none. */
    @Nullable DispatchId lastDispatch;
  }

  FactsFirst(
      Topics topics,
      LiveFold fold,
      @Nullable EarlyEnd early,
      Collection<TopicPartition> partitions) {
    this.topics = topics;
    this.fold = fold;
    this.folds = new ArrayList<>(early == null ? List.of() : early.folds());
    folds.add(0, fold);
    partitions.forEach(partition -> progress.put(partition, new Progress()));
  }

  /**
   * Applies a fact or a record of the run at once; a dispatch or an outcome waits for {@link
   * #applyWaiting}.
   *
   * @throws UnreadableEventException if the record is no event; it counts as read
   */
  void take(ConsumerRecord<byte[], byte[]> entry) throws UnreadableEventException {
    Progress of = progressOf(entry.topic(), entry.partition());
    LogEvent event;
    try {
      event = LogEvent.of(topics, entry);
    } catch (UnreadableEventException e) {
      of.appliedOffset = entry.offset();
      throw e;
    }
    if (event.event() instanceof Dispatch || event.event() instanceof Outcome) {
      of.waiting.add(event);
    } else {
      apply(event, of);
      of.appliedOffset = entry.offset();
    }
  }

  private void apply(LogEvent event, Progress of) {
    folds.forEach(event::applyTo);
    of.appliedEpochMs = Math.max(of.appliedEpochMs, event.appendedAtEpochMs());
  }

  /**
   * Applies the waiting records whose facts have been applied, dispatches before outcomes.
   *
   * @param factsAreRead true if every fact and dispatch that any record rests on has been read
   */
  void applyWaiting(boolean factsAreRead) {
    applyWaiting(topics.dispatches(), factsAreRead);
    applyWaiting(topics.outcomes(), factsAreRead);
  }

  private void applyWaiting(String topic, boolean factsAreRead) {
    progress.forEach(
        (partition, of) -> {
          if (!partition.topic().equals(topic)) {
            return;
          }
          Progress facts = progressOf(topics.facts(), partition.partition());
          Progress dispatches = progressOf(topics.dispatches(), partition.partition());
          while (!of.waiting.isEmpty()
              && (factsAreRead || isReady(of.waiting.element(), facts, dispatches))) {
            LogEvent next = of.waiting.remove();
            if (next.event() instanceof Dispatch dispatch) {
              of.lastDispatch = dispatch.dispatchId();
            }
            apply(next, of);
          }
        });
  }

  private boolean isReady(LogEvent record, Progress facts, Progress dispatches) {
    if (record.event() instanceof Dispatch dispatch) {
      return dispatch.dispatchId().factOffset() <= facts.appliedOffset;
    }
    RunStarted started = fold.started();
    return !(record.event() instanceof JobEnded end)
        || (started != null
            && started.timeZeroEpochMs() + end.endedAtNs() / 1_000_000 < facts.appliedEpochMs
            && isApplied(end.dispatchId(), dispatches));
  }

  /**
   * True if the dispatch has been applied, or a later one: ids rise, so that it was unreadable. How
   * many dispatches are known and not read says nothing, because an answer with newer ones may be
   * under way.
   */
  private static boolean isApplied(@Nullable DispatchId id, Progress dispatches) {
    return id == null
        || (dispatches.lastDispatch != null && id.compareTo(dispatches.lastDispatch) <= 0);
  }

  /** True if every record that was taken has been applied. */
  boolean nothingWaits() {
    return progress.values().stream().allMatch(of -> of.waiting.isEmpty());
  }

  /**
   * Pauses each partition that is far ahead of the slowest one, or that waits for facts.
   *
   * @return append time up to which everything has been read, milliseconds since 1970; {@link
   *     Long#MAX_VALUE} if nothing is left to read
   */
  long keepTogether(Consumer<byte[], byte[]> consumer) {
    long slowestEpochMs = Long.MAX_VALUE;
    for (Map.Entry<TopicPartition, Progress> entry : progress.entrySet()) {
      OptionalLong lag = consumer.currentLag(entry.getKey());
      Progress of = entry.getValue();
      if (!of.waiting.isEmpty()) {
        slowestEpochMs = Math.min(slowestEpochMs, of.waiting.element().appendedAtEpochMs());
      } else if (lag.isEmpty() || lag.getAsLong() > 0) {
        slowestEpochMs = Math.min(slowestEpochMs, of.appliedEpochMs);
      }
    }
    Set<TopicPartition> pause = new HashSet<>();
    Set<TopicPartition> awaited = new HashSet<>();
    for (Map.Entry<TopicPartition, Progress> entry : progress.entrySet()) {
      Progress of = entry.getValue();
      boolean ahead =
          slowestEpochMs != Long.MAX_VALUE && of.appliedEpochMs - AHEAD_MS_MAX > slowestEpochMs;
      if (ahead || !of.waiting.isEmpty()) {
        pause.add(entry.getKey());
      }
      if (!of.waiting.isEmpty()) {
        awaited.add(new TopicPartition(topics.facts(), entry.getKey().partition()));
      }
    }
    pause.removeAll(awaited); // they may seem ahead once the broker's clock was set back
    if (!pause.equals(consumer.paused())) {
      consumer.resume(consumer.paused());
      consumer.pause(pause);
    }
    return slowestEpochMs;
  }

  private Progress progressOf(String topic, int partition) {
    Progress of = progress.get(new TopicPartition(topic, partition));
    if (of == null) {
      throw new IllegalStateException(topic + " has no partition (" + partition + ")");
    }
    return of;
  }
}
