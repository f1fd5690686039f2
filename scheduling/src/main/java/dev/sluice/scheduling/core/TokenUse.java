package dev.sluice.scheduling.core;

/**
 * The memory of an executor that has not left.
 *
 * @param budget all of its tokens; {@link Long#MAX_VALUE}: unlimited, and so is what is free
 * @param free tokens that no batch holds; negative if the budget shrank below what is held
 */
public record TokenUse(String executorId, long budget, long free) {}
