package dev.sluice.contract.log;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * What a consumer is for, with its settings. No consumer has a group, commits offsets or makes a
 * topic by asking for it. Fetch sizes that a purpose leaves open are the user's.
 */
public enum Reading {
  /** Each record as soon as it is in the log, committed or not: an executor's dispatches. */
  AT_ONCE("read_uncommitted", "earliest", Map.of(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 1)),

  /** Every record, committed or not, at the user's fetch sizes. */
  UNCOMMITTED("read_uncommitted", "earliest", Map.of()),

  /** Committed records alone, at the user's fetch sizes. */
  COMMITTED("read_committed", "earliest", Map.of()),

  /** Every record, in large answers: a small answer costs the broker as much as a large one. */
  IN_NO_HURRY("read_uncommitted", "earliest", fetching(65_536, 100)),

  /** Committed records alone, in large answers. */
  COMMITTED_IN_NO_HURRY("read_committed", "earliest", fetching(65_536, 100)),

  /** Every record of a topic from its beginning: the reader fails if one is gone. */
  WITHOUT_GAP("read_uncommitted", "none", Map.of()),

  /** Every committed record of a run, in the largest answers: analytics, which may lag a little. */
  WHOLE_RUN("read_committed", "none", polling(fetching(262_144, 200))),

  /** Every committed record of a run that is in the log already: no answer waits for more. */
  WHOLE_LOG("read_committed", "none", polling(fetching(1, 100)));

  @SuppressWarnings("ImmutableEnumChecker") // a copy that cannot change
  private final Map<String, Object> settings;

  Reading(String isolationLevel, String offsetReset, Map<String, Object> fetching) {
    Map<String, Object> settings = new HashMap<>(fetching);
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolationLevel);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, offsetReset);
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    this.settings = Map.copyOf(settings);
  }

  private static Map<String, Object> fetching(int bytesMin, int waitMsMax) {
    return Map.of(
        ConsumerConfig.FETCH_MIN_BYTES_CONFIG, bytesMin,
        ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, waitMsMax);
  }

  private static Map<String, Object> polling(Map<String, Object> fetching) {
    Map<String, Object> settings = new HashMap<>(fetching);
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 2000);
    return settings;
  }

  /** The client properties with this purpose's settings over them. */
  Map<String, Object> over(Map<String, Object> properties) {
    Map<String, Object> all = new HashMap<>(properties);
    all.putAll(settings);
    return all;
  }
}
