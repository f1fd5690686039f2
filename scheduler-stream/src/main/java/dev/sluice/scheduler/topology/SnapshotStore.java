package dev.sluice.scheduler.topology;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.scheduling.driver.CoreEntity;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.internals.WrappedStateStore;
import org.jspecify.annotations.Nullable;

/**
 * A shard's state, changelogged: a snapshot of the core, the offset of the last fact that it
 * covers, and the offset of the last fact of which the decisions are committed. The facts between
 * the two lead from the snapshot to the state at the commit, since decisions are a function of the
 * log. A snapshot is written only once the facts since the last one outweigh it, so that on average
 * a fact's cost does not depend on how many jobs wait.
 *
 * <p>A snapshot is taken at once and written in chunks, one with a fact, beside the one before,
 * which is in use until all chunks of the new one stand. The record that tells which one is in use
 * is written last. A scheduler that dies meanwhile therefore leaves the earlier snapshot.
 *
 * <p>Before a commit, Kafka Streams asks a store to write what it holds back, by {@link
 * #flushCache}.
 */
final class SnapshotStore extends WrappedStateStore<KeyValueStore<String, byte[]>, String, byte[]> {
  private static final String SNAPSHOT_KEY = "snapshot";
  private static final String POSITION_KEY = "position";

  private static final Map<String, String> CHANGELOG =
      Map.of(
          TopicConfig.SEGMENT_MS_CONFIG, "60000",
          TopicConfig.SEGMENT_BYTES_CONFIG, "16777216",
          TopicConfig.MAX_COMPACTION_LAG_MS_CONFIG, "120000",
          TopicConfig.DELETE_RETENTION_MS_CONFIG, "60000");

  private static final JsonMapper JSON = new JsonMapper();

  /** Form of snapshots; one of another form is not read, and all facts are applied again. */
  private static final int FORM = 5;

  /** About the bytes that a waiting job takes in a snapshot. */
  private static final long JOB_BYTES = 128;

  /**
   * Bytes of facts for each byte of a snapshot. They are applied again by a scheduler that takes
   * over; more snapshots would take a seventh of a busy scheduler's time.
   */
  private static final int FACTS_PER_SNAPSHOT = 4;

  /** Bytes of facts that let as many bytes of a snapshot be written. */
  private static final int FACT_BYTES_SHARE = 2;

  private final Pace pace;

  /** Name of the snapshot in use; 0: there is none yet. */
  private long inUse;

  /** Offset of the last fact that was applied; -1: none was. */
  private long appliedTo = -1;

  /** Offset that the inner store holds; -1: none. */
  private long position = -1;

  /** Bytes of the facts that the snapshot in use, or the one that is being written, lacks. */
  private long factBytes;

  private @Nullable Writing writing;

  /**
   * When snapshots are written.
   *
   * @param factBytesMin least bytes of facts between two snapshots
   * @param chunkBytes largest bytes of a record, far below a broker's limit
   */
  record Pace(int factBytesMin, int chunkBytes) {
    static final Pace DEFAULT = new Pace(1 << 20, 1 << 17);
  }

  /**
   * The record that tells of a snapshot.
   *
   * @param form its {@link #FORM}; 0: of the first form
   * @param name number that its chunks' keys begin with
   * @param chunks number of its chunks
   * @param crc32 CRC-32 of its bytes
   * @param offset offset of the last fact that it covers
   * @param run the fact that began the run, as text; null before the run
   */
  record Description(
      int form, long name, int chunks, long crc32, long offset, @Nullable String run) {}

  /**
   * What the store holds.
   *
   * @param offset offset of the last fact that the entities cover; -1: none
   * @param position offset of the last fact of which the decisions are committed; -1: none
   */
  record Held(List<CoreEntity> entities, @Nullable String run, long offset, long position) {}

  /** A snapshot that is being written. */
  private static final class Writing {
    final long name;
    final long offset;
    final @Nullable String run;
    final SnapshotCodec.Writer writer;
    final CRC32 crc32 = new CRC32();
    int chunks;
    long bytes;

    Writing(long name, long offset, @Nullable String run, List<CoreEntity> entities) {
      this.name = name;
      this.offset = offset;
      this.run = run;
      this.writer = new SnapshotCodec.Writer(entities);
    }
  }

  SnapshotStore(KeyValueStore<String, byte[]> inner, Pace pace) {
    super(inner);
    this.pace = pace;
  }

  /** Returns a builder of stores of this name, with a changelog. */
  static StoreBuilder<SnapshotStore> builder(String name, Pace pace) {
    return new Builder(
        Stores.keyValueStoreBuilder(
                Stores.inMemoryKeyValueStore(name), Serdes.String(), Serdes.ByteArray())
            .withCachingDisabled()
            .withLoggingEnabled(CHANGELOG),
        pace);
  }

  /**
   * Returns what the last commit or the restoration left, and forgets what was begun after it.
   *
   * @throws IllegalStateException if the snapshot is not whole
   */
  Held read() {
    forget();
    try {
      byte[] last = wrapped().get(POSITION_KEY);
      position = last == null ? -1 : JSON.readValue(last, Long.class);
      byte[] description = wrapped().get(SNAPSHOT_KEY);
      if (description == null) {
        return new Held(List.of(), null, -1, position);
      }
      Description snapshot = JSON.readValue(description, Description.class);
      inUse = snapshot.name;
      if (snapshot.form != FORM) {
        return new Held(List.of(), null, -1, position);
      }
      appliedTo = snapshot.offset;
      return new Held(
          SnapshotCodec.read(bytesOf(snapshot)), snapshot.run, snapshot.offset, position);
    } catch (IOException e) {
      throw new IllegalStateException("the state in the store cannot be read", e);
    }
  }

  private InputStream bytesOf(Description snapshot) {
    var crc32 = new CRC32();
    List<InputStream> streams = new ArrayList<>();
    for (int i = 0; i < snapshot.chunks; i++) {
      byte[] chunk = wrapped().get(key(snapshot.name, i));
      if (chunk == null) {
        throw new IllegalStateException(
            "chunk (%d) of %d of the snapshot at fact %d is missing"
                .formatted(i, snapshot.chunks, snapshot.offset));
      }
      crc32.update(chunk);
      streams.add(new ByteArrayInputStream(chunk));
    }
    if (crc32.getValue() != snapshot.crc32) {
      throw new IllegalStateException(
          "the snapshot at fact %d has the CRC-32 %d instead of %d"
              .formatted(snapshot.offset, crc32.getValue(), snapshot.crc32));
    }
    return new SequenceInputStream(Collections.enumeration(streams));
  }

  /** Returns the offset of the last fact that was applied, or that the state covers; -1: none. */
  long appliedTo() {
    return appliedTo;
  }

  /** Notes a fact that was applied, and writes more of a snapshot that was begun. */
  void applied(long offset, int bytes) {
    appliedTo = offset;
    factBytes += bytes;
    if (writing != null && writing.bytes < FACT_BYTES_SHARE * factBytes) {
      writeMore(writing);
    }
  }

  /** Returns whether the facts since the last snapshot weigh four times the next one. */
  boolean isDue(int waiting) {
    return writing == null
        && factBytes >= pace.factBytesMin + FACTS_PER_SNAPSHOT * JOB_BYTES * waiting;
  }

  /**
   * Takes a snapshot that covers all facts so far, and begins to write it.
   *
   * @param run the fact that began the run, as text; null before the run
   */
  void begin(@Nullable String run, List<CoreEntity> entities) {
    factBytes = 0;
    Writing begun = new Writing(inUse + 1, appliedTo, run, entities);
    writing = begun;
    writeMore(begun);
  }

  private void writeMore(Writing snapshot) {
    byte[] chunk = snapshot.writer.next(pace.chunkBytes);
    if (chunk != null) {
      wrapped().put(key(snapshot.name, snapshot.chunks++), chunk);
      snapshot.bytes += chunk.length;
      snapshot.crc32.update(chunk);
    }
    if (chunk == null || chunk.length < pace.chunkBytes) {
      use(snapshot);
    }
  }

  private void use(Writing snapshot) {
    wrapped()
        .put(
            SNAPSHOT_KEY,
            json(
                new Description(
                    FORM,
                    snapshot.name,
                    snapshot.chunks,
                    snapshot.crc32.getValue(),
                    snapshot.offset,
                    snapshot.run)));
    inUse = snapshot.name;
    writing = null;
    Set<String> old = new HashSet<>();
    try (var all = wrapped().all()) {
      all.forEachRemaining(entry -> old.add(entry.key));
    }
    old.removeAll(List.of(SNAPSHOT_KEY, POSITION_KEY));
    for (int i = 0; i < snapshot.chunks; i++) {
      old.remove(key(snapshot.name, i));
    }
    old.forEach(wrapped()::delete); // those of the snapshot before, or of one that was not finished
  }

  private static String key(long name, int chunk) {
    return name + "/" + chunk;
  }

  private static byte[] json(Object value) {
    try {
      return JSON.writeValueAsBytes(value);
    } catch (IOException e) {
      throw new IllegalStateException("a value that cannot be written: " + value, e);
    }
  }

  private void forget() {
    inUse = 0;
    appliedTo = -1;
    position = -1;
    factBytes = 0;
    writing = null;
  }

  @Override
  public void flushCache() {
    if (appliedTo > position) {
      position = appliedTo;
      wrapped().put(POSITION_KEY, json(position));
    }
  }

  @Override
  public void clearCache() {
    forget();
  }

  @Override
  public void close() {
    forget();
    super.close();
  }

  private record Builder(StoreBuilder<KeyValueStore<String, byte[]>> inner, Pace pace)
      implements StoreBuilder<SnapshotStore> {
    @Override
    public StoreBuilder<SnapshotStore> withCachingEnabled() {
      return this; // this store holds back one number, and caches nothing
    }

    @Override
    public StoreBuilder<SnapshotStore> withCachingDisabled() {
      return this; // called for every store if the cache of Kafka Streams is off
    }

    @Override
    public StoreBuilder<SnapshotStore> withLoggingEnabled(Map<String, String> config) {
      return new Builder(inner.withLoggingEnabled(config), pace);
    }

    @Override
    public StoreBuilder<SnapshotStore> withLoggingDisabled() {
      return new Builder(inner.withLoggingDisabled(), pace);
    }

    @Override
    public SnapshotStore build() {
      return new SnapshotStore(inner.build(), pace);
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
