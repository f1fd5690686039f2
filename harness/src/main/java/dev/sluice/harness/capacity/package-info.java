/** The command {@code capacity}: the highest rate that keeps a target, policy by policy. */
@NullMarked
package dev.sluice.harness.capacity;

import org.jspecify.annotations.NullMarked;
