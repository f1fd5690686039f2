package dev.sluice.cli;

import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.process.News;
import java.util.concurrent.Callable;

/** A command of {@link CheckoutCommands} whose library is missing. */
final class MissingCommand implements Callable<Integer> {
  private final String name;

  MissingCommand(String name) {
    this.name = name;
  }

  @Override
  public Integer call() {
    News.error(
        "sluice: error: this installation lacks the command (%s).\n".formatted(name)
            + "  Maybe run it in a checkout of Sluice, where ./sluice %s builds it."
                .formatted(name));
    return ExitStatus.MISTAKE;
  }
}
