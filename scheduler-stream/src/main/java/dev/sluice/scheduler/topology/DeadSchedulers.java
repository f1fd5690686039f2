package dev.sluice.scheduler.topology;

import dev.sluice.contract.event.ShardTaken;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.Topics;
import dev.sluice.scheduler.topology.ShardOwners.Owner;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fences schedulers that died with a transaction open: who takes their shards would else wait until
 * the broker gives those transactions up. It looks while shards are being assigned anew, at who
 * took each shard last: if that instance is no longer in the group, or wrote through a thread of
 * this process that is gone, its transactional id is fenced, and no other.
 *
 * <p>To fence one that lives after all does no harm: it drops its state and joins again.
 */
final class DeadSchedulers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeadSchedulers.class);
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

  private final LogClients kafka;
  private final ShardOwners owners;
  private final String group;
  private final String instance;
  private final Supplier<@Nullable String> presentTransactionalId;
  private final Thread thread;

  /** Where in {@code runs} those took their shards that were fenced. */
  private final Set<Long> fencedOffsets = new HashSet<>();

  private boolean assigning;

  /** How often shards began or ended to be assigned anew, and after how many a look was whole. */
  private long changes;

  private long changesSeen;
  private boolean closed;

  /**
   * Prepares it; {@link #start} begins.
   *
   * @param group the schedulers' consumer group
   * @param instance this process; its consumers' client ids begin with it
   * @param presentTransactionalId under which this process writes now
   */
  DeadSchedulers(
      Topics topics,
      LogClients kafka,
      String group,
      String instance,
      Supplier<@Nullable String> presentTransactionalId) {
    this.kafka = kafka;
    owners = new ShardOwners(topics, kafka);
    this.group = group;
    this.instance = instance;
    this.presentTransactionalId = presentTransactionalId;
    this.thread = new Thread(this::run, "sluice-dead-schedulers");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Whether shards are being assigned anew. */
  synchronized void assigning(boolean assigning) {
    this.assigning = assigning;
    changes++;
    notifyAll();
  }

  private void run() {
    try (owners;
        var admin = kafka.admin(ANSWER_LIMIT)) {
      for (long change = awaitChange(); change >= 0; change = awaitChange()) {
        try {
          look(admin);
          seen(change);
        } catch (ExecutionException | KafkaException e) {
          LOG.info("can not look for dead schedulers yet: {}", String.valueOf(e));
        }
        rest();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.error("dead schedulers are no longer fenced: a takeover may take longer", e);
    }
  }

  /** Waits until there is a reason to look, and returns which; -1 once closed. */
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
    List<Owner> suspects =
        owners.read().stream()
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

  /** Kafka Streams names its threads, and after them its clients, by number. */
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
      owners.close(); // never started
      return;
    }
    owners.wakeUp();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
