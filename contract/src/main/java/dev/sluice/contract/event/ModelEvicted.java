package dev.sluice.contract.event;

import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;

/**
 * A lane has released a model from its memory. Topic {@code facts}.
 *
 * @param dispatchId the {@link LanePrepared} that had it released
 * @param atNs when the lane held it no more
 */
public record ModelEvicted(
    DispatchId dispatchId, String executorId, long incarnation, int lane, ModelKey model, long atNs)
    implements Fact {}
