/**
 * The one main: reads the command line, picks clocks and seeds, starts the broker and the roles,
 * and shows a person what happens.
 *
 * <p>Deliberately absent: decisions about jobs, figures, and everything that a role can do itself.
 */
@NullMarked
package dev.sluice.cli;

import org.jspecify.annotations.NullMarked;
