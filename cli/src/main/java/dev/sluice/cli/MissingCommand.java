package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import java.util.concurrent.Callable;

/** A command of {@link CheckoutCommands} whose library is missing. */
final class MissingCommand implements Callable<Integer> {
  private final String name;

  MissingCommand(String name) {
    this.name = name;
  }

  @Override
  public Integer call() throws UserMistakeException {
    throw new UserMistakeException(
        "sluice",
        "this installation lacks the command (%s)".formatted(name),
        "run it in a checkout of Sluice, where ./sluice %s builds it".formatted(name));
  }
}
