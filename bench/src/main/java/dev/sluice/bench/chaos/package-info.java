/**
 * Faults on the processes of a run that this process started, and the audit of the run: it reads
 * the run's kept topics and its folder, trusts no process's own counts, and names every fact that
 * cannot be true of a run that lost and doubled nothing.
 *
 * <p>Units: times are nanoseconds since time zero, named {@code …Ns}. Deliberately absent: faults
 * on processes of anybody else; the fold, the figures and the codecs that made the folder, whose
 * faults the audit would share.
 */
@NullMarked
package dev.sluice.bench.chaos;

import org.jspecify.annotations.NullMarked;
