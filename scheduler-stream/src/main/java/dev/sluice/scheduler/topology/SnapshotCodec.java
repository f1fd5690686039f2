package dev.sluice.scheduler.topology;

import static java.util.Map.entry;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.contract.value.JobId;
import dev.sluice.scheduling.driver.CoreEntity;
import dev.sluice.scheduling.driver.CoreEntity.WaitingJob;
import dev.sluice.scheduling.policy.JobSpec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A core's entities as one sequence of JSON values, in chunks of any size. An entity is an object
 * whose one field is named after its kind. A job that waits, of which there may be a million, is an
 * array of numbers, with its id unless that follows from its index; before the first job of a group
 * stands an array of what the jobs of the group have in common, and they name the group by its
 * place.
 */
public final class SnapshotCodec {
  private static final Map<String, Class<? extends CoreEntity>> KINDS =
      Map.ofEntries(
          entry("job", WaitingJob.class),
          entry("workflow", CoreEntity.Workflow.class),
          entry("batch", CoreEntity.RunningBatch.class),
          entry("lost", CoreEntity.LostBatch.class),
          entry("executor", CoreEntity.Executor.class),
          entry("lane", CoreEntity.Lane.class),
          entry("passed", CoreEntity.PassedOver.class),
          entry("mean", CoreEntity.RunningMean.class),
          entry("table", CoreEntity.Published.class),
          entry("device", CoreEntity.DeviceCorrection.class),
          entry("workload", CoreEntity.WorkloadCorrection.class),
          entry("samples", CoreEntity.SamplesCorrection.class),
          entry("seen", CoreEntity.Observed.class),
          entry("memory", CoreEntity.Remembered.class),
          entry("rate", CoreEntity.ArrivalCounts.class),
          entry("progress", CoreEntity.Progress.class));

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES) // the version of an event
          .build();

  private SnapshotCodec() {}

  /** What jobs of one source, class, model, size and promise have in common. */
  private record JobGroup(
      int source,
      String classType,
      String workload,
      String backend,
      String precision,
      int samples,
      int lanesNeeded,
      long sloNs) {
    static JobGroup of(JobSpec job) {
      return new JobGroup(
          job.source(),
          job.classType(),
          job.workload(),
          job.backend(),
          job.precision(),
          job.samples(),
          job.lanesNeeded(),
          job.sloNs());
    }

    List<Object> values() {
      return List.of(classType, workload, backend, precision, source, samples, lanesNeeded, sloNs);
    }

    // Written out, since a record's own go through method handles, which the quick compiler leaves
    // slow.
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof JobGroup group
          && samples == group.samples
          && sloNs == group.sloNs
          && source == group.source
          && lanesNeeded == group.lanesNeeded
          && workload.equals(group.workload)
          && classType.equals(group.classType)
          && backend.equals(group.backend)
          && precision.equals(group.precision);
    }

    @Override
    public int hashCode() {
      int names = workload.hashCode() + 31 * (classType.hashCode() + 31 * backend.hashCode());
      return samples + 31 * (Long.hashCode(sloNs) + 31 * (source + 31 * names));
    }
  }

  /** Writes entities, chunk by chunk. */
  public static final class Writer {
    private final Iterator<CoreEntity> entities;
    private final Map<JobGroup, Integer> groups = new HashMap<>();

    /** Bytes that were written and not returned yet. */
    private final ByteArrayOutputStream left = new ByteArrayOutputStream();

    private final JsonGenerator json;

    /**
     * Begins to write.
     *
     * @param entities not changed from now on
     */
    public Writer(List<CoreEntity> entities) {
      this.entities = entities.iterator();
      try {
        json = MAPPER.createGenerator(left).setRootValueSeparator(null);
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
          write(entities.next());
          json.flush();
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

    private void write(CoreEntity entity) throws IOException {
      if (entity instanceof WaitingJob job && job.spec().node() == null) {
        write(job);
      } else {
        String key = entity.key();
        int slash = key.indexOf('/');
        json.writePOJO(Map.of(slash < 0 ? key : key.substring(0, slash), entity));
      }
    }

    private void write(WaitingJob job) throws IOException {
      JobSpec spec = job.spec();
      JobGroup common = JobGroup.of(spec);
      Integer known = groups.get(common);
      int group = known == null ? groups.size() : known;
      if (known == null) {
        groups.put(common, group);
        json.writePOJO(common.values());
      }
      json.writeStartArray();
      json.writeNumber(group);
      if (JobId.index(spec.id()) != spec.index()) {
        json.writeString(spec.id());
      }
      json.writeNumber(spec.index());
      json.writeNumber(spec.intendedAtNs());
      json.writeNumber(job.entry());
      json.writeNumber(job.appendedAtNs());
      json.writeNumber(job.attempts());
      json.writeEndArray();
    }
  }

  /**
   * Reads entities.
   *
   * @throws IOException if the bytes are no entities
   */
  public static List<CoreEntity> read(InputStream bytes) throws IOException {
    List<CoreEntity> entities = new ArrayList<>();
    List<JobGroup> groups = new ArrayList<>();
    try (JsonParser json = MAPPER.createParser(bytes)) {
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        if (token == JsonToken.START_ARRAY) {
          if (json.nextToken() == JsonToken.VALUE_STRING) {
            groups.add(group(json));
          } else {
            entities.add(job(json, groups.get(json.getIntValue())));
          }
          expect(json, JsonToken.END_ARRAY);
        } else {
          expect(json, JsonToken.FIELD_NAME);
          Class<? extends CoreEntity> kind = KINDS.get(json.currentName());
          if (kind == null) {
            throw new IOException("no entity of the core is a " + json.currentName());
          }
          json.nextToken();
          entities.add(MAPPER.readValue(json, kind));
          expect(json, JsonToken.END_OBJECT);
        }
      }
    }
    return entities;
  }

  private static JobGroup group(JsonParser json) throws IOException {
    String classType = json.getText();
    String workload = json.nextTextValue();
    String backend = json.nextTextValue();
    String precision = json.nextTextValue();
    int source = (int) number(json);
    int samples = (int) number(json);
    int lanesNeeded = (int) number(json);
    return new JobGroup(
        source, classType, workload, backend, precision, samples, lanesNeeded, number(json));
  }

  private static WaitingJob job(JsonParser json, JobGroup group) throws IOException {
    String named = json.nextTextValue();
    long index = named == null ? json.getLongValue() : number(json);
    String id = named == null ? JobId.of(index) : named;
    long intendedAtNs = number(json);
    JobSpec spec =
        new JobSpec(
            id,
            group.source,
            index,
            group.classType,
            group.workload,
            group.backend,
            group.precision,
            group.samples,
            group.lanesNeeded,
            group.sloNs,
            intendedAtNs);
    long entry = number(json);
    long appendedAtNs = number(json);
    return new WaitingJob(spec, entry, appendedAtNs, (int) number(json));
  }

  private static long number(JsonParser json) throws IOException {
    expect(json, JsonToken.VALUE_NUMBER_INT);
    return json.getLongValue();
  }

  private static void expect(JsonParser json, JsonToken token) throws IOException {
    JsonToken next = json.nextToken();
    if (next != token) {
      throw new IOException("%s stands where a snapshot has %s".formatted(next, token));
    }
  }
}
