/**
 * Files that a user writes or has: one located tree for YAML and JSON, ranges, errors that name
 * file and line, and rows of large files (CSV or JSON Lines, compressed or not) under the names of
 * their columns, at a million rows a second. Numbers and dates of rows are read in whole numbers,
 * rounded down to the nanosecond.
 *
 * <p>Deliberately absent: what keys and columns mean.
 */
@NullMarked
package dev.sluice.contract.file;

import org.jspecify.annotations.NullMarked;
