/** A policy, a figure and an arrival process as a stranger would write them in a jar of his own. */
@NullMarked
package dev.sluice.cli.added;

import org.jspecify.annotations.NullMarked;
