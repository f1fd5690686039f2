/**
 * A second opinion on plans. Deliberately absent: any code of the search or of its pricing.
 *
 * <p>Units are those of {@link dev.sluice.planning.split}.
 */
@NullMarked
package dev.sluice.planning.check;

import org.jspecify.annotations.NullMarked;
