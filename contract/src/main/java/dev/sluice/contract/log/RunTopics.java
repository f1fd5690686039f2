package dev.sluice.contract.log;

import dev.sluice.contract.file.UserMistakeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

public final class RunTopics {
  private static final Duration KNOWN_LIMIT = Duration.ofSeconds(30);
  private static final long KNOWN_AGAIN_NS = 100_000_000;

  /** A topic that only runs of earlier versions have. */
  private static final String FORMER = ".lanes";

  private RunTopics() {}

  /**
   * Makes all topics of a new run, each dated by the broker's append time.
   *
   * @throws UserMistakeException if the prefix already holds another run's topics
   */
  public static void create(Topics topics, int shards, LogClients kafka)
      throws InterruptedException, UserMistakeException {
    if (!make(topics, shards, kafka).isEmpty()) {
      throw new UserMistakeException(
          "--run-id",
          "the broker already holds topics of a run with this id (" + topics.prefix() + ")",
          "you want another --run-id, or none: then one is made from the name and the time");
    }
  }

  /**
   * Makes the topics of the run that do not exist yet: the first role makes them.
   *
   * @param nanoTime the pacer's monotonic clock
   * @throws UserMistakeException if a topic exists with another number of shards
   */
  public static void ensure(
      Topics topics, int shards, LogClients kafka, LongSupplier nanoTime, Pacer pacer)
      throws InterruptedException, UserMistakeException {
    Map<String, Integer> partitions = madePartitions(topics, shards, kafka, nanoTime, pacer);
    for (String topic : topics.sharded()) {
      int there = partitions.getOrDefault(topic, 0);
      if (there != shards) {
        throw new UserMistakeException(
            "--run-id",
            "the run (%s) has (%s) shards on this broker, and this role was given kafka.shards (%s)"
                .formatted(topics.prefix(), there, shards),
            "another role was started with another file or --set, or you want another --run-id");
      }
    }
  }

  private static List<String> make(Topics topics, int shards, LogClients kafka)
      throws InterruptedException, UserMistakeException {
    List<NewTopic> wanted = new ArrayList<>();
    topics.sharded().forEach(name -> wanted.add(topic(name, shards)));
    topics.unsharded().forEach(name -> wanted.add(topic(name, 1)));
    List<String> there = new ArrayList<>();
    try (var admin = kafka.admin()) {
      for (Map.Entry<String, KafkaFuture<Void>> made :
          admin.createTopics(wanted).values().entrySet()) {
        try {
          made.getValue().get();
        } catch (ExecutionException e) {
          if (e.getCause() instanceof TopicExistsException) {
            there.add(made.getKey());
          } else if (e.getCause() instanceof AuthorizationException) {
            throw new UserMistakeException(
                kafka.location(),
                "the Kafka there does not allow these clients to make topics ("
                    + made.getKey()
                    + ")",
                "its administrator has to allow it for names that begin with the run's id",
                e);
          } else {
            throw new IllegalStateException("the run's topics cannot be made", e.getCause());
          }
        }
      }
    }
    return there;
  }

  /** Makes all topics as soon as the broker can, and returns their partitions once it knows all. */
  private static Map<String, Integer> madePartitions(
      Topics topics, int shards, LogClients kafka, LongSupplier nanoTime, Pacer pacer)
      throws InterruptedException, UserMistakeException {
    long deadlineNs = nanoTime.getAsLong() + KNOWN_LIMIT.toNanos();
    while (true) {
      try {
        make(topics, shards, kafka);
        return partitions(topics, kafka);
      } catch (IllegalStateException e) {
        boolean soon =
            e.getCause() instanceof InvalidReplicationFactorException // its only broker just began
                || e.getCause() instanceof UnknownTopicOrPartitionException; // another broker's
        if (!soon || nanoTime.getAsLong() - deadlineNs >= 0) {
          throw e;
        }
        pacer.awaitNs(nanoTime.getAsLong() + KNOWN_AGAIN_NS);
      }
    }
  }

  private static Map<String, Integer> partitions(Topics topics, LogClients kafka)
      throws InterruptedException {
    Map<String, Integer> partitions = new HashMap<>();
    try (var admin = kafka.admin()) {
      admin
          .describeTopics(topics.all())
          .allTopicNames()
          .get()
          .forEach((name, topic) -> partitions.put(name, topic.partitions().size()));
      return partitions;
    } catch (ExecutionException e) {
      throw new IllegalStateException("the run's topics cannot be described", e.getCause());
    }
  }

  /**
   * Removes a run's topics, its scheduler's changelogs and its consumer group. A topic or group
   * that does not exist is no error.
   *
   * @return the names of the removed topics
   * @throws ExecutionException if the broker refuses
   */
  public static List<String> remove(Topics topics, LogClients kafka)
      throws InterruptedException, ExecutionException {
    try (var admin = kafka.admin()) {
      List<String> names = of(topics, admin.listTopics().names().get());
      ignoringAbsence(admin.deleteTopics(names).all());
      String group = group(topics);
      // Kafka Streams leaves its membership to time out, and a group with members cannot be
      // removed.
      try {
        ignoringAbsence(
            admin
                .removeMembersFromConsumerGroup(group, new RemoveMembersFromConsumerGroupOptions())
                .all());
      } catch (ExecutionException e) {
        if (!(root(e) instanceof IllegalArgumentException)) { // Kafka's word for an empty group
          throw e;
        }
      }
      ignoringAbsence(admin.deleteConsumerGroups(List.of(group)).all());
      return names;
    }
  }

  private static void ignoringAbsence(KafkaFuture<Void> future)
      throws InterruptedException, ExecutionException {
    try {
      future.get();
    } catch (ExecutionException e) {
      Throwable root = root(e);
      if (!(root instanceof GroupIdNotFoundException)
          && !(root instanceof UnknownTopicOrPartitionException)) {
        throw e;
      }
    }
  }

  private static Throwable root(Throwable error) {
    Throwable root = error;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  /** The names among the broker's topics that are this run's, changelogs included; sorted. */
  static List<String> of(Topics topics, Collection<String> brokers) {
    Set<String> own = new HashSet<>(topics.all());
    own.add(topics.prefix() + FORMER);
    return brokers.stream()
        .filter(name -> own.contains(name) || isChangelog(topics, name))
        .sorted()
        .toList();
  }

  /** A store's name has no full stop; the rest of another run's name has one. */
  private static boolean isChangelog(Topics topics, String name) {
    String start = group(topics) + "-";
    return name.startsWith(start)
        && name.endsWith("-changelog")
        && name.indexOf('.', start.length()) < 0;
  }

  private static String group(Topics topics) {
    return topics.prefix() + ".scheduler";
  }

  private static NewTopic topic(String name, int partitions) {
    return new NewTopic(name, Optional.of(partitions), Optional.empty())
        .configs(
            Map.of(
                TopicConfig.RETENTION_MS_CONFIG,
                "-1",
                TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                "LogAppendTime"));
  }
}
