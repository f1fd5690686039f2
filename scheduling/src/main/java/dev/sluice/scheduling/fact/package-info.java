/** What goes into the core, what comes out of it, and what it keeps. */
@NullMarked
package dev.sluice.scheduling.fact;

import org.jspecify.annotations.NullMarked;
