/**
 * What runs of every kind share: the experiment with its clocks, the run's id, its folder and its
 * environment, exit statuses, and the roles' entries in the register.
 */
@NullMarked
package dev.sluice.harness.frame;

import org.jspecify.annotations.NullMarked;
