/**
 * Files that say when the layers of a model are fetched, computed, released and prefetched. {@link
 * dev.sluice.contract.layers.ScheduleFile} reads and writes them. Deliberately absent: what a list
 * means, and whether it can run.
 */
@NullMarked
package dev.sluice.contract.layers;

import org.jspecify.annotations.NullMarked;
