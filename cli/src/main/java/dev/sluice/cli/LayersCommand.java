package dev.sluice.cli;

import dev.sluice.contract.file.ByteSize;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import dev.sluice.layers.runtime.DemoRun;
import dev.sluice.layers.runtime.LayersOptions;
import dev.sluice.layers.runtime.LayersOptions.AskedSchedule;
import dev.sluice.layers.runtime.LayersRun;
import dev.sluice.layers.runtime.LayersTrain;
import dev.sluice.layers.runtime.ScheduleFile;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.Stack;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

@Command(
    name = "layers",
    description = {
      "Runs or trains a model whose parameters do not fit into memory: layer by layer, by a"
          + " schedule of fetch, compute, release and prefetch.",
      "What is computed equals what the whole model computes, bit for bit."
    },
    subcommands = {
      LayersCommand.Demo.class,
      LayersCommand.Run.class,
      LayersCommand.Train.class,
      LayersCommand.Plan.class,
      LayersCommand.Check.class
    },
    footer = {
      "  ./sluice layers demo",
      "  ./sluice layers run vit --budget 64MB --schedule auto --steps 20 --batch 1"
    })
public final class LayersCommand implements Callable<Integer> {
  @Override
  public Integer call() throws UserMistakeException {
    throw new UserMistakeException(
        "sluice",
        "layers needs a command: demo, run, train, plan or check",
        "you meant ./sluice layers run vit --budget 64MB");
  }

  @Command(
      name = "demo",
      description = {
        "Runs one training step of a toy model, without prefetching and with it, and prints each"
            + " hook and operation with its start and end.",
        "Needs no engine; takes a second."
      },
      footer = "  ./sluice layers demo")
  static final class Demo implements Callable<Integer> {
    private static final long UNIT_NS = 10_000_000;

    @Override
    public Integer call() throws InterruptedException {
      var console = Console.standardOutput();
      new DemoRun(console, MachineClock::monotonicNs, MachineClock.pacer(), UNIT_NS).execute();
      return ExitStatus.DONE;
    }
  }

  @Command(
      name = "run",
      description = {
        "Runs a model by layers within a budget of memory, and prints where its time went.",
        "Models: ${bundle:workloads}."
      },
      exitCodeList = {
        "0:done",
        "1:a bug, or the run failed",
        "2:a mistake in the command or in a file",
        "130:stopped by Ctrl-C, after the layer that was being computed"
      },
      footer = {
        "  ./sluice layers run vit --budget 64MB --steps 20",
        "  ./sluice layers run vit --budget 64MB --bandwidth 700MB/s --trace results/vit-layers"
      })
  static final class Run implements Callable<Integer> {
    @Mixin private RunOfLayers run = new RunOfLayers(20);

    @Mixin private TraceOption trace = new TraceOption();

    @Override
    public Integer call() throws Exception {
      var console = Console.standardOutput();
      try {
        return new LayersRun(run.checked(trace.folder()), console).execute();
      } finally {
        console.endLiveLine();
      }
    }
  }

  @Command(
      name = "train",
      description = {
        "Trains a model by layers within a budget of memory, on seeded data. Each step is durable"
            + " as a whole: what was killed goes on with --resume, and ends with the same bytes.",
        "Models: resnet18_small, vit_micro."
      },
      exitCodeList = {
        "0:done",
        "1:a bug, or the training failed",
        "2:a mistake in the command or in a file",
        "130:stopped by Ctrl-C, after the layer that was being computed; --resume goes on"
      },
      footer = {
        "  ./sluice layers train resnet18_small --budget 80MB --steps 50 --out results/trained",
        "  ./sluice layers train resnet18_small --budget 80MB --steps 50 --out results/trained"
            + " --resume"
      })
  static final class Train implements Callable<Integer> {
    @Mixin private RunOfLayers run = new RunOfLayers(50);

    @Mixin private TraceOption trace = new TraceOption();

    @Option(
        names = "--optimizer",
        paramLabel = "NAME",
        description = "sgd (with momentum) or adam (default: ${DEFAULT-VALUE}).")
    private String optimizer = "sgd";

    @Option(
        names = "--seed",
        paramLabel = "N",
        description = "Seed of the first parameters and of the data (default: ${DEFAULT-VALUE}).")
    private long seed = 7;

    @Option(
        names = "--out",
        paramLabel = "DIR",
        required = true,
        description = "Folder of the parameters after the last durable step.")
    private Path out = Path.of("");

    @Option(names = "--resume", description = "Goes on from the folder's last durable step.")
    private boolean resume;

    @Option(
        names = "--commit-every",
        paramLabel = "N",
        description = "Makes each Nth step durable, and the last (default: ${DEFAULT-VALUE}).")
    private int commitEvery = 1;

    @Override
    public Integer call() throws Exception {
      var console = Console.standardOutput();
      try {
        Amounts.range("--commit-every", commitEvery, 1, RunOfLayers.STEPS_MAX);
        var training = new LayersOptions.Training(optimizer, seed, out, resume, commitEvery);
        return new LayersTrain(run.checked(trace.folder()), training, console).execute();
      } finally {
        console.endLiveLine();
      }
    }
  }

  @Command(
      name = "plan",
      description = {
        "Prints a schedule as YAML on standard output, and nothing else; on standard error what it"
            + " would take.",
        "auto times each layer in three passes first, and chooses the list with the least wall"
            + " time."
      },
      exitCodeList = {"0:done", "1:a bug", "2:a mistake in the command"},
      footer = "  ./sluice layers plan vit --budget 64MB --schedule auto >schedule.yaml")
  static final class Plan implements Callable<Integer> {
    @Mixin private RunOfLayers run = new RunOfLayers(20);

    @Override
    public Integer call() throws Exception {
      return new LayersRun(run.checked(null), new Console(System.err, false)).plan(System.out);
    }
  }

  @Command(
      name = "check",
      description = {
        "Checks a schedule's file: each fault with its line, and whether it fits into a budget.",
        "Needs no engine and runs nothing."
      },
      exitCodeList = {"0:the schedule is legal", "1:a bug", "2:a mistake in the command or file"},
      footer = "  ./sluice layers check schedule.yaml --budget 64MB")
  static final class Check implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "The schedule, a YAML file.")
    private Path file = Path.of("");

    @Mixin private BudgetOption budget = new BudgetOption();

    @Option(
        names = "--optimizer",
        paramLabel = "NAME",
        description =
            "Optimizer of a training's schedule, whose state counts: sgd or adam (default:"
                + " ${DEFAULT-VALUE}).")
    private String optimizer = "sgd";

    @Override
    public Integer call() throws Exception {
      return ScheduleFile.check(file, budget.bytes(), optimizer, System.out);
    }
  }

  /** Options of every command that computes a model's layers. */
  static final class RunOfLayers {
    static final int STEPS_MAX = 1_000_000;
    private static final int SAMPLES_MAX = 256;

    @Parameters(paramLabel = "MODEL", description = "Name of a built-in model, such as vit.")
    private String model = "";

    @Mixin private BudgetOption budget = new BudgetOption();

    @Option(
        names = "--schedule",
        paramLabel = "NAME",
        arity = "1..2",
        parameterConsumer = ScheduleWords.class,
        description =
            "auto, eager, on_demand, prefetch N (N layers ahead), or a schedule's file (default:"
                + " ${DEFAULT-VALUE}).")
    private String schedule = AskedSchedule.AUTO;

    @Option(
        names = "--steps",
        paramLabel = "N",
        description =
            "Number of steps; of a training those before --resume count (default:"
                + " ${DEFAULT-VALUE}).")
    private int steps;

    @Option(
        names = "--batch",
        paramLabel = "N",
        description = "Samples of each step (default: ${DEFAULT-VALUE}).")
    private int batch = 1;

    @Option(
        names = "--bandwidth",
        paramLabel = "RATE",
        description =
            "Paces reading as an emulated slower disk or link, such as 700MB/s (default: not"
                + " paced).")
    private @Nullable String bandwidth;

    @Option(
        names = "--check-finite",
        description = "Searches each layer's parameters for NaN and infinity as they are read.")
    private boolean checkFinite;

    /**
     * @param steps number of steps unless the user gives one
     */
    RunOfLayers(int steps) {
      this.steps = steps;
    }

    LayersOptions checked(@Nullable Path trace) throws UserMistakeException {
      Amounts.range("--steps", steps, 1, STEPS_MAX);
      Amounts.range("--batch", batch, 1, SAMPLES_MAX);
      return new LayersOptions(
          model,
          budget.bytes(),
          AskedSchedule.parse(schedule),
          steps,
          batch,
          bandwidth == null ? null : Long.valueOf(Amounts.bytesPerSecond("--bandwidth", bandwidth)),
          checkFinite,
          trace);
    }
  }

  static final class BudgetOption {
    @Option(
        names = "--budget",
        paramLabel = "SIZE",
        description =
            "Bytes that layers may take in memory, such as 64MB (default: the whole model's).")
    private @Nullable String budget;

    /** The bytes; null: as many as the model has. */
    @Nullable Long bytes() throws UserMistakeException {
      return budget == null ? null : Long.valueOf(Amounts.bytes("--budget", budget));
    }
  }

  static final class TraceOption {
    @Option(
        names = "--trace",
        paramLabel = "DIR",
        description =
            "Leaves layers.csv, trace.json (for Perfetto) and timeline.png in this folder.")
    private @Nullable Path folder;

    /** The folder; null: nothing is left. */
    @Nullable Path folder() {
      return folder;
    }
  }

  /** Takes the words of {@code --schedule}: one, or two for {@code prefetch N}. */
  static final class ScheduleWords implements IParameterConsumer {
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

  private static final class Amounts {
    private Amounts() {}

    static long bytes(String option, String text) throws UserMistakeException {
      return bytes(option, text, text, " is no size", ByteSize.FORM);
    }

    /** Bytes a second of a rate such as 700MB/s, at least 1. */
    static long bytesPerSecond(String option, String text) throws UserMistakeException {
      String size = text.replaceFirst("/s$", "");
      return bytes(option, text, size, " is no bandwidth", "a form like 700MB/s or 1.4GB/s");
    }

    private static long bytes(String option, String text, String size, String what, String form)
        throws UserMistakeException {
      OptionalLong bytes = ByteSize.parse(size);
      UserMistakeException.throwIf(
          bytes.isEmpty() || bytes.getAsLong() < 1,
          option,
          "(" + text + ")" + what,
          "you meant " + form);
      return bytes.getAsLong();
    }

    static void range(String option, long value, long least, long most)
        throws UserMistakeException {
      UserMistakeException.throwIf(
          value < least || value > most,
          option,
          "the value (%d) must be between %d and %d".formatted(value, least, most),
          "you meant " + Math.max(least, Math.min(most, value)));
    }
  }
}
