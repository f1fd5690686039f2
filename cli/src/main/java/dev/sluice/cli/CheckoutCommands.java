package dev.sluice.cli;

import dev.sluice.contract.file.UserMistakeException;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Commands that a checkout of Sluice has and an installation lacks: they measure Sluice itself and
 * harm its processes, which is for its developers. A library beside the product brings their
 * classes; {@link ServiceLoader} finds it. Where it is missing, each of them says so.
 */
public interface CheckoutCommands {
  /** The first line of {@code bench --help}. */
  String BENCH = "Measures Sluice's own speed, as its users feel it.";

  /** The first line of {@code chaos --help}. */
  String CHAOS =
      "Runs an experiment with each role as a process, inflicts faults on them, and audits the"
          + " log.";

  /** Returns the classes of the commands, each with picocli's annotation. */
  List<Class<?>> commands();

  static List<Class<?>> found() {
    return ServiceLoader.load(CheckoutCommands.class).stream()
        .flatMap(library -> library.get().commands().stream())
        .toList();
  }

  /** Adds commands that say that they are missing, for those that were not found. */
  static void addMissing(CommandLine sluice) {
    addMissing(sluice, "chaos", CHAOS);
    addMissing(sluice, "bench", BENCH);
  }

  private static void addMissing(CommandLine sluice, String name, String description) {
    if (!sluice.getSubcommands().containsKey(name)) {
      sluice.addSubcommand(name, missing(name, description));
    }
  }

  private static CommandLine missing(String name, String description) {
    CommandSpec spec =
        CommandSpec.wrapWithoutInspection(lacking(name))
            .name(name)
            .addPositional(
                PositionalParamSpec.builder().arity("0..*").hidden(true).type(List.class).build());
    spec.usageMessage().description(description, "This installation lacks it; a checkout has it.");
    return new CommandLine(spec).setUnmatchedOptionsArePositionalParams(true);
  }

  private static Callable<Integer> lacking(String name) {
    return () -> {
      throw new UserMistakeException(
          "sluice",
          "this installation lacks the command (%s)".formatted(name),
          "run it in a checkout of Sluice, where ./sluice %s builds it".formatted(name));
    };
  }
}
