/** Values that several events hold, and the checks that their records make. */
@NullMarked
package dev.sluice.contract.value;

import org.jspecify.annotations.NullMarked;
