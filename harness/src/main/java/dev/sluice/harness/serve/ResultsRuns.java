package dev.sluice.harness.serve;

import dev.sluice.analytics.live.Run.State;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.contract.event.RunSummarized;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.RunFolder;
import dev.sluice.harness.kafka.KafkaAccess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Every run in a folder of results: those under way from the Kafka that their folder names, the
 * others from their folders. A folder's figures are read once, until its summary changes.
 */
final class ResultsRuns implements Runs {
  private static final Logger LOG = LoggerFactory.getLogger(ResultsRuns.class);

  /** Finished runs whose rows are kept in memory. */
  private static final int READ_RUNS_MAX = 4;

  private final Path results;
  private final @Nullable Path kafkaConfig;
  private final Map<Path, Seen> seen = new ConcurrentHashMap<>();
  private final Map<String, LiveRun> watched = new HashMap<>();
  private final Map<Path, FolderRun> read =
      new LinkedHashMap<>(READ_RUNS_MAX, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Path, FolderRun> eldest) {
          return size() > READ_RUNS_MAX;
        }
      };

  /** A folder's row, and the version of the summary that it was read from. */
  private record Seen(Object version, ListedRun row) {}

  private record Folder(String id, State state, Path path) {
    Path summary() {
      return path.resolve(FolderFiles.SUMMARY);
    }

    ListedRun row(State of, String why) {
      return ListedRun.of(id, of, why);
    }
  }

  ResultsRuns(Path results, @Nullable Path kafkaConfig) {
    this.results = results;
    this.kafkaConfig = kafkaConfig;
  }

  /** Reads all rows once, on a thread of its own, so that the first page need not wait for it. */
  void readAhead() {
    var thread =
        new Thread(
            () -> {
              try {
                int read = rows(true).size();
                LOG.debug("{} runs in {}", read, results);
              } catch (IOException e) {
                LOG.debug("{} cannot be listed", results, e);
              }
            },
            "sluice-page-runs");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public byte[] list() throws IOException {
    return ListedRun.json(rows(true));
  }

  /**
   * The rows of all runs, by id; where watched, the Kafka of a run under way is asked for figures.
   */
  List<ListedRun> rows(boolean watched) throws IOException {
    return folders().parallelStream()
        .flatMap(folder -> row(folder, watched).stream())
        .sorted(Comparator.comparing(ListedRun::id))
        .toList();
  }

  private List<Folder> folders() throws IOException {
    List<Folder> folders = new ArrayList<>();
    try (Stream<Path> all = Files.list(results)) {
      all.filter(path -> !RunFolder.isLatest(path) && !Files.isRegularFile(path))
          .forEach(path -> folders.add(folder(path)));
    } catch (NoSuchFileException e) {
      return List.of(); // no run has begun yet
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return folders;
  }

  private static Folder folder(Path path) {
    String name = path.getFileName().toString();
    if (name.endsWith(RunFolder.RUNNING)) {
      return new Folder(without(name, RunFolder.RUNNING), State.LIVE, path);
    }
    if (name.endsWith(RunFolder.FAILED)) {
      return new Folder(without(name, RunFolder.FAILED), State.FAILED, path);
    }
    return new Folder(name, State.FINISHED, path);
  }

  private static String without(String name, String end) {
    return name.substring(0, name.length() - end.length());
  }

  /** The row of a folder; empty: it is none of a run. */
  private Optional<ListedRun> row(Folder folder, boolean watched) {
    try {
      if (folder.state() == State.LIVE) {
        return Optional.of(liveRow(folder, watched));
      }
      ListedRun row = summaryRow(folder);
      if (folder.state() == State.FAILED && (row == null || row.state() == State.UNREADABLE)) {
        Path told = folder.path().resolve(FolderFiles.FAILURE);
        String why =
            Files.exists(told) ? Files.readString(told).strip() : "it left no summary.json";
        return Optional.of(folder.row(State.FAILED, why));
      }
      return row == null && Files.isRegularFile(folder.path().resolve(FolderFiles.TRACE))
          ? Optional.of(folder.row(State.UNREADABLE, "it has no summary.json"))
          : Optional.ofNullable(row);
    } catch (IOException e) {
      LOG.debug("{} cannot be read", folder.path(), e);
      return Optional.of(folder.row(State.UNREADABLE, "its folder cannot be read"));
    }
  }

  private ListedRun liveRow(Folder folder, boolean watched) throws IOException {
    if (!RunFolder.isHeld(folder.path())) {
      return folder.row(State.FAILED, "its process is gone, and left " + folder.path());
    }
    if (!watched) {
      return folder.row(State.LIVE, "its process works on " + folder.path());
    }
    LiveRun live = live(folder);
    return live == null ? folder.row(State.LIVE, "it starts") : live.listed();
  }

  /** The row that summary.json gives; null: there is none. */
  private @Nullable ListedRun summaryRow(Folder folder) throws IOException {
    BasicFileAttributes file;
    try {
      file = Files.readAttributes(folder.summary(), BasicFileAttributes.class);
    } catch (NoSuchFileException e) {
      return null;
    } catch (FileSystemException e) {
      if (!Files.isDirectory(folder.path())) {
        return null; // a file among the folders
      }
      throw e;
    }
    var version = List.of(file.lastModifiedTime(), file.size());
    Seen before = seen.get(folder.path());
    if (before == null || !before.version().equals(version)) {
      before =
          new Seen(
              version,
              ListedRun.read(
                  folder.id(),
                  folder.state(),
                  folder.summary(),
                  file.lastModifiedTime().toMillis()));
      seen.put(folder.path(), before);
    }
    return before.row();
  }

  @Override
  public @Nullable Shown find(String id) throws IOException {
    Folder best = null;
    for (Folder folder : folders()) {
      if (folder.id().equals(id) && (best == null || folder.state() == State.FINISHED)) {
        best = folder;
      }
    }
    if (best == null) {
      return null;
    }
    if (best.state() == State.LIVE) {
      return live(best);
    }
    if (!Files.isRegularFile(best.summary())
        || Files.exists(best.path().resolve(FolderFiles.REPEATS))) {
      return null;
    }
    synchronized (watched) { // the run is over, and its folder tells more
      LiveRun before = watched.remove(id);
      if (before != null) {
        before.close();
      }
    }
    synchronized (read) {
      FolderRun run = read.get(best.path());
      if (run == null || !run.isCurrent()) {
        run = FolderRun.open(best.path());
        read.put(best.path(), run);
      }
      return run;
    }
  }

  /** The run under way in a folder; null: its Kafka is not named yet. */
  private @Nullable LiveRun live(Folder folder) throws IOException {
    synchronized (watched) {
      LiveRun before = watched.get(folder.id());
      if (before != null) {
        return before;
      }
      Optional<String> broker = RunFolder.broker(folder.path());
      if (broker.isEmpty()) {
        return null;
      }
      try {
        var run = new LiveRun(folder.id());
        var unused =
            run.read(
                KafkaAccess.of(folder.path().toString(), broker.get(), kafkaConfig),
                () -> cameOut(folder));
        watched.put(folder.id(), run);
        return run;
      } catch (UserMistakeException e) {
        throw new IOException(e);
      }
    }
  }

  /** How a run came out whose folder was one of a run under way; null: it goes on. */
  private @Nullable RunSummarized cameOut(Folder folder) {
    Path failed = results.resolve(folder.id() + RunFolder.FAILED);
    try {
      Path finished = results.resolve(folder.id()).resolve(FolderFiles.SUMMARY);
      if (Files.exists(finished)) {
        return new RunSummarized(folder.id(), Files.readString(finished), null);
      }
      String failure = "the run's process is gone, and left " + folder.path();
      if (Files.exists(failed)) {
        failure = "the run failed; it left " + failed;
      } else if (!Files.exists(folder.path())) {
        failure = "the run was stopped, and left nothing";
      } else if (RunFolder.isHeld(folder.path())) {
        return null;
      }
      return new RunSummarized(folder.id(), null, failure);
    } catch (IOException e) {
      LOG.debug("{} cannot be looked at", folder.path(), e);
      return null;
    }
  }

  @Override
  public void close() {
    synchronized (watched) {
      watched.values().forEach(LiveRun::close);
      watched.clear();
    }
  }
}
