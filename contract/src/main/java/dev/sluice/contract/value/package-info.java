/**
 * Values that several events hold: ids, a model's key, reasons; and the range checks of records.
 * Deliberately absent: anything that stands in a topic by itself.
 */
@NullMarked
package dev.sluice.contract.value;

import org.jspecify.annotations.NullMarked;
