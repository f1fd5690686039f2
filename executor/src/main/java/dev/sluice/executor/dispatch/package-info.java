/** Dispatches in, completions out. */
@NullMarked
package dev.sluice.executor.dispatch;

import org.jspecify.annotations.NullMarked;
