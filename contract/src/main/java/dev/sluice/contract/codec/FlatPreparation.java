package dev.sluice.contract.codec;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sluice.contract.event.LanePrepared;
import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import java.util.List;

/** JSON form of a {@link LanePrepared}: its own fields, in their order. */
record FlatPreparation(
    DispatchId dispatchId,
    String executorId,
    long incarnation,
    int lane,
    List<ModelKey> releases,
    List<ModelKey> loads,
    long decidedAtNs)
    implements FlatDispatch {
  FlatPreparation {
    requireNonNull(dispatchId, "dispatchId");
    requireNonNull(executorId, "executorId");
    releases = List.copyOf(releases);
    loads = List.copyOf(loads);
  }

  static FlatPreparation of(LanePrepared prepared) {
    return new FlatPreparation(
        prepared.dispatchId(),
        prepared.executorId(),
        prepared.incarnation(),
        prepared.lane(),
        prepared.releases(),
        prepared.loads(),
        prepared.decidedAtNs());
  }

  @Override
  public LanePrepared event() {
    return new LanePrepared(
        dispatchId, executorId, incarnation, lane, releases, loads, decidedAtNs);
  }

  @JsonProperty("version")
  int version() {
    return LanePrepared.VERSION;
  }
}
