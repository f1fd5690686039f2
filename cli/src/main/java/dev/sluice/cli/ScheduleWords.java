package dev.sluice.cli;

import java.util.Stack;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Takes the words of {@code --schedule}: one, or two for {@code prefetch N}. */
final class ScheduleWords implements IParameterConsumer {
  private static final String PREFETCH = "prefetch";

  @Override
  @SuppressWarnings("JdkObsolete") // picocli's type
  public void consumeParameters(Stack<String> words, ArgSpec option, CommandSpec command) {
    if (words.isEmpty()) {
      throw new ParameterException(command.commandLine(), "--schedule needs a value");
    }
    String schedule = words.pop();
    if (schedule.equals(PREFETCH) && !words.isEmpty() && words.peek().matches("[0-9]{1,4}")) {
      schedule = schedule + " " + words.pop();
    }
    option.setValue(schedule);
  }
}
