/** Files that a user writes: one located tree, ranges, and errors that name file and line. */
@NullMarked
package dev.sluice.contract.file;

import org.jspecify.annotations.NullMarked;
