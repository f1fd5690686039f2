package dev.sluice.contract.log;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * What a producer is for, with its settings. Every producer waits for all replicas, and sends at
 * once unless {@link LogClients#gatheringProducer} made it.
 */
public enum Writing {
  /** Single records, each of which the caller may wait for. */
  SINGLE(Map.of(), Map.of()),

  /** Records that the log holds in the order of their sends, each once. */
  IN_ORDER(Map.of(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true), Map.of()),

  /** Facts of an executor: many, in order, and kept while the broker is away. */
  FACTS(oneRequestAtATime(), awayLimits()),

  /**
   * Jobs of a generator: as {@link #FACTS}. While the broker is away, the producer keeps its
   * metadata of the topics. Without the metadata each send would block until the broker answers,
   * instead of waiting in the buffer, and the jobs would be late. A request takes as many jobs as
   * have gathered, more than the 60 or so of Kafka's own limit.
   */
  ARRIVALS(oneRequestAtATime(), arrivals()),

  /** Last records of a process that gives up, when the broker itself may be the trouble. */
  LAST_WORD(lastWord(), Map.of());

  /**
   * Limit while a broker is away: it may be away for a minute, and needs some seconds to start. The
   * user's client properties may say otherwise.
   */
  private static final int BROKER_AWAY_MS_MAX = 90_000;

  /** Limit after which a broker that hangs is asked again. */
  private static final int REQUEST_MS_MAX = 10_000;

  private static final int LAST_WORD_MS_MAX = 5_000;

  /** Size of a request's part for one shard. A generator has room for 256 of them. */
  private static final int ARRIVALS_BYTES_MAX = 1 << 17;

  @SuppressWarnings("ImmutableEnumChecker") // a copy that cannot change
  private final Map<String, Object> settings;

  @SuppressWarnings("ImmutableEnumChecker") // a copy that cannot change
  private final Map<String, Object> defaults;

  /**
   * @param settings properties that override the user's client properties
   * @param defaults properties that the user's client properties override
   */
  Writing(Map<String, Object> settings, Map<String, Object> defaults) {
    Map<String, Object> all = new HashMap<>(settings);
    all.put(ProducerConfig.ACKS_CONFIG, "all");
    all.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    this.settings = Map.copyOf(all);
    this.defaults = Map.copyOf(defaults);
  }

  private static Map<String, Object> oneRequestAtATime() {
    // While one request is on its way the next one gathers: idle, nothing waits; busy, the broker
    // gets a few full requests instead of one for each record.
    return Map.of(
        ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
        true,
        ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
        1);
  }

  private static Map<String, Object> limits(int requestMs, int deliveryMs) {
    return Map.of(
        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, requestMs,
        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, deliveryMs,
        ProducerConfig.MAX_BLOCK_MS_CONFIG, deliveryMs);
  }

  private static Map<String, Object> awayLimits() {
    return limits(REQUEST_MS_MAX, BROKER_AWAY_MS_MAX);
  }

  private static Map<String, Object> arrivals() {
    Map<String, Object> defaults = new HashMap<>(awayLimits());
    defaults.put(CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG, "none");
    defaults.put(ProducerConfig.BATCH_SIZE_CONFIG, ARRIVALS_BYTES_MAX);
    return defaults;
  }

  private static Map<String, Object> lastWord() {
    Map<String, Object> settings = new HashMap<>(oneRequestAtATime());
    settings.putAll(limits(LAST_WORD_MS_MAX, LAST_WORD_MS_MAX));
    return settings;
  }

  /** The client properties with this purpose's settings over them and its defaults below. */
  Map<String, Object> over(Map<String, Object> properties) {
    Map<String, Object> all = new HashMap<>(defaults);
    all.putAll(properties);
    all.putAll(settings);
    return all;
  }
}
