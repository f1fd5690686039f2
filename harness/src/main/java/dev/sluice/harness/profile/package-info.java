/**
 * Profiles: service times and memory of models on this machine's lanes, measured into files, and
 * the report on the latency model that is trained from them.
 *
 * <p>Units: times are nanoseconds ({@code …Ns}) or milliseconds ({@code …Ms}), memory is bytes or
 * MiB ({@code …Mib}). Deliberately absent: the fitting itself, which is the executor's.
 */
@NullMarked
package dev.sluice.harness.profile;

import org.jspecify.annotations.NullMarked;
