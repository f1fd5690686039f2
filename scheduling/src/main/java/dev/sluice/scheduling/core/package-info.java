/** The scheduling core: facts in, decisions out. */
@NullMarked
package dev.sluice.scheduling.core;

import org.jspecify.annotations.NullMarked;
