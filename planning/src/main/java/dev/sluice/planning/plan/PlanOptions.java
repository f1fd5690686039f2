package dev.sluice.planning.plan;

import dev.sluice.planning.plan.PlanningFiles.Asked;
import dev.sluice.planning.split.SearchSettings.Objective;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Options of a plan.
 *
 * @param buffersIn buffers for what comes in, of each stage but the first, at least 0
 * @param buffersOut buffers for what goes out, of each stage, at least 0
 * @param evaluate schedule to be priced in place of a search; null: none
 * @param executeSeconds time for which micro-batches begin, as the plan then runs here; null: it
 *     does not
 */
public record PlanOptions(
    PlanningFiles files,
    Asked asked,
    int buffersIn,
    int buffersOut,
    Search search,
    @Nullable Path evaluate,
    @Nullable Double executeSeconds,
    Output output) {
  /**
   * What is searched, and how long.
   *
   * @param hostsMax the most hosts that a plan may use, at least 1
   * @param limitNs time after which the search ends with what it has found
   * @param whatIf change of the devices, such as {@code TYPE+2}, whose plan is shown beside; null:
   *     none
   */
  public record Search(Objective objective, int hostsMax, long limitNs, @Nullable String whatIf) {}

  /**
   * Where the plan goes, beside the YAML list on standard output.
   *
   * @param json true: JSON in place of the list
   * @param picture file of a picture; null: none
   * @param table true: a table on standard error
   */
  public record Output(boolean json, @Nullable Path picture, boolean table) {}
}
