/**
 * The planner's search: the split of a model's layers over unlike devices, as stages that run one
 * behind the other. From a {@link PlanProblem} to a {@link PlanOutcome}; {@link Planner} is the
 * entry point, {@link Pricing} prices a given schedule by the same rules.
 *
 * <p>Units: times are {@code double} seconds, memory and what is sent are bytes, bandwidth is bits
 * a second. Layers count from 1, types and hosts from 0. Cut r lies behind layer r; cut 0 is the
 * model's input. Values within a share of 1e-12 are equal.
 *
 * <p>Deliberately absent: files, clocks (the caller says when time is up), threads, chance.
 */
@NullMarked
package dev.sluice.scheduling.planning;

import org.jspecify.annotations.NullMarked;
