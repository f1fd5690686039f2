package dev.sluice.contract.event;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/**
 * Any record by which the roles of a run meet: its JSON carries the record's name as type, and its
 * version.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
public sealed interface Event permits Fact, Outcome, RunRecord, Dispatch, WindowRecord {
  /** Version of a record's fields that this build writes. */
  @Retention(RetentionPolicy.RUNTIME)
  @interface Version {
    int value();
  }

  @JsonProperty("version")
  default int version() {
    return versionOf(getClass());
  }

  /** The version of a type's fields that this build writes; 1 unless the type says more. */
  static int versionOf(Class<?> type) {
    Version version = type.getAnnotation(Version.class);
    return version == null ? 1 : version.value();
  }
}
