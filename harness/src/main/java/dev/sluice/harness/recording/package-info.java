/**
 * Recording: requests, or a whole log, from a run's folder or from the topics of a Kafka into a
 * file. Topics are read by assignment: nothing is committed and nothing is created.
 *
 * <p>Units: times end in {@code Ns} or {@code EpochMs}. Deliberately absent: the format of the
 * file, which {@link dev.sluice.contract.recording} keeps.
 */
@NullMarked
package dev.sluice.harness.recording;

import org.jspecify.annotations.NullMarked;
