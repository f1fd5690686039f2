/** The generators: they begin a run, send its requests at their times, and end it. */
@NullMarked
package dev.sluice.producer.generator;

import org.jspecify.annotations.NullMarked;
