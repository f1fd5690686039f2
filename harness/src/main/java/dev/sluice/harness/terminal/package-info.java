/** What a person reads while a command goes on. */
@NullMarked
package dev.sluice.harness.terminal;

import org.jspecify.annotations.NullMarked;
