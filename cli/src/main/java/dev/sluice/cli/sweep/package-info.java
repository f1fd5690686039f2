/**
 * The commands of {@code ./sluice sweep}: a class for each, which hands a record of options to the
 * harness.
 *
 * <p>Deliberately absent: the decision what runs next, which {@code harness.sweep} holds.
 */
@NullMarked
package dev.sluice.cli.sweep;

import org.jspecify.annotations.NullMarked;
