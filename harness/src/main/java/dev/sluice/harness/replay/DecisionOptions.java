package dev.sluice.harness.replay;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options of a replay of decisions, as the command line gives them.
 *
 * @param subject recording of a log, or folder of a run
 * @param with {@code key=value} of what is asked in place of the recorded; empty: nothing else
 * @param until {@code SHARD/OFFSET} of the fact before which the replay stops; null: none
 * @param salvage whether the whole lines of a recording that was cut short are taken
 * @param json whether the report is printed as JSON
 */
public record DecisionOptions(
    Path subject, List<String> with, @Nullable String until, boolean salvage, boolean json) {
  public DecisionOptions {
    with = List.copyOf(with);
  }
}
