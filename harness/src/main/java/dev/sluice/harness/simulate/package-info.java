/** Experiments in virtual time. */
@NullMarked
package dev.sluice.harness.simulate;

import org.jspecify.annotations.NullMarked;
