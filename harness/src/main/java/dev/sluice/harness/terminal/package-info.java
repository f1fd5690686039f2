/**
 * Lines on a terminal: plain ones, aligned items, and one live line that is drawn anew.
 * Deliberately absent: logging, which goes to a file.
 */
@NullMarked
package dev.sluice.harness.terminal;

import org.jspecify.annotations.NullMarked;
