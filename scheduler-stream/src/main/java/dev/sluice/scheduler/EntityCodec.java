package dev.sluice.scheduler;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.scheduling.CoreEntity;
import java.io.IOException;
import java.util.Map;

/** The core's entities as JSON in the store. The kind of an entity is the head of its key. */
final class EntityCodec {
  private static final Map<String, Class<? extends CoreEntity>> KINDS =
      Map.of(
          "job", CoreEntity.WaitingJob.class,
          "batch", CoreEntity.RunningBatch.class,
          "lost", CoreEntity.LostBatch.class,
          "executor", CoreEntity.Executor.class,
          "lane", CoreEntity.Lane.class,
          "passed", CoreEntity.PassedOver.class,
          "mean", CoreEntity.RunningMean.class,
          "progress", CoreEntity.Progress.class);

  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES).build();

  private EntityCodec() {}

  static byte[] write(CoreEntity entity) {
    try {
      return MAPPER.writeValueAsBytes(entity);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an entity that can not be written: " + entity, e);
    }
  }

  static CoreEntity read(String key, byte[] bytes) {
    int slash = key.indexOf('/');
    Class<? extends CoreEntity> kind = KINDS.get(slash < 0 ? key : key.substring(0, slash));
    if (kind == null) {
      throw new IllegalStateException("no entity of the core has the key " + key);
    }
    try {
      return MAPPER.readValue(bytes, kind);
    } catch (IOException e) {
      throw new IllegalStateException("the store's entry " + key + " can not be read", e);
    }
  }
}
