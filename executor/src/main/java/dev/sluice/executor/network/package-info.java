/** Networks described once, and their writers for each engine. */
@NullMarked
package dev.sluice.executor.network;

import org.jspecify.annotations.NullMarked;
