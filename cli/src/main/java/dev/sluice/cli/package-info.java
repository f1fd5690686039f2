/**
 * The command line: one class for each command. A command reads options, checks what options alone
 * can tell, hands one record of them to a runner of the harness, and returns its exit status.
 *
 * <p>Deliberately absent: whatever a runner can do itself, such as reading files or starting roles.
 */
@NullMarked
package dev.sluice.cli;

import org.jspecify.annotations.NullMarked;
