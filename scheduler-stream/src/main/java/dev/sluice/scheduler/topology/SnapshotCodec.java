package dev.sluice.scheduler.topology;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.SequenceWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.contract.log.EventCodec;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.policy.JobSpec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A core's entities as one sequence of JSON values, in chunks of any size. Each value is named
 * after its record; a job that waits, of which there may be very many, is an array without names.
 */
public final class SnapshotCodec {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES) // the version of an event
          .annotationIntrospector(new EventCodec.NothingMissing())
          .addMixIn(CoreEntity.class, Named.class)
          .addMixIn(CoreEntity.WaitingJob.class, WithoutNames.class)
          .addMixIn(JobSpec.class, WithoutNames.class)
          .build();

  private SnapshotCodec() {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, include = JsonTypeInfo.As.WRAPPER_OBJECT)
  private interface Named {}

  @JsonFormat(shape = JsonFormat.Shape.ARRAY)
  private interface WithoutNames {}

  /** Writes entities, chunk by chunk. */
  public static final class Writer {
    private final Iterator<CoreEntity> entities;

    /** Bytes that were written and not returned yet. */
    private final ByteArrayOutputStream left = new ByteArrayOutputStream();

    private final SequenceWriter json;

    /**
     * Begins to write.
     *
     * @param entities not changed from now on
     */
    public Writer(List<CoreEntity> entities) {
      this.entities = entities.iterator();
      try {
        json = MAPPER.writerFor(CoreEntity.class).writeValues(left);
      } catch (IOException e) {
        throw new IllegalStateException("memory cannot be written to", e);
      }
    }

    /**
     * Returns the next bytes; null after the last.
     *
     * @param size number of bytes, of which the last chunk alone has fewer
     */
    public byte @Nullable [] next(int size) {
      try {
        while (left.size() < size && entities.hasNext()) {
          json.write(entities.next());
        }
      } catch (IOException e) {
        throw new IllegalStateException("an entity that cannot be written", e);
      }
      byte[] written = left.toByteArray();
      int length = Math.min(size, written.length);
      left.reset();
      left.write(written, length, written.length - length);
      return length == 0 ? null : Arrays.copyOf(written, length);
    }
  }

  /**
   * Reads entities.
   *
   * @throws IOException if the bytes are no entities
   */
  public static List<CoreEntity> read(InputStream bytes) throws IOException {
    try (MappingIterator<CoreEntity> values =
        MAPPER.readerFor(CoreEntity.class).readValues(bytes)) {
      return values.readAll();
    }
  }
}
