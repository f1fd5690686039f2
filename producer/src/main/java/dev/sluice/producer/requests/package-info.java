/** The request list: which jobs come, when, and what they ask for. */
@NullMarked
package dev.sluice.producer.requests;

import org.jspecify.annotations.NullMarked;
