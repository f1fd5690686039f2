/**
 * The bench: measurements of Sluice's own speed and memory, each a class that fills rows of one
 * table. What could warm up or slow down another measurement runs in a process of its own.
 *
 * <p>Units stand in each row. Deliberately absent: verdicts on policies, which are runs' work.
 */
@NullMarked
package dev.sluice.bench;

import org.jspecify.annotations.NullMarked;
