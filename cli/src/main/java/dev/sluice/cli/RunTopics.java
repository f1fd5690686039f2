package dev.sluice.cli;

import dev.sluice.contract.Topics;
import dev.sluice.contract.UserMistakeException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;

/** Makes the topics of a run. */
final class RunTopics {
  private static final int ANSWER_LIMIT_MS = 5_000;

  private RunTopics() {}

  /**
   * Asks the broker for a sign of life.
   *
   * @param location the option or the line that names the broker
   * @throws UserMistakeException if there is no answer in time
   */
  static void checkReachable(String location, String bootstrapServers, Map<String, Object> kafka)
      throws InterruptedException, UserMistakeException {
    Map<String, Object> impatient = new HashMap<>(kafka);
    impatient.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ANSWER_LIMIT_MS);
    impatient.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, ANSWER_LIMIT_MS);
    try (var admin = Admin.create(impatient)) {
      admin.describeCluster().nodes().get();
    } catch (ExecutionException | KafkaException e) {
      throw new UserMistakeException(
          location,
          "no Kafka answers there (" + bootstrapServers + ")",
          "it is not started, or listens on another HOST:PORT; without any, an embedded one is used",
          e);
    }
  }

  /**
   * Makes all topics of the run, each dated by the broker's append time.
   *
   * @param kafka client properties
   * @throws UserMistakeException if the prefix already holds another run's topics
   */
  static void create(Topics topics, int shards, Map<String, Object> kafka)
      throws InterruptedException, UserMistakeException {
    List<NewTopic> wanted = new ArrayList<>();
    topics.sharded().forEach(name -> wanted.add(topic(name, shards)));
    topics.unsharded().forEach(name -> wanted.add(topic(name, 1)));
    try (var admin = Admin.create(kafka)) {
      admin.createTopics(wanted).all().get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TopicExistsException) {
        throw new UserMistakeException(
            "--run-id",
            "the broker already holds topics of a run with this id (" + topics.prefix() + ")",
            "you want another --run-id, or none: then one is made from the name and the time");
      }
      throw new IllegalStateException("the run's topics can not be made", e.getCause());
    }
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
