package dev.sluice.sweep.workspace;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.UserMistakeException.Problem;
import dev.sluice.sweep.queue.QueueState;
import dev.sluice.sweep.queue.Request.Entry;
import dev.sluice.sweep.queue.TaskState;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The configs and GPUs that a user names, as tasks. */
record Selection(Workspace workspace) {
  /**
   * The tasks of a list of configs and of GPUs, as {@code start} takes them.
   *
   * @param configs names with commas between; null or empty: all that match config_pattern
   * @param gpus ids with commas between, as long as configs; null or empty: any
   * @throws UserMistakeException with all mistakes
   */
  List<Entry> of(@Nullable String configs, @Nullable String gpus, QueueState state)
      throws UserMistakeException, IOException {
    List<Problem> problems = new ArrayList<>();
    List<Path> files = configs == null || configs.isBlank() ? matching() : named(configs, problems);
    List<Integer> ids = gpus == null || gpus.isBlank() ? List.of() : ids(gpus, problems);
    if (problems.isEmpty() && !ids.isEmpty() && ids.size() != files.size()) {
      problems.add(
          new Problem(
              "GPU_LIST",
              "there are %d configs, but %d GPUs (%s)".formatted(files.size(), ids.size(), gpus),
              "each config should have its GPU, in the same order"));
    }
    List<Entry> entries = new ArrayList<>();
    Map<String, Path> byName = new HashMap<>();
    for (int i = 0; i < files.size(); i++) {
      Path file = files.get(i);
      String name = stem(file);
      Path before = byName.putIfAbsent(name, file);
      TaskState known = state.task(name);
      if (before == null && known != null && !known.config().equals(file.toString())) {
        before = Path.of(known.config());
      }
      if (before != null) {
        problems.add(
            new Problem(
                "CONFIG_LIST",
                before.equals(file)
                    ? "config (" + file.getFileName() + ") is listed twice"
                    : "two configs have one name (%s, %s)".formatted(before, file),
                before.equals(file)
                    ? "one of the two should be removed"
                    : "one should be renamed: their markers and logs would be one file"));
      } else {
        Integer gpu = i < ids.size() ? ids.get(i) : null;
        entries.add(new Entry(name, file.toString(), gpu, false));
      }
    }
    if (!problems.isEmpty()) {
      throw new UserMistakeException(problems);
    }
    return entries;
  }

  /** Name of the task of a config: the file's name without its ending. */
  static String stem(Path file) {
    String name = file.getFileName().toString();
    int dot = name.lastIndexOf('.');
    return dot <= 0 ? name : name.substring(0, dot);
  }

  private List<Path> matching() throws UserMistakeException, IOException {
    Path folder = workspace.config().folders().configs();
    String pattern = workspace.config().folders().pattern();
    List<Path> files = List.of();
    if (Files.isDirectory(folder)) {
      PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + pattern);
      try (Stream<Path> entries = Files.list(folder)) {
        files =
            entries
                .filter(file -> matcher.matches(file.getFileName()) && Files.isRegularFile(file))
                .sorted()
                .toList();
      }
    }
    if (files.isEmpty()) {
      throw new UserMistakeException(
          folder.toString(),
          "no config matches config_pattern (" + pattern + ")",
          "the configs have another ending, or config_dir is another");
    }
    return files;
  }

  private List<Path> named(String configs, List<Problem> problems) {
    Path folder = workspace.config().folders().configs();
    List<Path> files = new ArrayList<>();
    for (String name : configs.split(",", -1)) {
      Path file = folder.resolve(name.strip()).normalize();
      if (name.isBlank() || !Files.isRegularFile(file)) {
        problems.add(
            new Problem(
                "CONFIG_LIST",
                "config (" + name.strip() + ") is missing in " + folder,
                name.isBlank() ? "there is a comma too many" : "its ending is missing"));
      }
      files.add(file);
    }
    return files;
  }

  private List<Integer> ids(String gpus, List<Problem> problems) {
    List<Integer> known = workspace.config().rules().gpus();
    List<Integer> ids = new ArrayList<>();
    for (String written : gpus.split(",", -1)) {
      String id = written.strip();
      if (id.matches("\\d{1,4}") && known.contains(Integer.valueOf(id))) {
        ids.add(Integer.valueOf(id));
      } else {
        problems.add(
            new Problem(
                "GPU_LIST",
                "GPU (" + id + ") is out of range",
                known.isEmpty()
                    ? "the list should be left out: gpu_count is 0"
                    : "you meant one of " + known));
      }
    }
    return ids;
  }
}
