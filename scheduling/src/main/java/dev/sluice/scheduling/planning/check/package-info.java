/**
 * A second opinion on plans. Deliberately absent: any code of the search or of its pricing.
 *
 * <p>Units are those of {@link dev.sluice.scheduling.planning}.
 */
@NullMarked
package dev.sluice.scheduling.planning.check;

import org.jspecify.annotations.NullMarked;
