package dev.sluice.harness.serve;

import dev.sluice.analytics.live.Run;
import dev.sluice.analytics.report.TextTable;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.process.TemporaryFolder;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The folder that holds the folders of runs: its runs listed, shown one by one, or removed. */
public record ResultsFolder(Path results, PrintStream out) {
  private static final DateTimeFormatter WHEN = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm");

  private static final Map<String, String> FIGURES =
      Map.of(
          "rate_per_s", "jobs per second asked",
          "goodput_per_s", "jobs per second within their promise",
          "p99_ms", "p99 latency in ms",
          "late", "share over its promise");

  private static final TextTable TABLE = new TextTable("%-16s  %-10s  %-13s %7s  %s  %s");

  /** Prints a line for each run, or the JSON that {@code ./sluice serve} gives to its page. */
  public int list(boolean json) throws UserMistakeException {
    List<ListedRun> runs = runs();
    if (json) {
      out.println(new String(ListedRun.json(runs), StandardCharsets.UTF_8));
      return ExitStatus.DONE;
    }
    if (runs.isEmpty()) {
      out.println("No run has left a folder in " + results + ".");
      return ExitStatus.DONE;
    }
    Map<ListedRun, String> notes = new HashMap<>();
    for (ListedRun run : runs) {
      note(run).ifPresent(note -> notes.put(run, note));
    }
    String heading = notes.isEmpty() ? "" : "note";
    out.println(TABLE.row("began", "state", "policy", "p99 ms", "run", heading));
    for (ListedRun run : runs) {
      Double p99 = run.figures().get("p99_ms");
      out.println(
          TABLE.row(
              began(run),
              run.state().text(),
              run.policy() == null ? "" : run.policy(),
              p99 == null ? "" : number(p99),
              run.id(),
              notes.getOrDefault(run, "").lines().findFirst().orElse("")));
    }
    return ExitStatus.DONE;
  }

  private Optional<String> note(ListedRun run) {
    try {
      return RunFolder.note(folder(run));
    } catch (IOException e) {
      return Optional.of("(its note cannot be read: " + UserMistakeException.reason(e) + ")");
    }
  }

  private static String began(ListedRun run) {
    Double epochMs = run.figures().get("started_epoch_ms");
    return epochMs == null
        ? ""
        : WHEN.format(
            LocalDateTime.ofInstant(
                Instant.ofEpochMilli(epochMs.longValue()), ZoneId.systemDefault()));
  }

  private static String number(double value) {
    return Double.isInfinite(value)
        ? "none"
        : String.format(Locale.ROOT, value < 100 ? "%.3g" : "%.0f", value);
  }

  public int show(String id) throws UserMistakeException, IOException {
    ListedRun run = find(id, "results show");
    Path folder = folder(run);
    out.println("run      " + run.id());
    out.println("folder   " + folder);
    out.println(
        "state    "
            + Stream.concat(Stream.of(run.state().text()), run.words().stream())
                .collect(Collectors.joining(", ")));
    said("began", began(run));
    said("policy", run.policy());
    said("note", note(run).orElse(null));
    for (String figure : List.of("rate_per_s", "goodput_per_s", "p99_ms", "late")) {
      Double value = run.figures().get(figure);
      if (value != null) {
        out.printf(Locale.ROOT, "%8s %s%n", number(value), FIGURES.get(figure));
      }
    }
    run.why().forEach(why -> out.println("*        " + why));
    try (Stream<Path> files = Files.list(folder)) {
      out.println(
          "files    "
              + String.join(
                  ", ", files.map(file -> file.getFileName().toString()).sorted().toList()));
    }
    return ExitStatus.DONE;
  }

  private void said(String label, @Nullable String text) {
    if (text != null && !text.isEmpty()) {
      out.printf("%-8s %s%n", label, text);
    }
  }

  /** Removes the folders of runs, or none if one of them cannot be; a dry run prints which. */
  public int remove(List<String> ids, boolean dryRun) throws UserMistakeException, IOException {
    List<Path> folders = new ArrayList<>();
    for (String id : ids) {
      ListedRun run = find(id, "results remove");
      if (run.state() == Run.State.LIVE) {
        throw new UserMistakeException(
            "results remove",
            "the run goes on (" + id + ")",
            "you want to stop it first, by Ctrl-C where it runs");
      }
      folders.add(folder(run));
    }
    for (Path folder : folders) {
      if (!dryRun) {
        TemporaryFolder.removeTree(folder);
      }
      out.println((dryRun ? "would remove " : "removed ") + folder);
    }
    RunFolder.removeDanglingLatest(results);
    return ExitStatus.DONE;
  }

  private List<ListedRun> runs() throws UserMistakeException {
    try (var all = new ResultsRuns(results, null)) {
      return all.rows(false);
    } catch (IOException e) {
      throw unreadable("--results", results, e);
    }
  }

  /** The mistake that the folder of all runs, which an option names, cannot be read. */
  static UserMistakeException unreadable(String option, Path results, IOException e) {
    return new UserMistakeException(
        option,
        "the folder cannot be read (" + results + ": " + UserMistakeException.reason(e) + ")",
        "you want another folder, or lack the right to read this one",
        e);
  }

  private ListedRun find(String asked, String command) throws UserMistakeException, IOException {
    List<ListedRun> runs = runs();
    Path link = results.resolve(asked);
    String id = RunFolder.isLatest(link) ? Files.readSymbolicLink(link).toString() : asked;
    return runs.stream()
        .filter(run -> run.id().equals(id))
        .findFirst()
        .orElseThrow(
            () ->
                new UserMistakeException(
                    command,
                    "no run with this id has left a folder in " + results + " (" + id + ")",
                    runs.isEmpty()
                        ? "you want another --results"
                        : "you meant one of those that ./sluice results list shows"));
  }

  private Path folder(ListedRun run) {
    return Stream.of("", RunFolder.FAILED, RunFolder.RUNNING)
        .map(end -> results.resolve(run.id() + end))
        .filter(Files::exists)
        .findFirst()
        .orElseThrow();
  }
}
