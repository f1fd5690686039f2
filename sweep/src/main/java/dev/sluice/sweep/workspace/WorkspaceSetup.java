package dev.sluice.sweep.workspace;

import dev.sluice.contract.file.OutputFile;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.QuotedText;
import dev.sluice.contract.file.Tree;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Scalar;
import dev.sluice.harness.machine.Console;
import dev.sluice.sweep.workspace.WorkspaceConfig.WorkspaceKey;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Makes a folder a workspace: its wrapper, its config with every key, and its folders. */
public final class WorkspaceSetup {
  private static final String WRAPPER = "scheduler.sh";
  private static final Pattern UNQUOTED = Pattern.compile("-?\\d+(\\.\\d+)?|true|false");
  private static final int COMMENT_COLUMN = 48;

  /** Line of the one key whose default is another key's. */
  private static final String NO_GPUS = "# gpus: [0, 1]";

  private final Path folder;
  private final Path launcher;
  private final Console console;

  /**
   * @param folder the workspace, which need not exist
   * @param launcher Sluice's launcher, which the wrapper starts
   */
  public WorkspaceSetup(Path folder, Path launcher, Console console) {
    this.folder = folder;
    this.launcher = launcher.toAbsolutePath().normalize();
    this.console = console;
  }

  /**
   * Writes what is missing.
   *
   * @param force true if what is there is taken over: the old wrapper is kept as scheduler.sh.bak,
   *     and the old config's values stay
   * @throws UserMistakeException if something is there and is not taken over, the old config cannot
   *     be read, or the folder cannot be written; then nothing is changed
   */
  public void execute(boolean force) throws UserMistakeException {
    Path wrapper = folder.resolve(WRAPPER);
    Path config = folder.resolve(Workspace.CONFIG);
    if (!force) {
      for (Path there : List.of(wrapper, config)) {
        if (Files.exists(there, LinkOption.NOFOLLOW_LINKS)) {
          throw new UserMistakeException(
              there.toString(),
              "the folder is a workspace already",
              "you want --force, which keeps the old wrapper as scheduler.sh.bak, and the old"
                  + " config's values");
        }
      }
    }
    try {
      Files.createDirectories(folder);
      String text = Files.exists(config) ? completed(config) : fresh();
      OutputFile.write(config, text.getBytes(StandardCharsets.UTF_8));
      wrap(wrapper);
      Files.createDirectories(folder.resolve("configs"));
      Files.createDirectories(folder.resolve("out"));
    } catch (IOException e) {
      throw new UserMistakeException(
          folder.toString(),
          "the workspace cannot be written (" + UserMistakeException.reason(e) + ")",
          "another folder was meant, or you lack the right to write there",
          e);
    }
    console.line("");
    console.line("Next: set script_path and python_env in " + config + ", put configs into");
    console.line(folder.resolve("configs") + ", then: cd " + folder + " && ./scheduler.sh start");
  }

  /** Every key with its comment and its default. */
  private String fresh() {
    console.item(Workspace.CONFIG, "every key with its default");
    return "# A workspace of Sluice's queue. Paths are relative to this folder, or absolute.\n"
        + EnumSet.allOf(WorkspaceKey.class).stream()
            .map(this::line)
            .collect(Collectors.joining("\n", "", "\n"));
  }

  private String line(WorkspaceKey key) {
    String value = key == WorkspaceKey.TASK_NAME ? taskName() : key.fallback();
    String setting =
        key == WorkspaceKey.GPUS
            ? NO_GPUS
            : key.key() + ": " + (UNQUOTED.matcher(value).matches() ? value : QuotedText.of(value));
    return String.format("%-" + COMMENT_COLUMN + "s # %s", setting, key.comment());
  }

  /** The folder's name, so that two workspaces have sessions and logs of their own. */
  private String taskName() {
    Path name = folder.toAbsolutePath().normalize().getFileName();
    String plain = name == null ? "" : name.toString().replaceAll("[^A-Za-z0-9_-]+", "_");
    return plain.isEmpty() ? WorkspaceKey.TASK_NAME.fallback() : plain;
  }

  /** An old config as it stands, with the keys that it lacks below. */
  private String completed(Path config) throws IOException, UserMistakeException {
    Set<String> present = keys(config);
    String text = Files.readString(config);
    List<WorkspaceKey> missing = new ArrayList<>(EnumSet.allOf(WorkspaceKey.class));
    missing.removeIf(key -> present.contains(key.key()));
    if (text.contains(NO_GPUS)) {
      missing.remove(WorkspaceKey.GPUS); // an earlier setup has written its line
    }
    console.item(
        Workspace.CONFIG,
        "kept, with "
            + (missing.isEmpty() ? "every key there" : missing.size() + " missing keys added"));
    if (missing.isEmpty()) {
      return text;
    }
    return text
        + (text.isEmpty() || text.endsWith("\n") ? "" : "\n")
        + missing.stream().map(this::line).collect(Collectors.joining("\n", "", "\n"));
  }

  private static Set<String> keys(Path config) throws UserMistakeException {
    var problems = new Problems(config.toString());
    Value root;
    try (Tree tree = Tree.open(config, "another folder was meant", Tree.Limits.BY_HAND)) {
      root = tree.whole(problems);
    }
    problems.throwIfAny();
    if (root instanceof Mapping mapping) {
      return mapping.entries().keySet();
    }
    if (root == null || (root instanceof Scalar scalar && scalar.missing())) {
      return Set.of();
    }
    throw new UserMistakeException(
        root.place(),
        "the old config is no mapping of keys to values",
        "it should be moved away, and setup makes a new one");
  }

  private void wrap(Path wrapper) throws IOException {
    String text = wrapper();
    if (Files.exists(wrapper, LinkOption.NOFOLLOW_LINKS)) {
      boolean own = Files.isRegularFile(wrapper) && Files.readString(wrapper).equals(text);
      if (!own) {
        Path kept = backup(wrapper);
        Files.move(wrapper, kept);
        console.item(WRAPPER, "the old one is now " + kept.getFileName());
      }
    }
    OutputFile.write(wrapper, text.getBytes(StandardCharsets.UTF_8));
    Files.setPosixFilePermissions(wrapper, PosixFilePermissions.fromString("rwxr-xr-x"));
    console.item(WRAPPER, "starts " + launcher);
  }

  /** The first name that no earlier wrapper has. */
  private static Path backup(Path wrapper) {
    Path name = wrapper.resolveSibling(WRAPPER + ".bak");
    for (int i = 2; Files.exists(name, LinkOption.NOFOLLOW_LINKS); i++) {
      name = wrapper.resolveSibling(WRAPPER + ".bak" + i);
    }
    return name;
  }

  private String wrapper() throws IOException {
    try (InputStream in = WorkspaceSetup.class.getResourceAsStream(WRAPPER)) {
      if (in == null) {
        throw new IllegalStateException("this build has no " + WRAPPER);
      }
      String path = "'" + launcher.toString().replace("'", "'\\''") + "'";
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("@SLUICE@", path);
    }
  }
}
