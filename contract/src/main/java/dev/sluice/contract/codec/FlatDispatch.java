package dev.sluice.contract.codec;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.sluice.contract.event.BatchDispatched;
import dev.sluice.contract.event.Dispatch;
import dev.sluice.contract.event.LanePrepared;

/** JSON form of a dispatch. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = FlatBatch.class, name = "BatchDispatched"),
  @JsonSubTypes.Type(value = FlatPreparation.class, name = "LanePrepared")
})
sealed interface FlatDispatch permits FlatBatch, FlatPreparation {
  static FlatDispatch of(Dispatch dispatch) {
    return dispatch instanceof BatchDispatched batch
        ? FlatBatch.of(batch)
        : FlatPreparation.of((LanePrepared) dispatch);
  }

  /** Returns the dispatch. */
  Dispatch event();
}
