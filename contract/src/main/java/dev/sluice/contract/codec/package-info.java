/**
 * Events as JSON bytes and back. A reader ignores fields that it does not know, and refuses bytes
 * that are no whole event. Deliberately absent: Kafka, and the names of topics.
 */
@NullMarked
package dev.sluice.contract.codec;

import org.jspecify.annotations.NullMarked;
