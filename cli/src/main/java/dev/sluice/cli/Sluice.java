package dev.sluice.cli;

import static java.util.Map.entry;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.model.EngineErrors;
import dev.sluice.executor.network.Workloads;
import dev.sluice.harness.frame.DiskSpace;
import dev.sluice.harness.frame.Environment;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.machine.Console.EscapedStream;
import dev.sluice.harness.process.News;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ResourceBundle;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The main class, with all commands. */
@Command(
    name = "./sluice",
    description = "Which scheduler keeps my latency promises, at which load, on which hardware?",
    footer = "  ./sluice run configs/quickstart.yaml")
public final class Sluice implements Callable<Integer> {
  private static final int OUTPUT_BUFFER_BYTES = 8192;

  /** Commands of groups in the order of their use; the library's is the alphabet. */
  private static final Map<String, List<String>> ORDERS =
      Map.of(
          "results",
          List.of("list", "show", "remove"),
          "sweep",
          List.of(
              "setup",
              "start",
              "status",
              "stop",
              "kill-all",
              "config",
              "retry",
              "logs",
              "scheduler",
              "help"));

  /** The commands that are shown with what they do, in at most 64 letters, by their heading. */
  private static final Map<String, List<Map.Entry<Class<?>, String>>> GROUPS =
      new LinkedHashMap<>();

  static {
    GROUPS.put(
        "Experiments",
        List.of(
            entry(InitCommand.class, "Writes an experiment to begin with."),
            entry(RunCommand.class, "Runs an experiment, and leaves its folder."),
            entry(SimulateCommand.class, "Runs an experiment in virtual time."),
            entry(ReplayCommand.class, "Runs recorded requests again, or a run's decisions."),
            entry(
                RecordCommand.class, "Takes the requests of a run or of Kafka topics into a file."),
            entry(CapacityCommand.class, "Finds the highest rate at which a promise is kept."),
            entry(BoundCommand.class, "Proves how many jobs any scheduler can make good."),
            entry(
                SweepCommand.class, "Runs a grid of experiments, or training commands on GPUs.")));
    GROUPS.put(
        "Finished runs",
        List.of(
            entry(CompareCommand.class, "Says whether one run, or series of runs, beats another."),
            entry(CheckCommand.class, "Proves that a finished run was legal, or names each fault."),
            entry(ExplainCommand.class, "Tells where the time of one job went."),
            entry(ReportCommand.class, "Makes report.html of a finished run."),
            entry(ServeCommand.class, "Shows all runs in the browser, live and finished."),
            entry(ResultsCommand.class, "Lists, shows or removes the folders of runs.")));
    GROUPS.put(
        "Models",
        List.of(
            entry(ProfileCommand.class, "Measures service times on this machine."),
            entry(TrainCommand.class, "Fits the latency model to measured service times."),
            entry(PlanCommand.class, "Splits the layers of a model over unlike devices."),
            entry(LayersCommand.class, "Runs or trains a model whose parameters do not fit.")));
    GROUPS.put(
        "Roles of a run, one process each",
        List.of(
            entry(BrokerCommand.class, "Starts a Kafka of one node."),
            entry(ProduceCommand.class, "Sends the jobs of a run at their times."),
            entry(ScheduleCommand.class, "Decides for shards of a run."),
            entry(ExecuteCommand.class, "Runs batches of a shard on lanes of its own."),
            entry(AnalyzeCommand.class, "Shows the progress of a run, and leaves its folder."),
            entry(MetricsCommand.class, "Writes the seconds of a run to standard output."),
            entry(TopicsCommand.class, "Shows or removes the topics that runs left on a Kafka.")));
  }

  private Sluice() {}

  public static void main(String[] arguments) {
    dev.sluice.harness.process.CommandLine.remember(List.of(arguments));
    EngineErrors.separate();
    var output = new WatchedOutput(new FileOutputStream(FileDescriptor.out));
    System.setOut(
        new EscapedStream(
            new PrintStream(
                new BufferedOutputStream(output, OUTPUT_BUFFER_BYTES), true, outputCharset())));
    System.setErr(new EscapedStream(System.err));
    int status = executeWithinMemory(arguments);
    System.out.flush();
    String error = output.error();
    if (error != null) {
      News.error(
          "sluice: error: the output could not be written (%s).\n".formatted(error)
              + "  Maybe the disk that it goes to is full.");
      status = status == ExitStatus.DONE ? ExitStatus.BUG : status;
    }
    System.exit(status);
  }

  private static Charset outputCharset() {
    String byDefault = System.getProperty("sun.stdout.encoding", Charset.defaultCharset().name());
    return Charset.forName(System.getProperty("stdout.encoding", byDefault));
  }

  private static int executeWithinMemory(String... arguments) {
    try {
      return execute(arguments);
    } catch (OutOfMemoryError e) {
      long bytes = Runtime.getRuntime().maxMemory();
      News.error(
          "sluice: error: the memory that Java may use (%s) is full.\n"
                  .formatted(DiskSpace.mib(bytes))
              + "  Maybe ask for fewer jobs, or give it more: SLUICE_JAVA_OPTS=-Xmx%dg"
                  .formatted(Math.max(4, (bytes >> 29) + 1)));
      return ExitStatus.BUG;
    }
  }

  static int execute(String... arguments) {
    return named(arguments)
        .setParameterExceptionHandler((mistake, args) -> explain(mistake))
        .setExecutionExceptionHandler((error, command, parsed) -> explain(error))
        .execute(arguments);
  }

  private static List<Class<?>> commands() {
    return GROUPS.values().stream().flatMap(List::stream).<Class<?>>map(Map.Entry::getKey).toList();
  }

  static CommandLine commandLine() {
    List<Class<?>> all = new ArrayList<>(commands());
    all.add(StageCommand.class);
    all.add(CompletionCommand.class);
    all.addAll(CheckoutCommands.found());
    CommandLine sluice = commandLine(all);
    CheckoutCommands.addMissing(sluice);
    complete(sluice);
    return sluice;
  }

  private static CommandLine commandLine(List<Class<?>> commands) {
    var sluice = new CommandLine(new Sluice());
    commands.forEach(sluice::addSubcommand);
    sluice.addSubcommand(new HelpCommand());
    sluice.getHelpSectionMap().remove(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING);
    sluice
        .getHelpSectionMap()
        .put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, help -> commandList());
    complete(sluice);
    return sluice.setResourceBundle(new Registered());
  }

  private static String commandList() {
    var text = new StringBuilder();
    GROUPS.forEach(
        (heading, entries) -> {
          text.append(String.format("%n%s:%n", heading));
          entries.forEach(entry -> line(text, nameOf(entry.getKey()), entry.getValue()));
        });
    text.append(String.format("%nSluice itself:%n"));
    line(text, "chaos", "Kills and stops the processes of a run, and audits its log.");
    line(text, "bench", CheckoutCommands.BENCH);
    line(text, "completion", "Prints a script by which bash and zsh complete commands.");
    line(text, "help", "Shows the options of a command, as COMMAND --help does.");
    return text.toString();
  }

  private static void line(StringBuilder text, String name, String does) {
    text.append(String.format("  %-11s %s%n", name, does));
  }

  @Override
  public Integer call() {
    commandLine().usage(EscapedStream.unescaped(System.out));
    return ExitStatus.DONE;
  }

  /**
   * Returns the command that the first word names, else all: to read the options of each takes a
   * tenth of a second.
   */
  private static CommandLine named(String... arguments) {
    List<Class<?>> named =
        commands().stream()
            .filter(command -> arguments.length > 0 && nameOf(command).equals(arguments[0]))
            .toList();
    return named.isEmpty() ? commandLine() : commandLine(named);
  }

  private static String nameOf(Class<?> command) {
    return command.getAnnotation(Command.class).name();
  }

  /**
   * What each command has: its {@code --help} with headings, and {@code --version}. Commands that
   * are methods name the mixin themselves: picocli counts its options before their parameters.
   */
  private static void complete(CommandLine command) {
    CommandSpec spec = command.getCommandSpec();
    spec.mixinStandardHelpOptions(true).versionProvider(new Version());
    UsageMessageSpec usage = spec.usageMessage();
    if (usage.footer().length > 0) {
      long examples = Stream.of(usage.footer()).filter(line -> line.startsWith("  ./")).count();
      usage.footerHeading(examples > 1 ? "%nExamples:%n" : "%nExample:%n");
    }
    if (!usage.exitCodeList().isEmpty()) {
      usage.exitCodeListHeading("%nExit status:%n");
    }
    for (String name : ORDERS.getOrDefault(spec.name(), List.of())) {
      spec.addSubcommand(name, spec.removeSubcommand(name));
    }
    command.getSubcommands().values().forEach(Sluice::complete);
  }

  private static int explain(ParameterException mistake) {
    CommandLine command = mistake.getCommandLine();
    String what =
        String.valueOf(mistake.getMessage())
            .replaceFirst("\\.$", "")
            .replaceFirst("^Unknown subcommand '(.*)'$", "unknown command ($1)");
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

  private static int explain(Exception error) {
    if (error instanceof CommandLine.ExecutionException && error.getCause() instanceof Error e) {
      throw e; // a command that is a method: its errors come wrapped
    }
    if (error instanceof UserMistakeException) {
      News.error(String.valueOf(error.getMessage()));
      return ExitStatus.MISTAKE;
    }
    String full = DiskSpace.words(error);
    if (full != null) {
      News.error(full);
      return ExitStatus.BUG;
    }
    News.error("sluice: error: a bug ended the command.");
    error.printStackTrace(System.err);
    return ExitStatus.BUG;
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

  public static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
      Path home = Path.of(System.getProperty("sluice.home", "."));
      String commit = Environment.commit(home).map(hash -> ", commit " + hash).orElse("");
      return new String[] {
        "Sluice " + SluiceVersion.current() + commit + ", Java " + Runtime.version()
      };
    }
  }

  /**
   * Standard output that remembers its first error. {@link java.io.PrintStream} swallows errors, so
   * that a command whose output went to a full disk would end as if all of it stood there.
   */
  private static final class WatchedOutput extends FilterOutputStream {
    private @Nullable IOException error;

    WatchedOutput(OutputStream target) {
      super(target);
    }

    /**
     * The first error, in words; null: there was none, or only that the reader of a pipe ended, as
     * {@code head} does when it has enough.
     */
    synchronized @Nullable String error() {
      if (error == null) {
        return null;
      }
      String words = String.valueOf(error.getMessage());
      return words.contains("Broken pipe") ? null : words;
    }

    private interface Act {
      void run() throws IOException;
    }

    private void watch(Act act) throws IOException {
      try {
        act.run();
      } catch (IOException e) {
        synchronized (this) {
          error = error == null ? e : error;
        }
        throw e;
      }
    }

    @Override
    public void write(int b) throws IOException {
      watch(() -> out.write(b));
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      watch(() -> out.write(bytes, offset, length));
    }

    @Override
    public void flush() throws IOException {
      watch(out::flush);
    }
  }

  @Command(
      name = "completion",
      description = {
        "Prints a script by which bash and zsh complete commands and options.",
        "It completes ./sluice, and sluice if it stands on the path."
      },
      footer = "  source <(./sluice completion)")
  static final class CompletionCommand implements Runnable {
    @Override
    public void run() {
      System.out.print(AutoComplete.bash("sluice", Sluice.commandLine()));
    }
  }
}
