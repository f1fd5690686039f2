package dev.sluice.scheduler.translation;

import static java.util.Map.entry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.scheduling.fact.CoreEntity;
import java.io.IOException;
import java.util.Map;

/** The core's entities as JSON in the store. The beginning of an entity's key names its kind. */
public final class EntityCodec {
  private static final Map<String, Class<? extends CoreEntity>> KINDS =
      Map.ofEntries(
          entry("job", CoreEntity.WaitingJob.class),
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
          entry("progress", CoreEntity.Progress.class));

  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES).build();

  private EntityCodec() {}

  public static byte[] write(CoreEntity entity) {
    try {
      return MAPPER.writeValueAsBytes(entity);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an entity that cannot be written: " + entity, e);
    }
  }

  public static CoreEntity read(String key, byte[] bytes) {
    int slash = key.indexOf('/');
    Class<? extends CoreEntity> kind = KINDS.get(slash < 0 ? key : key.substring(0, slash));
    if (kind == null) {
      throw new IllegalStateException("no entity of the core has the key " + key);
    }
    try {
      return MAPPER.readValue(bytes, kind);
    } catch (IOException e) {
      throw new IllegalStateException("the store's entry " + key + " cannot be read", e);
    }
  }
}
