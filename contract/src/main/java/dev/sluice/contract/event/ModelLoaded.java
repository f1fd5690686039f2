package dev.sluice.contract.event;

import dev.sluice.contract.value.DispatchId;
import dev.sluice.contract.value.ModelKey;
import org.jspecify.annotations.Nullable;

/**
 * A lane has loaded a model into its memory, or could not. Topic {@code facts}.
 *
 * @param dispatchId the {@link LanePrepared} that had it loaded
 * @param finishedAtNs when the lane held it, or had failed
 * @param cause why the lane does not hold it, in the failure's own words; null: it does
 */
public record ModelLoaded(
    DispatchId dispatchId,
    String executorId,
    long incarnation,
    int lane,
    ModelKey model,
    long startedAtNs,
    long finishedAtNs,
    @Nullable String cause)
    implements Fact {}
