/** The policies, and the registry that names them. */
@NullMarked
package dev.sluice.scheduling.policies;

import org.jspecify.annotations.NullMarked;
