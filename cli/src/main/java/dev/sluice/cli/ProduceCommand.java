package dev.sluice.cli;

import dev.sluice.harness.role.ProduceRole;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "produce",
    description = {
      "Begins a run once each shard has a scheduler and lanes, sends its jobs at their times,"
          + " and ends it once each job has its outcome."
    },
    footer = {
      "  ./sluice produce configs/quickstart.yaml \\",
      "      --bootstrap localhost:9092 --run-id first"
    })
public final class ProduceCommand implements Callable<Integer> {
  @Mixin private RoleOptions options = new RoleOptions();

  @Option(
      names = "--resume",
      description = "Goes on with a run whose generators died; jobs due in the gap are not sent.")
  private boolean resume;

  @Option(
      names = "--after",
      hidden = true,
      description = "Begins once N processes, this one included, have joined.")
  private int after;

  @Override
  public Integer call() throws Exception {
    return ProduceRole.execute(options.settings(), resume, after);
  }
}
