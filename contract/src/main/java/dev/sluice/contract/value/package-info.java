/**
 * Values that several events hold: ids, a model's key, reasons; the range checks of records; and
 * the chance and the shared time that live and simulated parts compute alike. Deliberately absent:
 * anything that stands in a topic by itself.
 */
@NullMarked
package dev.sluice.contract.value;

import org.jspecify.annotations.NullMarked;
