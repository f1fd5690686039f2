/** What every run has around it: its frame, its folder, its registries. */
@NullMarked
package dev.sluice.harness.frame;

import org.jspecify.annotations.NullMarked;
