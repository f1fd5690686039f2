/**
 * The files that a user writes for sweeps: scheduler_config.yml of a workspace, and grids of
 * experiments. Deliberately absent: whether what a file names exists; the harness looks.
 */
@NullMarked
package dev.sluice.contract.sweep;

import org.jspecify.annotations.NullMarked;
