/**
 * Options that several commands share.
 *
 * <p>Deliberately absent: commands, which {@code cli} holds.
 */
@NullMarked
package dev.sluice.cli.option;

import org.jspecify.annotations.NullMarked;
