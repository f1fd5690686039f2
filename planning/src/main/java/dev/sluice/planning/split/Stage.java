package dev.sluice.planning.split;

/**
 * Consecutive layers on one host.
 *
 * @param type index of the host's type in {@link PlanProblem#types}
 * @param host index of the host in {@link DeviceType#hosts}
 * @param firstLayer at least 1
 * @param lastLayer at least firstLayer
 */
public record Stage(int type, int host, int firstLayer, int lastLayer) {}
