package dev.sluice.contract.log;

import dev.sluice.contract.event.RunEnded;
import dev.sluice.contract.event.RunRecord;
import dev.sluice.contract.event.RunStarted;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A run whose topics are all on a broker, with a topic of runs that can be read.
 *
 * @param began time zero of the run, as text; null: the run never began
 * @param ended whether the run's end is in its log
 * @param failure reason why the run was given up; null: it was not
 * @param facts number of the run's facts, over all shards
 * @param topics names of the run's topics, including changelogs
 */
public record LeftRun(
    String runId,
    int shards,
    @Nullable String began,
    boolean ended,
    @Nullable String failure,
    long facts,
    List<String> topics) {
  private static final String SUFFIX = new Topics("").runs();

  public Topics ids() {
    return new Topics(runId);
  }

  /** All left runs of a broker, in the order of their ids. */
  public static List<LeftRun> all(LogClients kafka) throws InterruptedException {
    List<LeftRun> runs = new ArrayList<>();
    try (var admin = kafka.admin();
        var reader = TopicReader.open(kafka, Reading.UNCOMMITTED)) {
      Set<String> names = new TreeSet<>(admin.listTopics().names().get());
      for (String name : names) {
        if (name.endsWith(SUFFIX) && name.length() > SUFFIX.length()) {
          var topics = new Topics(name.substring(0, name.length() - SUFFIX.length()));
          if (names.containsAll(topics.all())) {
            int shards = 0;
            for (TopicDescription facts :
                admin.describeTopics(List.of(topics.facts())).allTopicNames().get().values()) {
              shards = facts.partitions().size();
            }
            LeftRun run = read(topics, RunTopics.of(topics, names), shards, reader);
            if (run != null) {
              runs.add(run);
            }
          }
        }
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("the broker's topics cannot be listed", e.getCause());
    }
    return runs;
  }

  /** Reads a run; null: the records in its topic of runs are not Sluice's. */
  private static @Nullable LeftRun read(
      Topics topics, List<String> names, int shards, TopicReader reader) {
    RunStarted started = null;
    RunEnded ended = null;
    for (Optional<RunRecord> record : reader.runs(topics)) {
      if (record.isEmpty()) {
        return null;
      } else if (record.get() instanceof RunStarted start && started == null) {
        started = start;
      } else if (record.get() instanceof RunEnded last && ended == null) {
        ended = last;
      }
    }
    List<TopicPartition> facts =
        IntStream.range(0, shards).mapToObj(i -> new TopicPartition(topics.facts(), i)).toList();
    return new LeftRun(
        topics.prefix(),
        shards,
        started == null ? null : Instant.ofEpochMilli(started.timeZeroEpochMs()).toString(),
        ended != null,
        ended == null ? null : ended.failure(),
        reader.count(facts),
        names);
  }
}
