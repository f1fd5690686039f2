package dev.sluice.harness.kafka;

import dev.sluice.contract.codec.Topics;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.machine.SystemPacer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Makes the topics of a run, and takes them away. */
public final class RunTopics {
  private static final Duration KNOWN_LIMIT = Duration.ofSeconds(30);
  private static final long KNOWN_AGAIN_NS = 100_000_000;

  private RunTopics() {}

  /**
   * Makes all topics of a new run, each dated by the broker's append time.
   *
   * @throws UserMistakeException if the prefix already holds another run's topics
   */
  public static void create(Topics topics, int shards, KafkaAccess kafka)
      throws InterruptedException, UserMistakeException {
    if (!make(topics, shards, kafka).isEmpty()) {
      throw new UserMistakeException(
          "--run-id",
          "the broker already holds topics of a run with this id (" + topics.prefix() + ")",
          "you want another --run-id, or none: then one is made from the name and the time");
    }
  }

  /**
   * Makes those topics of the run that are not there yet: whoever comes first makes them.
   *
   * @throws UserMistakeException if one is there with another number of shards
   */
  public static void ensure(Topics topics, int shards, KafkaAccess kafka)
      throws InterruptedException, UserMistakeException {
    make(topics, shards, kafka);
    Map<String, Integer> partitions = partitions(topics, kafka);
    for (String topic : topics.sharded()) {
      int there = partitions.getOrDefault(topic, 0);
      if (there != shards) {
        throw new UserMistakeException(
            "--run-id",
            "the run ("
                + topics.prefix()
                + ") has ("
                + there
                + ") shards on this broker, and this role was given kafka.shards ("
                + shards
                + ")",
            "another role was started with another file or --set, or you want another --run-id");
      }
    }
  }

  /** Returns those that were there already. */
  private static List<String> make(Topics topics, int shards, KafkaAccess kafka)
      throws InterruptedException, UserMistakeException {
    List<NewTopic> wanted = new ArrayList<>();
    topics.sharded().forEach(name -> wanted.add(topic(name, shards)));
    topics.unsharded().forEach(name -> wanted.add(topic(name, 1)));
    List<String> there = new ArrayList<>();
    try (var admin = Admin.create(kafka.properties())) {
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
            throw new IllegalStateException("the run's topics can not be made", e.getCause());
          }
        }
      }
    }
    return there;
  }

  /** Partitions by topic, as soon as the broker knows all of them. */
  private static Map<String, Integer> partitions(Topics topics, KafkaAccess kafka)
      throws InterruptedException {
    var pacer = new SystemPacer(System::nanoTime);
    long deadlineNs = System.nanoTime() + KNOWN_LIMIT.toNanos();
    try (var admin = Admin.create(kafka.properties())) {
      while (true) {
        try {
          Map<String, Integer> partitions = new HashMap<>();
          admin
              .describeTopics(topics.all())
              .allTopicNames()
              .get()
              .forEach((name, topic) -> partitions.put(name, topic.partitions().size()));
          return partitions;
        } catch (ExecutionException e) {
          if (!(e.getCause() instanceof UnknownTopicOrPartitionException)
              || System.nanoTime() - deadlineNs >= 0) {
            throw new IllegalStateException("the run's topics can not be described", e.getCause());
          }
          // another broker of the cluster has not heard of them yet
          pacer.awaitNs(System.nanoTime() + KNOWN_AGAIN_NS);
        }
      }
    }
  }

  /**
   * Takes away a run's topics, its scheduler's changelogs and its consumer group. Those that are
   * not there are no error.
   *
   * @return the names of the topics that went
   * @throws ExecutionException if the broker refuses
   */
  public static List<String> remove(Topics topics, Map<String, Object> kafka)
      throws InterruptedException, ExecutionException {
    try (var admin = Admin.create(kafka)) {
      List<String> names = of(topics, admin.listTopics().names().get());
      ignoringAbsence(admin.deleteTopics(names).all());
      String group = group(topics);
      // Kafka Streams leaves its membership to time out, and a group with members can not go.
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

  /**
   * Takes them away as {@link #remove} does, of a run that has come to its end: what stays is no
   * failure of it.
   *
   * @param said is told if they stay
   */
  public static void removeOrSay(Topics topics, KafkaAccess kafka, Consumer<String> said)
      throws InterruptedException {
    try {
      remove(topics, kafka.properties());
    } catch (ExecutionException e) {
      said.accept("The run's topics stay behind: " + kafka.secrets().hide(String.valueOf(e)));
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

  /** Those of the broker's topics that are this run's, its changelogs among them; sorted. */
  static List<String> of(Topics topics, Collection<String> brokers) {
    List<String> own = topics.all();
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

  /** The consumer group of the run's schedulers. */
  private static String group(Topics topics) {
    return topics.prefix() + ".scheduler";
  }

  private static NewTopic topic(String name, int partitions) {
    return new NewTopic(name, Optional.of(partitions), Optional.empty())
        .configs(
            Map.of(
                TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                "LogAppendTime",
                TopicConfig.RETENTION_MS_CONFIG,
                "-1"));
  }
}
