/** The roles: each as part of a run or as a process. */
@NullMarked
package dev.sluice.harness.role;

import org.jspecify.annotations.NullMarked;
