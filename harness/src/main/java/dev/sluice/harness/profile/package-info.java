/** Profiles of service times and memory, and the training from them. */
@NullMarked
package dev.sluice.harness.profile;

import org.jspecify.annotations.NullMarked;
