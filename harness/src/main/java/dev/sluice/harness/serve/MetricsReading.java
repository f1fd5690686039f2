package dev.sluice.harness.serve;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import dev.sluice.analytics.live.MetricsCsv;
import dev.sluice.contract.event.BatchesEnded;
import dev.sluice.contract.event.MetricsWindow;
import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.event.WindowRecord;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.contract.log.Reading;
import dev.sluice.contract.log.TopicReader;
import dev.sluice.contract.log.Topics;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.kafka.KafkaAccess;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.harness.process.LogFile;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Follows the topic {@code metrics} of a run to the run's end.
 *
 * @param csv true if seconds are written as rows of metrics.csv, false if records as JSON Lines
 * @param fromBeginning true if all records are read, false if those that are still to come
 * @param out where the lines go; it is closed
 * @param said takes a line for a person
 */
public record MetricsReading(
    String bootstrap,
    @Nullable Path kafkaConfig,
    String runId,
    boolean csv,
    boolean fromBeginning,
    OutputStream out,
    java.util.function.Consumer<String> said) {
  /** Limit of the wait for a broker that is away. */
  private static final Duration AWAY_LIMIT = Duration.ofSeconds(60);

  private static final Duration POLL = Duration.ofMillis(200);

  /** Time without a record after which the broker is asked whether any can follow. */
  private static final long SILENCE_NS = 5_000_000_000L;

  /** Time after which analytics of an ended run has written its last record, or never will. */
  private static final long LAST_RECORD_LIMIT_NS = 60_000_000_000L;

  /**
   * Writes what the topic holds and gets, until the run has ended or nobody reads any more.
   *
   * @return the exit status: 1 if records were taken away, or never came
   */
  public int execute() throws UserMistakeException, InterruptedException {
    RunFolder.checkId(runId);
    KafkaAccess kafka = KafkaAccess.reached(bootstrap, kafkaConfig, () -> false);
    try (var quiet = LogFile.hushed("org.apache.kafka.clients");
        Consumer<byte[], byte[]> consumer = kafka.clients().consumer(Reading.AT_ONCE, AWAY_LIMIT)) {
      var topics = new Topics(runId);
      Set<String> all = consumer.listTopics().keySet();
      if (!all.contains(topics.metrics())) {
        throw missing(all);
      }
      return follow(kafka, topics, consumer);
    } catch (UncheckedIOException e) {
      return notWritten(requireNonNull(e.getCause()));
    } catch (IOException e) {
      return notWritten(e);
    } catch (KafkaException e) {
      throw new UserMistakeException(
          "--bootstrap",
          "the topics of (" + runId + ") cannot be read (" + kafka.line(e) + ")",
          "these clients lack the right to, or the Kafka is gone",
          e);
    }
  }

  private static int notWritten(IOException e) throws UserMistakeException {
    String reason = UserMistakeException.reason(e);
    if (reason.contains("broken pipe")) {
      return ExitStatus.DONE; // the other end has what it wanted
    }
    throw new UserMistakeException(
        "standard output", "it cannot be written (" + reason + ")", "the disk is full", e);
  }

  private UserMistakeException missing(Set<String> all) {
    String suffix = new Topics("").metrics();
    List<String> runs =
        all.stream()
            .filter(name -> name.endsWith(suffix))
            .map(name -> name.substring(0, name.length() - suffix.length()))
            .sorted()
            .toList();
    return new UserMistakeException(
        "--run-id",
        "no run with this id has topics there (" + runId + ")",
        NearestName.of(runId, runs)
            .map(name -> "you meant " + name)
            .orElse(
                "it has not begun, or has ended and taken its topics away, which --keep-topics"
                    + " prevents"));
  }

  private int follow(KafkaAccess kafka, Topics topics, Consumer<byte[], byte[]> consumer)
      throws IOException {
    var partition = new TopicPartition(topics.metrics(), 0);
    consumer.assign(List.of(partition));
    try (var json = new BufferedOutputStream(out);
        var rows = csv ? MetricsCsv.to(new OutputStreamWriter(json, UTF_8)) : null) {
      flush(json, rows);
      if (fromBeginning) {
        consumer.seekToBeginning(List.of(partition));
      } else if (endsThere(partition, consumer)) {
        said.accept("The run has ended; --from-beginning writes all of it.");
        return ExitStatus.DONE;
      }
      long lastNs = MachineClock.monotonicNs();
      long askedNs = lastNs;
      while (true) {
        ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
        for (ConsumerRecord<byte[], byte[]> record : records) {
          if (write(record.value(), json, rows)) {
            return ExitStatus.DONE;
          }
        }
        long nowNs = MachineClock.monotonicNs();
        if (!records.isEmpty()) {
          flush(json, rows);
          lastNs = nowNs;
        } else if (nowNs - Math.max(lastNs, askedNs) > SILENCE_NS) {
          askedNs = nowNs;
          String why = whyNothingFollows(kafka, topics, consumer, nowNs - lastNs);
          if (why != null) {
            said.accept("sluice: error: " + why);
            return ExitStatus.BUG;
          }
        }
      }
    }
  }

  /** Goes to the topic's end; returns whether the record before it is the run's last one. */
  private static boolean endsThere(TopicPartition partition, Consumer<byte[], byte[]> consumer) {
    long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
    boolean last = false;
    consumer.seek(partition, Math.max(0, end - 1));
    while (consumer.position(partition) < end) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL).records(partition)) {
        last |= EventCodec.METRICS.find(record.value()).orElse(null) instanceof RunSummarized;
      }
    }
    return last;
  }

  private static @Nullable String whyNothingFollows(
      KafkaAccess kafka, Topics topics, Consumer<byte[], byte[]> consumer, long silentNs) {
    if (!consumer.listTopics().containsKey(topics.metrics())) {
      return "the topics of the run went away before its last record was read.\n"
          + "  Maybe --keep-topics with the run leaves them there, or the run was removed.";
    }
    if (silentNs > LAST_RECORD_LIMIT_NS && hasEnded(kafka, topics)) {
      return "the run has ended, and analytics wrote no last record.\n"
          + "  Maybe analytics died: ./sluice analyze, started again, writes what is missing.";
    }
    return null;
  }

  private static boolean hasEnded(KafkaAccess kafka, Topics topics) {
    try (var reader = TopicReader.open(kafka.clients(), Reading.UNCOMMITTED)) {
      return reader.runs(topics).stream().anyMatch(r -> r.orElse(null) instanceof RunEnded);
    }
  }

  /**
   * Writes a record, unless it is of batches that ended; true if it was the run's last one. JSON of
   * a later version is written whole.
   */
  private static boolean write(
      byte @Nullable [] value, OutputStream json, @Nullable MetricsCsv rows) throws IOException {
    if (value == null) {
      return false;
    }
    WindowRecord record = EventCodec.METRICS.find(value).orElse(null); // null: a later type
    if (rows == null && record instanceof BatchesEnded) {
      return false; // many, and of use to a page alone
    } else if (rows == null) {
      json.write(value);
      json.write('\n');
    } else if (record instanceof MetricsWindow window) {
      rows.write(window);
    }
    return record instanceof RunSummarized;
  }

  private static void flush(OutputStream json, @Nullable MetricsCsv rows) throws IOException {
    if (rows != null) {
      rows.flush();
    }
    json.flush();
  }
}
