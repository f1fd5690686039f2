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

  private final LogClients kafka;
  private final TopicPartition runs;
  private final TopicReader reader;
  private final String group;
  private final String instance;
  private final Supplier<@Nullable String> presentTransactionalId;
  private final Thread thread;

  /** Last owner of each shard, as the topic {@code runs} says. */
  private final Map<Integer, Owner> lastOwners = new TreeMap<>();

  /** Offsets in {@code runs} of the shard takings whose instances were fenced. */
  private final Set<Long> fencedOffsets = new HashSet<>();

  private boolean assigning;

  /** Number of times that a reassignment of shards began or ended. */
  private long changes;

  /** Number of these changes that the last complete look has covered. */
  private long changesSeen;

  private boolean closed;

  /**
   * A shard's owner.
   *
   * @param offset offset of its record, since an instance may take a shard again under an equal id
   */
  private record Owner(long offset, ShardTaken taken) {}

  /**
   * Prepares the search, which {@link #start} begins.
   *
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
    this.kafka = kafka;
    runs = new TopicPartition(topics.runs(), 0);
    reader = TopicReader.open(kafka, Reading.UNCOMMITTED);
    this.group = group;
    this.instance = instance;
    this.presentTransactionalId = presentTransactionalId;
    this.thread = new Thread(this::run, "sluice-dead-schedulers");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Notes whether shards are being reassigned. */
  synchronized void assigning(boolean assigning) {
    this.assigning = assigning;
    changes++;
    notifyAll();
  }

  private void run() {
    try (reader;
        var admin = kafka.admin(ANSWER_LIMIT)) {
      for (long change = awaitChange(); change >= 0; change = awaitChange()) {
        try {
          look(admin);
          seen(change);
        } catch (ExecutionException | KafkaException e) {
          LOG.info("cannot look for dead schedulers yet: {}", String.valueOf(e));
        }
        rest();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.error("dead schedulers are no longer fenced: a takeover may take longer", e);
    }
  }

  /**
   * Waits until there is a reason to look, and returns the number of the change; -1 once closed.
   */
  private synchronized long awaitChange() throws InterruptedException {
    while (!closed && !assigning && changes == changesSeen) {
      wait();
    }
    return closed ? -1 : changes;
  }

  private synchronized void seen(long change) {
    changesSeen = change;
  }

  private synchronized void rest() throws InterruptedException {
    if (!closed) {
      TimeUnit.MILLISECONDS.timedWait(this, LOOK_EVERY.toMillis());
    }
  }

  private void look(Admin admin) throws ExecutionException, InterruptedException {
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
      boolean ownThreadThatIsGone = last.instance().equals(instance);
      if (id != null
          && (ownThreadThatIsGone || members.stream().noneMatch(m -> isOf(last.instance(), m)))) {
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

  /**
   * Returns whether a client belongs to an instance: Kafka Streams names its threads by number, and
   * its clients after their threads.
   */
  private static boolean isOf(String instance, String clientId) {
    return clientId.startsWith(instance + "-StreamThread-");
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    if (thread.getState() == Thread.State.NEW) {
      reader.close(); // never started
      return;
    }
    reader.wakeUp();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
