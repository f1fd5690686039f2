/** Event records as facts of the core, and the core's answers as event records. */
@NullMarked
package dev.sluice.scheduler.translation;

import org.jspecify.annotations.NullMarked;
