package dev.sluice.scheduler.topology;

import dev.sluice.contract.event.ShardTaken;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.TopicReader;
import dev.sluice.contract.log.Topics;
import dev.sluice.contract.log.UnreadableEventException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fences schedulers that died with a transaction open: otherwise the process that takes their
 * shards would wait until the broker aborts these transactions. While shards are being reassigned,
 * it looks up which instance took each shard last. If that instance is no longer in the group, or
 * wrote through a thread of this process that is gone, its transactional id is fenced, and no other
 * id.
 *
 * <p>Fencing a scheduler that is alive after all does no harm: it drops its state and joins again.
 */
final class DeadSchedulers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeadSchedulers.class);
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

  private final TopicPartition runs;
  private final TopicReader reader;
  private final String group;
  private final String instance;
  private final Supplier<@Nullable String> presentTransactionalId;
  private final Admin admin;
  private final ScheduledExecutorService looking = CommitWatch.daemon("sluice-dead-schedulers");

  /** Last owner of each shard, as the topic {@code runs} says. */
  private final Map<Integer, Owner> lastOwners = new TreeMap<>();

  /** Offsets in {@code runs} of the shard takings whose instances were fenced. */
  private final Set<Long> fencedOffsets = new HashSet<>();

  private volatile boolean assigning;

  /** Whether a reassignment has begun or ended that no look has covered. */
  private volatile boolean due;

  /** Whether it looks no more: it is closed, or a look failed for good. */
  private volatile boolean over;

  /**
   * A shard's owner.
   *
   * @param offset offset of its record, since an instance may take a shard again under an equal id
   */
  private record Owner(long offset, ShardTaken taken) {}

  /**
   * @param group the schedulers' consumer group
   * @param instance name of this process, with which its consumers' client ids begin
   * @param presentTransactionalId transactional id under which this process writes now
   */
  DeadSchedulers(
      Topics topics,
      LogClients kafka,
      String group,
      String instance,
      Supplier<@Nullable String> presentTransactionalId) {
    runs = new TopicPartition(topics.runs(), 0);
    reader = TopicReader.open(kafka, Reading.UNCOMMITTED);
    this.group = group;
    this.instance = instance;
    this.presentTransactionalId = presentTransactionalId;
    admin = kafka.admin(ANSWER_LIMIT);
  }

  void start() {
    var unused =
        looking.scheduleWithFixedDelay(
            this::lookIfDue, 0, LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
  }

  void assigning(boolean isAssigning) {
    assigning = isAssigning;
    due = true;
    if (isAssigning && !over) {
      try {
        looking.execute(this::lookIfDue); // at once, not with the next of the regular looks
      } catch (RejectedExecutionException e) {
        LOG.debug("closed meanwhile: looks no more for dead schedulers", e);
      }
    }
  }

  private void lookIfDue() {
    if (over || (!due && !assigning)) {
      return;
    }
    due = false;
    try {
      look();
    } catch (ExecutionException | KafkaException e) {
      due = true;
      LOG.info("cannot look for dead schedulers yet: {}", String.valueOf(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.error("dead schedulers are no longer fenced: a takeover may take longer", e);
      over = true;
    }
  }

  private void look() throws ExecutionException, InterruptedException {
    reader.readOn(runs, this::take);
    List<Owner> suspects =
        lastOwners.values().stream()
            .filter(o -> !fencedOffsets.contains(o.offset()))
            .filter(o -> !Objects.equals(o.taken().transactionalId(), presentTransactionalId.get()))
            .toList();
    if (suspects.isEmpty()) {
      return;
    }
    Set<String> members =
        admin.describeConsumerGroups(List.of(group)).all().get().values().stream()
            .flatMap(g -> g.members().stream())
            .map(MemberDescription::clientId)
            .collect(Collectors.toSet());
    for (Owner suspect : suspects) {
      ShardTaken last = suspect.taken();
      String id = last.transactionalId();
      String threads = last.instance() + "-StreamThread-"; // which name its clients
      boolean ownThreadThatIsGone = last.instance().equals(instance);
      if (id != null
          && (ownThreadThatIsGone || members.stream().noneMatch(m -> m.startsWith(threads)))) {
        admin.fenceProducers(List.of(id)).all().get();
        fencedOffsets.add(suspect.offset());
        LOG.info("fenced {} of {}, which had shard {}", id, last.instance(), last.shard());
      }
    }
  }

  private void take(ConsumerRecord<byte[], byte[]> received) {
    try {
      if (received.value() != null
          && EventCodec.RUNS.read(received.value()) instanceof ShardTaken taken) {
        lastOwners.put(taken.shard(), new Owner(received.offset(), taken));
      }
    } catch (UnreadableEventException e) {
      LOG.warn("{} at {} is no event", runs, received.offset(), e); // analytics keeps it
    }
  }

  @Override
  public void close() {
    over = true;
    if (!looking.isShutdown()) {
      looking.execute(reader::close); // by the thread that uses it, after the look that goes on
      looking.execute(admin::close);
      looking.shutdown();
    }
    try {
      boolean unused = looking.awaitTermination(2 * ANSWER_LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
