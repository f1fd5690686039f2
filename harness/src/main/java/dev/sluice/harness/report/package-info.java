/**
 * Commands that tell of finished runs: {@code check}, {@code report}, {@code compare}, {@code
 * capacity}, and series that run two settings seed by seed. They find the folders and print what
 * was found.
 *
 * <p>Deliberately absent: proofs, pages and statistics, which {@code analytics} holds.
 */
@NullMarked
package dev.sluice.harness.report;

import org.jspecify.annotations.NullMarked;
