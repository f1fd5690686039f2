package dev.sluice.harness.sweep.grid;

import dev.sluice.harness.frame.ExitStatus;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.Launch;
import dev.sluice.harness.role.AnalyzeRole;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Cells that really run, each in a process of its own, which ends with this one: a JVM that has run
 * once before is faster than a fresh one.
 */
final class ChildCells implements CellRunner {
  /** JVM options of a process that measures latencies, as the launcher gives them to a run. */
  private static final List<String> LIVE =
      List.of("-XX:-UseSerialGC", "-XX:+UseZGC", "-XX:TieredStopAtLevel=1");

  private static final int LAST_LINES = 5;

  private final Path base;
  private final SweepFolder folder;
  private final Set<Process> running = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  ChildCells(Path base, SweepFolder folder) {
    this.base = base;
    this.folder = folder;
  }

  @Override
  public String run(Cell cell) throws IOException, InterruptedException {
    Path output = folder.cells().resolve(cell.id() + ".out");
    List<String> arguments = new ArrayList<>(List.of("run", base.toString()));
    cell.overrides().forEach(override -> arguments.addAll(List.of("--set", override)));
    arguments.addAll(List.of("--results", folder.cells().toString()));
    arguments.addAll(List.of("--run-id", cell.id(), "--child"));
    Process child =
        Launch.of(ChildJvm.sluice(LIVE, arguments))
            .errorsToOutput()
            .output(Redirect.to(output.toFile()))
            .start();
    running.add(child);
    try {
      if (closed) {
        child.destroy(); // the wish came before there was a child to stop
      }
      int status = child.waitFor();
      if (closed) {
        setAside(cell);
        return "stopped";
      }
      if (status == ExitStatus.DONE || status == AnalyzeRole.EXIT_THRESHOLD) {
        Files.delete(output); // the cell's folder tells more
        return "";
      }
      return "./sluice run ended with status " + status + ": " + lastLines(output);
    } finally {
      running.remove(child);
    }
  }

  /** A run that was stopped is not the cell's measurement, though its folder is whole. */
  private void setAside(Cell cell) throws IOException {
    Path whole = folder.cells().resolve(cell.id());
    if (Files.exists(whole)) {
      Files.move(
          whole,
          folder.cells().resolve(cell.id() + RunFolder.FAILED),
          StandardCopyOption.ATOMIC_MOVE);
    }
  }

  private static String lastLines(Path output) throws IOException {
    List<String> lines =
        new String(Files.readAllBytes(output), StandardCharsets.UTF_8)
            .lines()
            .filter(line -> !line.isBlank())
            .toList();
    return String.join(" / ", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
  }

  @Override
  public void close() {
    closed = true;
    running.forEach(Process::destroy);
  }
}
