/** Measured service times: keys, rows, the plan of a profile and its file. */
@NullMarked
package dev.sluice.executor.profile;

import org.jspecify.annotations.NullMarked;
