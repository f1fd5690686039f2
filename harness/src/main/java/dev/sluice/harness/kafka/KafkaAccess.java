package dev.sluice.harness.kafka;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.LogClients;
import dev.sluice.contract.log.RunTopics;
import dev.sluice.contract.log.Topics;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.LogFile;
import dev.sluice.harness.process.RoleFailedException;
import dev.sluice.harness.process.Secrets;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;

/**
 * Access of a run's clients to their Kafka.
 *
 * @param clients clients, with the option or line that names the Kafka
 * @param configFile file of the user's own client properties; null: none
 * @param secrets values among the properties that may not be written
 */
public record KafkaAccess(
    LogClients clients, String bootstrapServers, @Nullable Path configFile, Secrets secrets) {

  /** Time that a broker may be away, with some time to start again, before a role gives up. */
  private static final int AWAY_LIMIT_MS = 75_000;

  private static final int EMBEDDED_AWAY_LIMIT_MS = 30_000;

  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(2);

  private static final Duration REACHED_LIMIT = Duration.ofSeconds(5);

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

  /** Access to a Kafka that Sluice did not start. */
  public static KafkaAccess of(String location, String bootstrapServers, @Nullable Path configFile)
      throws UserMistakeException {
    Map<String, String> own = configFile == null ? Map.of() : read(configFile);
    return of(location, bootstrapServers, configFile, own, AWAY_LIMIT_MS);
  }

  /** Access to a Kafka in this process, whose clients give up after this time without an answer. */
  public static KafkaAccess embedded(String bootstrapServers, int awayLimitMs) {
    return of("", bootstrapServers, null, Map.of(), awayLimitMs);
  }

  /**
   * Starts a Kafka in a folder, as a part of a run. It does not come back after a failure, so a
   * client that misses it need not wait long.
   */
  public static KafkaAccess startEmbedded(Opened opened, Path folder)
      throws RoleFailedException, InterruptedException {
    try {
      EmbeddedBroker broker = opened.add(EmbeddedBroker.start(folder.resolve("broker")));
      return embedded(broker.bootstrapServers(), EMBEDDED_AWAY_LIMIT_MS);
    } catch (IOException e) {
      throw new RoleFailedException("the embedded broker did not start: " + e.getMessage(), e);
    }
  }

  private static KafkaAccess of(
      String location,
      String bootstrapServers,
      @Nullable Path configFile,
      Map<String, String> own,
      int awayLimitMs) {
    Map<String, Object> properties = new HashMap<>();
    properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, awayLimitMs);
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, awayLimitMs);
    properties.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, awayLimitMs);
    properties.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, Math.min(awayLimitMs, 30_000));
    properties.putAll(own);
    properties.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    return new KafkaAccess(
        new LogClients(location, properties), bootstrapServers, configFile, Secrets.of(own));
  }

  /** Reads {@code --kafka-config FILE}, Java properties for every Kafka client of a run. */
  private static Map<String, String> read(Path file) throws UserMistakeException {
    var properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (IOException e) {
      throw new UserMistakeException(
          "--kafka-config",
          "the file cannot be read (" + file + ": " + UserMistakeException.reason(e) + ")",
          "the path is wrong, or you have to change its permissions");
    } catch (IllegalArgumentException e) { // the message may quote the file
      throw new UserMistakeException(
          "--kafka-config",
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

  /**
   * Access to the Kafka of {@code --bootstrap}, which has answered in time unless that was stopped.
   */
  public static KafkaAccess reached(
      String bootstrapServers, @Nullable Path configFile, BooleanSupplier stopped)
      throws UserMistakeException, InterruptedException {
    KafkaAccess kafka = of("--bootstrap", bootstrapServers, configFile);
    kafka.awaitAnswer(REACHED_LIMIT, () -> {}, stopped);
    return kafka;
  }

  /** Removes the topics of a run. One that stays is no failure of the run, and is said. */
  public void removeTopicsOrSay(Topics topics, Consumer<String> said) throws InterruptedException {
    try {
      RunTopics.remove(topics, clients());
    } catch (ExecutionException e) {
      said.accept("The run's topics stay behind: " + secrets.hide(String.valueOf(e)));
    }
  }

  /**
   * Waits some seconds until the broker answers.
   *
   * @throws UserMistakeException if no answer comes in time, or it is a refusal
   */
  public void awaitAnswer() throws UserMistakeException, InterruptedException {
    awaitAnswer(REACHED_LIMIT, () -> {}, () -> false);
  }

  public boolean answers() throws InterruptedException {
    try {
      awaitAnswer();
      return true;
    } catch (UserMistakeException e) {
      return false;
    }
  }

  /**
   * Waits until the broker answers, and returns false if stopped.
   *
   * @param waiting called once, when the first answer does not come
   * @throws UserMistakeException if no answer comes within the limit, or it is a refusal
   */
  public boolean awaitAnswer(Duration limit, Runnable waiting, BooleanSupplier stopped)
      throws UserMistakeException, InterruptedException {
    long deadlineNs = MachineClock.monotonicNs() + limit.toNanos();
    boolean told = false;
    try (var quiet = LogFile.hushed("org.apache.kafka.clients.NetworkClient");
        var admin = clients().admin(ANSWER_LIMIT)) {
      while (!stopped.getAsBoolean()) {
        try {
          admin.describeCluster().nodes().get();
          return true;
        } catch (ExecutionException e) {
          Throwable cause = e.getCause() == null ? e : e.getCause();
          if (isRefusal(cause)) {
            throw refused(cause);
          }
          if (MachineClock.monotonicNs() - deadlineNs >= 0) {
            throw noAnswer(e);
          }
        }
        if (!told) {
          told = true;
          waiting.run();
        }
      }
    } catch (KafkaException e) {
      throw configFile == null ? noAnswer(e) : unusable(e);
    }
    return false;
  }

  private static boolean isRefusal(Throwable cause) {
    return cause instanceof AuthenticationException
        || cause instanceof AuthorizationException
        || cause instanceof UnsupportedVersionException;
  }

  private UserMistakeException noAnswer(Exception e) {
    return new UserMistakeException(
        clients.location(),
        "no Kafka answers there (" + bootstrapServers + ")",
        "it is not started, listens on another HOST:PORT, or wants its clients to log in"
            + " (--kafka-config FILE)",
        e);
  }

  private UserMistakeException refused(Throwable cause) {
    String maybe = "the mechanism, the name or the password is another";
    if (configFile == null) {
      maybe = "it wants its clients to log in: --kafka-config FILE says how";
    } else if (cause instanceof SslAuthenticationException) {
      maybe = "its certificate is not in ssl.truststore.location, or is for another host";
    }
    return new UserMistakeException(
        configFile == null ? clients.location() : configFile.toString(),
        "the Kafka at " + bootstrapServers + " refuses these clients (" + said(cause) + ")",
        maybe,
        cause);
  }

  private UserMistakeException unusable(KafkaException e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    if (String.valueOf(root.getMessage())
        .contains("JAAS")) { // the message quotes parts of the property
      return new UserMistakeException(
          String.valueOf(configFile),
          "the value of sasl.jaas.config is not of the form CLASS required name=\"value\" …;",
          "a quote or the semicolon at its end is missing");
    }
    return new UserMistakeException(
        String.valueOf(configFile),
        "Kafka's clients cannot be made with these properties (" + said(root) + ")",
        "a class, a file or a value in it is misspelt",
        e);
  }

  /** An error's text in one line, without secrets. */
  public String line(Throwable error) {
    return secrets.hide(String.valueOf(error.getMessage())).replaceAll("\\s+", " ");
  }

  /** An error's text in one line, without secrets and without its full stop. */
  private String said(Throwable error) {
    String text = line(error).strip();
    return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
  }
}
