package dev.sluice.scheduling.core;

import dev.sluice.contract.event.Fact;
import dev.sluice.scheduling.policy.JobSpec;
import java.util.List;
import java.util.stream.Stream;

/** What a core takes in at one moment: facts, and then jobs of any number of lanes. */
public record Step(List<Fact> facts, List<JobSpec> jobs) {
  public static Step of(Fact fact) {
    return new Step(List.of(fact), List.of());
  }

  public static Step of(JobSpec job) {
    return new Step(List.of(), List.of(job));
  }

  public static Step together(Step... steps) {
    return new Step(
        Stream.of(steps).flatMap(step -> step.facts.stream()).toList(),
        Stream.of(steps).flatMap(step -> step.jobs.stream()).toList());
  }
}
