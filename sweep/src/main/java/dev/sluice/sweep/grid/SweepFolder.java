package dev.sluice.sweep.grid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.analytics.row.FinishedRun;
import dev.sluice.contract.experiment.ParsedExperiment;
import dev.sluice.contract.experiment.ResolvedConfig;
import dev.sluice.contract.file.Sha256;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.frame.SluiceVersion;
import dev.sluice.harness.process.ChildJvm;
import dev.sluice.harness.process.TemporaryFolder;
import dev.sluice.sweep.grid.Cells.Cell;
import dev.sluice.sweep.queue.HeldQueue;
import dev.sluice.sweep.queue.TaskLog;
import dev.sluice.sweep.workspace.Grid;
import dev.sluice.sweep.workspace.Workspace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * A sweep's folder: a folder of each cell that has ended, named by its values and its key, and what
 * tells them side by side. A cell is done if its folder has its final name, which it gets last.
 */
record SweepFolder(Path path, HeldQueue queue) implements AutoCloseable {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
  private static final String BEGUN = Workspace.OF_A_GRID;
  private static final String LOGS = "logs";
  private static final int CHANGES_TOLD_MAX = 8;

  private static final int LAST_LINES = 5;

  static Path of(Grid grid, Path results) {
    return results.resolve("sweeps").resolve(grid.name());
  }

  /**
   * Takes the folder, and makes it if there is none.
   *
   * @throws UserMistakeException if another process works in it, it cannot be written, or its
   *     journal is damaged
   */
  static SweepFolder take(Path path) throws UserMistakeException, InterruptedException {
    try {
      Files.createDirectories(path.resolve("cells"));
      Files.createDirectories(path.resolve("unfinished"));
      Files.createDirectories(path.resolve(LOGS));
      Optional<HeldQueue> held = Workspace.queueOf(path).hold();
      if (held.isPresent()) {
        held.get().announce();
        return new SweepFolder(path, held.get());
      }
    } catch (IOException e) {
      throw RunFolder.notWritable("--results", path, e);
    }
    throw new UserMistakeException(
        path.toString(),
        "another process runs this sweep",
        "that one should end first, or you want another --results");
  }

  Path cells() {
    return path.resolve("cells");
  }

  Path cell(Cell cell) {
    return cells().resolve(cell.id());
  }

  /** The folder of cells that run, and of those that were stopped. */
  Path unfinished() {
    return path.resolve("unfinished");
  }

  /** The folder as the workspace that {@link #begin} made it. */
  Workspace workspace() throws UserMistakeException {
    return Workspace.open(file(Workspace.CONFIG), path);
  }

  Path log(String task) {
    return path.toAbsolutePath().normalize().resolve(LOGS).resolve(task + ".log");
  }

  List<String> lastLines(String task) throws IOException {
    return TaskLog.lastLines(log(task), LAST_LINES);
  }

  Path file(String name) {
    return path.resolve(name);
  }

  static boolean isDone(Path sweep, Cell cell) {
    return FinishedRun.isFolder(sweep.resolve("cells").resolve(cell.id()));
  }

  boolean isDone(String task) {
    return FinishedRun.isFolder(cells().resolve(task));
  }

  /** Removes what an attempt at a cell left that did not end. */
  void clear(Cell cell) throws IOException {
    for (Path folder : List.of(cells(), unfinished())) {
      for (String end : List.of("", RunFolder.RUNNING, RunFolder.FAILED)) {
        TemporaryFolder.removeTree(folder.resolve(cell.id() + end));
      }
    }
  }

  /** Notes what the sweep rests on, for who resumes it, and makes its folder a workspace. */
  void begin(Grid grid, ParsedExperiment base) throws IOException, UserMistakeException {
    ObjectNode begun = JSON.createObjectNode();
    begun.put("version", SluiceVersion.current());
    begun.put("build", BuildDigest.current());
    begun.put("base", base.file().toString());
    begun.put("resolved", ResolvedConfig.write(base.experiment()));
    ObjectNode files = begun.putObject("files");
    Cells.files(base).forEach(files::put);
    Files.writeString(path.resolve(BEGUN), JSON.writeValueAsString(begun) + "\n");
    Files.writeString(
        path.resolve(Workspace.CONFIG),
        """
        # Written by ./sluice sweep: status, logs, stop, kill-all and config work here.
        task_name: %s
        config_dir: cells
        output_dir: cells
        log_dir: %s
        gpu_count: 0
        max_jobs_per_gpu: %d
        require_marker: true
        cleanup_on_complete: true
        tmux: false
        """
            .formatted(JSON.writeValueAsString(grid.name()), LOGS, grid.slots()));
  }

  static boolean isOfAnotherBuild(Path sweep) throws IOException {
    return Files.exists(sweep.resolve(BEGUN))
        && !JSON.readTree(Files.readAllBytes(sweep.resolve(BEGUN)))
            .path("build")
            .asText()
            .equals(BuildDigest.current());
  }

  /**
   * Refuses to resume a sweep whose base is not what it was.
   *
   * @throws UserMistakeException if there is no sweep, or its base has changed
   */
  static void checkResumed(Path sweep, Cells cells) throws UserMistakeException, IOException {
    if (!Files.exists(sweep.resolve(BEGUN))) {
      throw new UserMistakeException(
          "--resume",
          "no sweep has begun in (" + sweep + ")",
          "you want to leave --resume out, or mean another --results");
    }
    JsonNode begun = JSON.readTree(Files.readAllBytes(sweep.resolve(BEGUN)));
    Map<String, String> before = keys(begun.path("resolved").asText());
    Map<String, String> now = keys(ResolvedConfig.write(cells.base().experiment()));
    List<String> changes = new ArrayList<>();
    var names = new TreeSet<String>(before.keySet());
    names.addAll(now.keySet());
    for (String name : names) {
      change(name, before.get(name), now.get(name), changes);
    }
    Map<String, String> files = new TreeMap<>();
    begun.path("files").properties().forEach(f -> files.put(f.getKey(), f.getValue().asText()));
    Cells.files(cells.base())
        .forEach(
            (name, digest) -> {
              if (files.containsKey(name) && !digest.equals(files.get(name))) {
                changes.add("file " + name + " has other bytes");
              }
            });
    if (!changes.isEmpty()) {
      int more = changes.size() - CHANGES_TOLD_MAX;
      throw new UserMistakeException(
          cells.grid().basePlace().toString(),
          "base ("
              + cells.grid().base()
              + ") has changed since the sweep began: "
              + String.join("; ", changes.subList(0, Math.min(CHANGES_TOLD_MAX, changes.size())))
              + (more > 0 ? "; and " + more + " more" : ""),
          "that should be undone, or you want to leave --resume out: then each cell whose config"
              + " has changed is run anew, and the others stand");
    }
  }

  private static void change(
      String name, @Nullable String before, @Nullable String now, List<String> changes) {
    if (before == null) {
      changes.add(name + " is new (" + now + ")");
    } else if (now == null) {
      changes.add(name + " is gone (" + before + ")");
    } else if (!now.equals(before)) {
      changes.add(name + " was " + before + ", is " + now);
    }
  }

  /** Keys of a resolved config with their values, dotted where they are nested. */
  private static Map<String, String> keys(String resolved) {
    Map<String, String> keys = new LinkedHashMap<>();
    String top = "";
    int item = 0;
    for (String line : resolved.lines().toList()) {
      if (line.startsWith("  - ")) {
        keys.put(top + "[" + item++ + "]", line.substring(4));
        continue;
      }
      int colon = line.indexOf(':');
      String key = line.substring(0, colon).strip();
      String value = line.substring(colon + 1).strip();
      if (line.startsWith("  ")) {
        keys.put(top + "." + key, value);
      } else {
        top = key;
        item = 0;
        if (!value.isEmpty()) {
          keys.put(key, value);
        }
      }
    }
    return keys;
  }

  @Override
  public void close() throws IOException {
    queue.close();
  }

  /**
   * A digest of what Sluice and its children run: two builds of one version differ in it if a class
   * or a resource of Sluice differs, or if a library has another name or length.
   */
  static final class BuildDigest {
    private static final String METADATA = "META-INF/";

    private BuildDigest() {}

    /**
     * The digest of the class path of Sluice's processes, in hex. Of a jar of Sluice it takes the
     * checksums that the jar lists, so that it costs milliseconds.
     *
     * @throws IOException if the class path cannot be read
     */
    static String current() throws IOException {
      return of(ChildJvm.classPath(), SluiceVersion.current());
    }

    /** The digest of a class path, on which names of Sluice's own jars end in a version. */
    static String of(List<Path> classPath, String version) throws IOException {
      Map<String, String> contents = new TreeMap<>();
      for (Path entry : classPath) {
        String name = entry.getFileName().toString();
        if (Files.isDirectory(entry)) {
          addFolder(entry, contents);
        } else if (name.endsWith("-" + version + ".jar")) {
          addJar(entry, contents);
        } else {
          contents.put(name, Long.toString(Files.size(entry)));
        }
      }
      return Sha256.hex(contents.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static void addFolder(Path folder, Map<String, String> contents) throws IOException {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          contents.put(folder.relativize(file).toString(), Sha256.hex(Files.readAllBytes(file)));
        }
      }
    }

    private static void addJar(Path jar, Map<String, String> contents) throws IOException {
      try (var zip = new ZipFile(jar.toFile())) {
        zip.stream()
            .filter(entry -> !entry.isDirectory() && !entry.getName().startsWith(METADATA))
            .forEach(entry -> contents.put(entry.getName(), Long.toHexString(entry.getCrc())));
      }
    }
  }
}
