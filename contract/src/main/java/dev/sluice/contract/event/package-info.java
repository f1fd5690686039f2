/** The records that stand in the log: what happened, in the past tense. */
@NullMarked
package dev.sluice.contract.event;

import org.jspecify.annotations.NullMarked;
