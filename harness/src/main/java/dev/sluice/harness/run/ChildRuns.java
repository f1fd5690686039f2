package dev.sluice.harness.run;

import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs of one experiment one after the other, each in a process of its own. The class is not final,
 * so that a test can leave what a run leaves.
 */
public class ChildRuns {
  private final RunSettings options;
  private final boolean processes;
  private final Console console;
  private volatile @Nullable Process running;
  private volatile boolean stopRequested;

  public ChildRuns(RunSettings options, boolean processes, Console console) {
    this.options = options;
    this.processes = processes;
    this.console = console;
  }

  /**
   * Runs once, and again as long as the machine spoils it; each attempt leaves its folder in place
   * of the last one's.
   */
  public final SeriesRun make(Path results, String runId, List<String> overrides, int attemptsMax)
      throws IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      int status = run(results, runId, overrides);
      Optional<String> spoiled = SeriesRun.whySpoiled(results, runId, status);
      if (spoiled.isEmpty() || attempt == attemptsMax || stopRequested) {
        return new SeriesRun(status, spoiled);
      }
      console.line(
          "Run %s tells nothing: %s. It is made again, %s of %s."
              .formatted(runId, spoiled.get(), attempt + 1, attemptsMax));
      RunFolder.removeAll(results, runId);
    }
  }

  /** Runs once, with {@code key=value} beside those of the series, and returns the exit status. */
  int run(Path results, String runId, List<String> overrides)
      throws IOException, InterruptedException {
    boolean json = console.hasResults();
    Process child =
        Launch.of(ChildJvm.sluice(List.of(), arguments(results, runId, overrides, json)))
            .output(json ? Redirect.DISCARD : Redirect.INHERIT)
            .errors(Redirect.INHERIT)
            .start();
    running = child;
    if (stopRequested) {
      stop(); // the wish came before there was a child to stop
    }
    return child.waitFor();
  }

  private List<String> arguments(Path results, String runId, List<String> overrides, boolean json) {
    List<String> arguments = new ArrayList<>(List.of("run"));
    arguments.addAll(options.experimentArguments());
    for (String override : overrides) {
      arguments.addAll(List.of("--set", override));
    }
    arguments.addAll(List.of("--results", results.toString(), "--run-id", runId, "--child"));
    if (options.bootstrap() != null) {
      arguments.addAll(List.of("--bootstrap", options.bootstrap()));
    }
    if (options.output().keepTopics()) {
      arguments.add("--keep-topics");
    }
    if (options.output().noLog()) {
      arguments.add("--no-log");
    }
    arguments.addAll(options.watching().metrics().arguments());
    arguments.addAll(console.options());
    if (processes) {
      arguments.add("--processes");
    }
    if (json) {
      arguments.add("--json"); // what people read goes to standard error
    }
    return arguments;
  }

  /** Stops the present run, on a person's wish: its jobs end. */
  public final void stop() {
    stopRequested = true;
    Process child = running;
    if (child != null) {
      child.destroy();
    }
  }

  public final void kill() {
    stopRequested = true;
    Process child = running;
    if (child != null) {
      child.descendants().forEach(ProcessHandle::destroyForcibly);
      child.destroyForcibly();
    }
  }
}
