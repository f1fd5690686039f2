/**
 * The planner's search: the split of a model's layers over unlike devices, as stages that run one
 * behind the other. From a {@link PlanProblem} to a {@link PlanOutcome}; {@link Planner} is the
 * entry point, {@link Pricing} prices a given schedule by the same rules.
 *
 * <p>Units: times are {@code double} seconds, memory and what is sent are bytes, bandwidth is bits
 * a second. Layers count from 1, types and hosts from 0. Cut r lies behind layer r; cut 0 is the
 * model's input. Values within a share of 1e-12 are equal: equal layers give sums that differ in
 * their last bit.
 *
 * <p>Method. Splitting a chain over unlike processors is hard in general (Benoit and Robert 2008,
 * "Mapping pipeline skeletons onto heterogeneous platforms"), but hosts of a type are
 * interchangeable, so that a search's state is how many of each type are used, and a cut. {@link
 * ExactSearch} finds the least value of each state within a limit, and decides between equal plans:
 * {@link LatencySearch} deepens the limit, {@link ThroughputSearch} takes one that {@link
 * FarthestCuts} has found a plan for. {@link LayerWeights} drops states that cannot finish, and
 * bounds what is too large to search; its weights are the dual of a linear program in which each
 * host takes one whole stage, found by multiplicative updates (Arora, Hazan and Kale 2012, "The
 * multiplicative weights update method"). {@link PricedLayers} bounds latency by prices on hosts in
 * place of counts (Held and Karp 1970, "The traveling-salesman problem and minimum spanning
 * trees"). {@link BeamSearch} finds plans where there are too many states.
 *
 * <p>Deliberately absent: files, clocks (the caller says when time is up), threads, chance.
 */
@NullMarked
package dev.sluice.planning.split;

import org.jspecify.annotations.NullMarked;
