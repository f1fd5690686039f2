/**
 * Schedules of layers: lists that say when a layer's parameters are read, used and freed, for
 * models whose parameters do not fit. {@link ScheduleWalk} executes a list as a loop's hooks fire,
 * {@link ScheduleCheck} finds its faults before it runs, {@link ScheduleTime} says how long it
 * takes in virtual time, {@link Schedules} and {@link AutoSchedule} make lists.
 *
 * <p>Meaning of a list. A layer is resident from its prefetch or fetch to its release; its bytes
 * count against the budget from the one to the other, in the list's order. Layers are read one at a
 * time, in the list's order. A prefetch never waits; a fetch waits until the layer is there, and so
 * does a compute whose layer was only prefetched.
 *
 * <p>Units: times are nanoseconds, sizes are bytes; layers count from 0, lines from 1. Deliberately
 * absent: files, clocks, threads, engines, chance.
 */
@NullMarked
package dev.sluice.layers.schedule;

import org.jspecify.annotations.NullMarked;
