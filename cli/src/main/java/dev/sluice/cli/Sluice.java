package dev.sluice.cli;

import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.frame.DiskSpace;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.process.News;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The main class, with all commands. */
@Command(
    name = "./sluice",
    mixinStandardHelpOptions = true,
    description = "Which scheduler keeps my latency promises, at which load, on which hardware?",
    footer = {"", "Example:", "  ./sluice run configs/quickstart.yaml"})
public final class Sluice {
  private static final List<Class<?>> COMMANDS =
      List.of(
          RunCommand.class,
          SimulateCommand.class,
          ProfileCommand.class,
          PlanCommand.class,
          LayersCommand.class,
          TrainCommand.class,
          RecordCommand.class,
          CapacityCommand.class,
          CheckCommand.class,
          CompareCommand.class,
          ExplainCommand.class,
          ServeCommand.class,
          ReportCommand.class,
          BrokerCommand.class,
          ProduceCommand.class,
          ScheduleCommand.class,
          ExecuteCommand.class,
          AnalyzeCommand.class,
          StageCommand.class,
          ReplayCommand.class,
          SweepCommand.class,
          TopicsCommand.class,
          MetricsCommand.class);

  private Sluice() {}

  public static void main(String[] arguments) {
    dev.sluice.harness.process.CommandLine.remember(List.of(arguments));
    System.exit(execute(arguments));
  }

  /** Runs a command and returns its exit status. */
  static int execute(String... arguments) {
    CommandLine sluice = named(arguments);
    tellVersion(sluice);
    return sluice
        .setParameterExceptionHandler((mistake, args) -> explain(mistake))
        .setExecutionExceptionHandler(
            (error, command, parsed) -> {
              String full = DiskSpace.words(error);
              if (full != null) {
                News.error(full);
                return ExitStatus.BUG;
              }
              News.error("sluice: error: a bug ended the command.");
              error.printStackTrace(command.getErr());
              return ExitStatus.BUG;
            })
        .execute(arguments);
  }

  /** Returns the command line with all commands. */
  static CommandLine commandLine() {
    CommandLine sluice = commandLine(COMMANDS);
    CheckoutCommands.found().forEach(sluice::addSubcommand);
    CheckoutCommands.addMissing(sluice);
    return sluice;
  }

  private static CommandLine commandLine(List<Class<?>> commands) {
    var sluice = new CommandLine(new Sluice());
    commands.forEach(sluice::addSubcommand);
    return sluice.setResourceBundle(new Registered());
  }

  /**
   * Returns the command that the first word names, else all: to read the options of each takes a
   * tenth of a second.
   */
  private static CommandLine named(String... arguments) {
    List<Class<?>> named =
        COMMANDS.stream()
            .filter(command -> arguments.length > 0 && nameOf(command).equals(arguments[0]))
            .toList();
    return named.isEmpty() ? commandLine() : commandLine(named);
  }

  private static String nameOf(Class<?> command) {
    return command.getAnnotation(Command.class).name();
  }

  /** Each subcommand has a {@code --version} too. */
  private static void tellVersion(CommandLine command) {
    command.getCommandSpec().versionProvider(new Version());
    command.getSubcommands().values().forEach(Sluice::tellVersion);
  }

  private static int explain(ParameterException mistake) {
    CommandLine command = mistake.getCommandLine();
    String what = String.valueOf(mistake.getMessage()).replaceFirst("\\.$", "");
    List<String> suggestions = List.of();
    if (mistake instanceof UnmatchedArgumentException unmatched) {
      what =
          (unmatched.isUnknownOption() ? "unknown option (" : "unknown word (")
              + unmatched.getUnmatched().get(0)
              + ")";
      suggestions = unmatched.getSuggestions();
    }
    if (mistake.getArgSpec() instanceof OptionSpec option && mistake.getValue() != null) {
      what = option.longestName() + " cannot be (" + mistake.getValue() + ")";
    }
    String advice =
        suggestions.isEmpty()
            ? command.getCommandSpec().qualifiedName() + " --help shows how"
            : "you meant " + String.join(" or ", suggestions);
    News.error("sluice: error: " + what + ".\n  Maybe " + advice + ".");
    return ExitStatus.MISTAKE;
  }

  /** Names from registries, for help texts: {@code ${bundle:workloads}}. */
  private static final class Registered extends ResourceBundle {
    @Override
    protected @Nullable Object handleGetObject(String key) {
      return switch (key) {
        case "workloads" -> String.join(", ", Workloads.names());
        case "splittable" -> String.join(", ", Workloads.splittable());
        default -> null;
      };
    }

    @Override
    public Enumeration<String> getKeys() {
      return Collections.enumeration(List.of("workloads", "splittable"));
    }
  }

  /** Version of Sluice and of Java. */
  public static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"Sluice " + SluiceVersion.current() + ", Java " + Runtime.version()};
    }
  }
}
