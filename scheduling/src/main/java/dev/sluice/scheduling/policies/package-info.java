/**
 * The policies, each one class and one line in {@link Policies}, the package's one public type.
 *
 * <p>Deliberately absent: anything but the interface of policies and plain jobs. A policy keeps
 * nothing from one choice to the next.
 */
@NullMarked
package dev.sluice.scheduling.policies;

import org.jspecify.annotations.NullMarked;
