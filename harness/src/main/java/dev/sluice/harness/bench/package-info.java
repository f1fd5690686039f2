/** Sluice's own speed. */
@NullMarked
package dev.sluice.harness.bench;

import org.jspecify.annotations.NullMarked;
