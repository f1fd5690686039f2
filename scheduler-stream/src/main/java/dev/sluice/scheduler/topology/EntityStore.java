package dev.sluice.scheduler.topology;

import dev.sluice.scheduler.translation.EntityCodec;
import dev.sluice.scheduling.fact.CoreEntity;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.internals.CacheFlushListener;
import org.apache.kafka.streams.state.internals.CachedStateStore;
import org.jspecify.annotations.Nullable;

/**
 * The core's entities, changelogged and written behind: a changed entity is held back as an object
 * for some hundred changes, at most until the topology commits, and only then becomes bytes in the
 * store and a record in the changelog. A job that came and went meanwhile leaves no trace in
 * either. Nothing is lost, since facts that a commit did not cover are read and decided again.
 *
 * <p>By {@code CachedStateStore} Kafka Streams asks a store to write what it holds back before a
 * commit. Its own caching would turn every change into bytes, and leave a tombstone of every job.
 */
final class EntityStore implements StateStore, CachedStateStore<String, byte[]> {
  /** Key of the entry for the run itself; no entity of the core has this key. */
  private static final String RUN_KEY = "run";

  /**
   * Settings of the changelog. Ended jobs leave tombstones, so that old segments must be compacted
   * within a run of hours.
   */
  private static final Map<String, String> CHANGELOG =
      Map.of(
          TopicConfig.SEGMENT_MS_CONFIG, "60000",
          TopicConfig.SEGMENT_BYTES_CONFIG, "16777216",
          TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG, "0.1",
          TopicConfig.MAX_COMPACTION_LAG_MS_CONFIG, "120000",
          TopicConfig.DELETE_RETENTION_MS_CONFIG, "60000");

  /**
   * Largest number of changes held back: a commit must write them all at once, while the lanes
   * wait.
   */
  private static final int HELD_BACK_MAX = 256;

  private static final int WRITTEN_BY_FACT = 2;

  private final KeyValueStore<String, byte[]> inner;

  /** Changes since the last commit that were not written, by key; empty: the entity was removed. */
  private final Map<String, Optional<CoreEntity>> changed = new LinkedHashMap<>();

  /** Keys of the inner store. */
  private final Set<String> keptKeys = new HashSet<>();

  EntityStore(KeyValueStore<String, byte[]> inner) {
    this.inner = inner;
  }

  /** Returns a builder of stores of this name, with a changelog. */
  static StoreBuilder<EntityStore> builder(String name) {
    return new Builder(
        Stores.keyValueStoreBuilder(
                Stores.inMemoryKeyValueStore(name), Serdes.String(), Serdes.ByteArray())
            .withCachingDisabled()
            .withLoggingEnabled(CHANGELOG));
  }

  /** Returns all entities in the store, as the last commit or the restoration left them. */
  List<CoreEntity> entities() {
    List<CoreEntity> entities = new ArrayList<>();
    changed.clear();
    keptKeys.clear();
    try (var all = inner.all()) {
      while (all.hasNext()) {
        KeyValue<String, byte[]> entry = all.next();
        if (!entry.key.equals(RUN_KEY)) {
          keptKeys.add(entry.key);
          entities.add(EntityCodec.read(entry.key, entry.value));
        }
      }
    }
    return entities;
  }

  void put(CoreEntity entity) {
    changed.put(entity.key(), Optional.of(entity));
  }

  void remove(String key) {
    if (keptKeys.contains(key)) {
      changed.put(key, Optional.empty());
    } else {
      changed.remove(key);
    }
  }

  /** Returns the fact that began the run, as bytes; null before the run. */
  byte @Nullable [] run() {
    return inner.get(RUN_KEY);
  }

  void putRun(byte[] fact) {
    inner.put(RUN_KEY, fact);
  }

  /** Writes the oldest changes. Called after each fact, so that no commit has much to write. */
  void writeOldest() {
    for (int i = 0; i < WRITTEN_BY_FACT && changed.size() > HELD_BACK_MAX; i++) {
      var oldest = changed.entrySet().iterator();
      var entry = oldest.next();
      oldest.remove();
      write(entry.getKey(), entry.getValue());
    }
  }

  @Override
  public void flushCache() {
    changed.forEach(this::write);
    changed.clear();
  }

  private void write(String key, Optional<CoreEntity> entity) {
    if (entity.isPresent()) {
      inner.put(key, EntityCodec.write(entity.get()));
      keptKeys.add(key);
    } else {
      inner.delete(key);
      keptKeys.remove(key);
    }
  }

  @Override
  public void clearCache() {
    changed.clear();
  }

  @Override
  public boolean setFlushListener(
      CacheFlushListener<String, byte[]> listener, boolean sendOldValues) {
    return false;
  }

  @Override
  public String name() {
    return inner.name();
  }

  @Override
  public void init(StateStoreContext context, StateStore root) {
    inner.init(context, root);
  }

  @Override
  public void commit(Map<TopicPartition, Long> changelogOffsets) {
    inner.commit(changelogOffsets);
  }

  @Override
  public @Nullable Long committedOffset(TopicPartition partition) {
    return inner.committedOffset(partition);
  }

  @Override
  public Position getPosition() {
    return inner.getPosition();
  }

  @Override
  public void close() {
    changed.clear();
    keptKeys.clear();
    inner.close();
  }

  @Override
  public boolean persistent() {
    return false;
  }

  @Override
  public boolean isOpen() {
    return inner.isOpen();
  }

  private record Builder(StoreBuilder<KeyValueStore<String, byte[]>> inner)
      implements StoreBuilder<EntityStore> {
    @Override
    public StoreBuilder<EntityStore> withCachingEnabled() {
      return this; // this store is written behind in any case
    }

    @Override
    public StoreBuilder<EntityStore> withCachingDisabled() {
      return this; // called for every store if the cache of Kafka Streams is off
    }

    @Override
    public StoreBuilder<EntityStore> withLoggingEnabled(Map<String, String> config) {
      return new Builder(inner.withLoggingEnabled(config));
    }

    @Override
    public StoreBuilder<EntityStore> withLoggingDisabled() {
      return new Builder(inner.withLoggingDisabled());
    }

    @Override
    public EntityStore build() {
      return new EntityStore(inner.build());
    }

    @Override
    public Map<String, String> logConfig() {
      return inner.logConfig();
    }

    @Override
    public boolean loggingEnabled() {
      return inner.loggingEnabled();
    }

    @Override
    public String name() {
      return inner.name();
    }
  }
}
