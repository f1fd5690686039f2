package dev.sluice.harness.kafka;

import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/** Reads {@code --kafka-config FILE}: Java properties for every Kafka client of a run. */
final class KafkaConfigFile {
  private static final String LOCATION = "--kafka-config";

  /** Properties that the roles set themselves for each client. */
  private static final Set<String> OURS =
      Set.of(
          "bootstrap.servers",
          "transactional.id",
          "group.id",
          "group.instance.id",
          "isolation.level",
          "enable.idempotence",
          "acks",
          "key.serializer",
          "value.serializer",
          "key.deserializer",
          "value.deserializer");

  private KafkaConfigFile() {}

  /**
   * The file's properties.
   *
   * @throws UserMistakeException if the file cannot be read, or names a property that no client
   *     knows
   */
  static Map<String, String> read(Path file) throws UserMistakeException {
    var properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (IOException e) {
      throw new UserMistakeException(
          LOCATION,
          "the file cannot be read (" + file + ": " + UserMistakeException.reason(e) + ")",
          "the path is wrong, or you have to change its permissions");
    } catch (IllegalArgumentException e) { // the message may quote the file
      throw new UserMistakeException(
          LOCATION,
          "the file is no Java properties file (" + file + ": a \\u without four hex digits)",
          "you want two backslashes where a value has one");
    }
    Set<String> known = new TreeSet<>(AdminClientConfig.configNames());
    known.addAll(ProducerConfig.configNames());
    known.addAll(ConsumerConfig.configNames());
    Map<String, String> read = new LinkedHashMap<>();
    for (String name : new TreeSet<>(properties.stringPropertyNames())) {
      if (OURS.contains(name)) {
        throw new UserMistakeException(
            file.toString(),
            "the property (" + name + ") is set by Sluice, for each of its clients",
            name.equals("bootstrap.servers")
                ? "you want to give it as --bootstrap HOST:PORT"
                : "you want to take that line out");
      }
      if (!known.contains(name)) {
        throw new UserMistakeException(
            file.toString(),
            "no client of Kafka knows the property (" + name + ")",
            "it is misspelt, or not written name=value: security.protocol, sasl.mechanism and"
                + " sasl.jaas.config are known ones");
      }
      read.put(name, properties.getProperty(name));
    }
    return read;
  }
}
