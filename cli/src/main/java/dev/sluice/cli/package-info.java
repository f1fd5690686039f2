/**
 * The command line: one class for each command, those of the roles, of {@code layers} and of {@code
 * sweep} among them, and the options that several commands share ({@code …Options}). A command
 * reads options, checks what options alone can tell, hands one record of them to a runner, and
 * returns its exit status.
 *
 * <p>Deliberately absent: all that a runner can do itself, such as reading files or starting roles.
 */
@NullMarked
package dev.sluice.cli;

import org.jspecify.annotations.NullMarked;
