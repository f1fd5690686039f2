/**
 * What an experiment says of a recording or a trace that it replays: keys below {@code arrivals}.
 *
 * <p>Units: times of a recording are seconds since its time zero. Deliberately absent: the reading
 * of the file that is named.
 */
@NullMarked
package dev.sluice.contract.replay;

import org.jspecify.annotations.NullMarked;
