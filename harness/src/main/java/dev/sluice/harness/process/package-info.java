/**
 * Processes: how a child is started, watched, signalled and restarted, what it tells its parent in
 * JSON lines, and where a process writes its log. No other package starts a process. Deliberately
 * absent: knowledge of what a child is for. Its exit status and its news are all that is used.
 */
@NullMarked
package dev.sluice.harness.process;

import org.jspecify.annotations.NullMarked;
