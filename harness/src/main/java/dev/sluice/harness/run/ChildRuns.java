package dev.sluice.harness.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.analytics.row.Summary;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs of one experiment one after the other, each in a process of its own. The class is not final,
 * so that a test can leave what a run leaves.
 */
public class ChildRuns {
  private final RunSettings options;
  private final boolean processes;
  private final Console console;
  private final Redirect printed;
  private volatile @Nullable Process running;

  /** A person's wish about the present run; null: it shall go on. */
  private volatile @Nullable Consumer<Process> wish;

  /**
   * A run of a series, which is made again where the machine spoiled it.
   *
   * @param status exit status of the last attempt
   * @param spoiled why the last attempt tells nothing; empty: it is of use, or it failed otherwise
   */
  public record SeriesRun(int status, Optional<String> spoiled) {
    /** Folder of the runs of a series that tell nothing of their policy. */
    public static final String LEFT_OUT = "left-out";

    public static final int ATTEMPTS_MAX = 3;

    /** True if the series cannot go on: the run failed, and not because of the machine. */
    public boolean isFailed() {
      return !ExitStatus.isWhole(status) && spoiled.isEmpty();
    }

    /**
     * Moves a spoiled run out of those that count, into the folder {@code left-out} beside them.
     */
    public static void leaveOut(Path results, String runId) throws IOException {
      Path out = Files.createDirectories(results.resolve(LEFT_OUT));
      for (String name : List.of(runId, runId + RunFolder.FAILED)) {
        if (Files.exists(results.resolve(name))) {
          Files.move(results.resolve(name), out.resolve(runId));
        }
      }
    }

    static Optional<String> whySpoiled(Path results, String runId, int status) throws IOException {
      boolean whole = ExitStatus.isWhole(status);
      Path failed = results.resolve(runId + RunFolder.FAILED);
      if (status == ExitStatus.INCONCLUSIVE && Files.exists(failed.resolve(FolderFiles.FAILURE))) {
        return Optional.of(Files.readString(failed.resolve(FolderFiles.FAILURE)).strip());
      }
      Path folder = results.resolve(whole ? runId : runId + RunFolder.FAILED);
      if (!FinishedRun.isFolder(folder)) {
        return Optional.empty();
      }
      FinishedRun run = FinishedRun.of(folder);
      JsonNode summary = run.summary();
      if (summary.path("interrupted").asBoolean() || summary.hasNonNull("failure")) {
        return Optional.empty();
      }
      List<String> reasons = run.notComparable();
      if (reasons.isEmpty()) {
        return Optional.empty();
      }
      summary
          .path("notes")
          .forEach(
              note -> {
                if (note.asText().startsWith(Summary.BUSY_MACHINE)) {
                  reasons.add(note.asText());
                }
              });
      return Optional.of(String.join("; ", reasons));
    }
  }

  public ChildRuns(RunSettings options, boolean processes, Console console) {
    this(options, processes, console, Redirect.INHERIT);
  }

  /** Runs of which what they print goes elsewhere, except their errors. */
  public ChildRuns(RunSettings options, boolean processes, Console console, Redirect printed) {
    this.options = options;
    this.processes = processes;
    this.console = console;
    this.printed = printed;
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
      if (spoiled.isEmpty() || attempt == attemptsMax || wish != null) {
        return new SeriesRun(status, spoiled);
      }
      console.line(
          "Run %s tells nothing: %s. It is made again, %s of %s."
              .formatted(runId, spoiled.get(), attempt + 1, attemptsMax));
      RunFolder.removeAll(results, runId);
    }
  }

  /** Runs once, with {@code key=value} beside those of the series, and returns the exit status. */
  public int run(Path results, String runId, List<String> overrides)
      throws IOException, InterruptedException {
    boolean json = console.hasResults();
    Process child =
        Launch.of(ChildJvm.sluice(List.of(), arguments(results, runId, overrides, json)))
            .output(json ? Redirect.DISCARD : printed)
            .errors(Redirect.INHERIT)
            .start();
    running = child;
    Consumer<Process> wanted = wish;
    if (wanted != null) { // the wish came before there was a child to end
      wanted.accept(child);
    }
    int status = child.waitFor();
    running = null;
    return status;
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
    obey(Process::destroy);
  }

  public final void kill() {
    obey(
        child -> {
          child.descendants().forEach(ProcessHandle::destroyForcibly);
          child.destroyForcibly();
        });
  }

  private void obey(Consumer<Process> wanted) {
    wish = wanted;
    Process child = running;
    if (child != null) {
      wanted.accept(child);
    }
  }
}
