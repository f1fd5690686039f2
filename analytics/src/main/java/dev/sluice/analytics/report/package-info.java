/** What a run leaves: tables, summary and pictures. */
@NullMarked
package dev.sluice.analytics.report;

import org.jspecify.annotations.NullMarked;
