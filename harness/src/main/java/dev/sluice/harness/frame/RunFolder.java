package dev.sluice.harness.frame;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.analytics.row.FolderFiles;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.process.TemporaryFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run's folder: {@code <run_id>.running} while it runs, {@code <run_id>} as its last act, {@code
 * <run_id>.failed} if it failed. Temporary files of the run live inside, so that nothing stays
 * behind elsewhere however the process ends.
 */
public final class RunFolder implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RunFolder.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TEMPORARY = "temporary";
  private static final String LOCK = ".lock";
  private static final int HOLD_ATTEMPTS = 3;
  private static final long HOLD_AGAIN_NS = 20_000_000;

  /** File of a running folder that names the run's Kafka. */
  public static final String BROKER = "broker.json";

  public static final String RUNNING = ".running";

  public static final String FAILED = ".failed";

  /** Name of the link in the folder of all runs that leads to the one that ended last. */
  private static final String LATEST = "latest";

  private static final Pattern ID = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._-]{0,149}");

  private final Path finished;
  private final Path failed;
  private Path current;
  private boolean discarded;

  /** True if another process had files here before. */
  private boolean foreign;

  /** Lock held while this process writes the folder, which tells others that the run goes on. */
  private @Nullable FileChannel lock;

  private RunFolder(Path results, String runId) {
    finished = results.resolve(runId);
    failed = results.resolve(runId + FAILED);
    current = results.resolve(runId + RUNNING);
  }

  /**
   * Refuses an id that cannot name topics and a folder, or that names a folder of another meaning.
   */
  public static void checkId(String runId) throws UserMistakeException {
    if (!ID.matcher(runId).matches()) {
      throw new UserMistakeException(
          "--run-id",
          "the id ("
              + runId
              + ") cannot name topics and a folder: it begins with a letter or digit, and goes on"
              + " with letters, digits, '.', '_' and '-', at most 150 in all",
          "you want ./sluice run without it, which makes one from the run's name and the time");
    }
    if (runId.equals(LATEST)) {
      throw new UserMistakeException(
          "--run-id",
          "the id (" + runId + ") is the name of the link to the run that ended last",
          "you meant another word, such as " + runId + "-1");
    }
    for (String end : List.of(RUNNING, FAILED)) {
      if (runId.endsWith(end)) {
        throw new UserMistakeException(
            "--run-id",
            "the id ("
                + runId
                + ") ends with "
                + end
                + ", by which the folder of another run tells how far that run is",
            "you meant " + runId.substring(0, runId.length() - end.length()));
      }
    }
  }

  public static RunFolder create(Path results, String runId) throws UserMistakeException {
    RunFolder folder = make(results, runId);
    try {
      folder.hold();
    } catch (IOException e) {
      throw notWritable(results, e);
    }
    return folder;
  }

  /**
   * Makes the folder for several processes, one of which takes it over; returns its present path.
   */
  public static Path prepare(Path results, String runId) throws UserMistakeException {
    return make(results, runId).current;
  }

  private static RunFolder make(Path results, String runId) throws UserMistakeException {
    var folder = new RunFolder(results, runId);
    folder.refuseIfTaken(List.of(folder.finished, folder.failed, folder.current));
    try {
      Files.createDirectories(results);
      Files.createDirectory(folder.current);
      Files.createDirectory(folder.temporary());
      return folder;
    } catch (IOException e) {
      throw notWritable(results, e);
    }
  }

  /** Takes over the folder that another process of the run has made or left, or makes one. */
  public static RunFolder takeOver(Path results, String runId) throws UserMistakeException {
    var folder = new RunFolder(results, runId);
    folder.refuseIfTaken(List.of(folder.finished, folder.failed));
    try {
      Files.createDirectories(results);
      folder.foreign = Files.exists(folder.current);
      Files.createDirectories(folder.temporary());
      if (!folder.hold()) {
        throw new UserMistakeException(
            "--run-id",
            "another process makes the run's folder (" + folder.current + ")",
            "another ./sluice analyze has joined the run, or you want another --results");
      }
    } catch (IOException e) {
      throw notWritable(results, e);
    }
    return folder;
  }

  private boolean hold() throws IOException {
    lock =
        FileChannel.open(
            current.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    for (int attempt = 0; attempt < HOLD_ATTEMPTS; attempt++) {
      if (lock.tryLock() != null) {
        return true;
      }
      LockSupport.parkNanos(HOLD_AGAIN_NS); // a page may have looked just now
    }
    return false;
  }

  /**
   * True if a process works on a running folder, or has not begun to. False once that process is
   * gone, however it ended, and for an empty folder, which no run leaves.
   */
  public static boolean isHeld(Path running) throws IOException {
    try (var other = FileChannel.open(running.resolve(LOCK), StandardOpenOption.WRITE);
        var free = other.tryLock()) {
      return free == null;
    } catch (OverlappingFileLockException e) {
      return true; // this process
    } catch (NoSuchFileException e) {
      return hasFiles(running); // its first process hands it to another one, or it is finished now
    }
  }

  private static boolean hasFiles(Path running) throws IOException {
    try (Stream<Path> files = Files.list(running)) {
      return files.findAny().isPresent();
    } catch (NoSuchFileException e) {
      return true; // its run has just ended, and the folder has its final name
    }
  }

  /**
   * Names the run's Kafka, but no client's property, in the folder, so that others can watch it.
   */
  public void nameBroker(String bootstrapServers) throws IOException {
    Files.writeString(
        current.resolve(BROKER),
        JSON.createObjectNode().put("bootstrap", bootstrapServers).toString());
  }

  /** The Kafka that a running folder names; empty: none yet. */
  public static Optional<String> broker(Path running) throws IOException {
    try {
      String named =
          JSON.readTree(Files.readAllBytes(running.resolve(BROKER))).path("bootstrap").asText();
      return named.isEmpty() ? Optional.empty() : Optional.of(named);
    } catch (NoSuchFileException | JsonProcessingException e) {
      return Optional.empty();
    }
  }

  /** Refuses to take part in a run that is over: its topics are gone, and would be made anew. */
  public static void refuseFinished(Path results, String runId) throws UserMistakeException {
    Path finished = results.resolve(runId);
    if (Files.exists(finished)) {
      throw new UserMistakeException(
          "--run-id",
          "the run (" + runId + ") has ended, and left (" + finished + ")",
          "you want another --run-id, or to move that folder away");
    }
  }

  /** The folder of all runs: the given one, or {@code results} beside {@code ./sluice}. */
  public static Path results(@Nullable Path told) {
    return told != null ? told : Path.of(System.getProperty("sluice.home", ".")).resolve("results");
  }

  private void refuseIfTaken(List<Path> folders) throws UserMistakeException {
    for (Path taken : folders) {
      if (Files.exists(taken)) {
        throw new UserMistakeException(
            "--run-id",
            "a run with this id has left a folder (" + taken + ")",
            "you want another --run-id, or to move that folder away");
      }
    }
  }

  private static UserMistakeException notWritable(Path results, IOException e) {
    return notWritable("--results", results, e);
  }

  /** The mistake of a user whose folder, which an option names, cannot be written. */
  public static UserMistakeException notWritable(String option, Path folder, IOException e) {
    return new UserMistakeException(
        option,
        "the folder cannot be written (" + folder + ": " + UserMistakeException.reason(e) + ")",
        "you want another " + option + ", or lack the right to write there",
        e);
  }

  public Path path() {
    return current;
  }

  public Path log() {
    return current.resolve("run.log");
  }

  public Path temporary() {
    return current.resolve(TEMPORARY);
  }

  /** The path of the folder if the run fails, and with it the series that it is one of. */
  public Path failedPath() {
    Path series = failed.toAbsolutePath().getParent();
    if (!isInSeries() || series == null || isRunning(series.getParent())) {
      return failed; // a series of two settings keeps its name, so that the same command goes on
    }
    String name = String.valueOf(series.getFileName());
    String ended = name.substring(0, name.length() - RUNNING.length()) + FAILED;
    return series.resolveSibling(ended).resolve(failed.getFileName());
  }

  /** True if the folder lies in that of a series which goes on, so that its path will change. */
  public boolean isInSeries() {
    return isRunning(finished.toAbsolutePath().getParent());
  }

  private static boolean isRunning(@Nullable Path folder) {
    return folder != null && folder.toString().endsWith(RUNNING);
  }

  /** Removes the temporary files and leaves the rest as it is, for a process that ends at once. */
  public void abandon() {
    try {
      removeTemporary();
    } catch (IOException e) {
      LOG.error("temporary files stay behind in {}", temporary(), e);
    }
  }

  /** Marks the folder as failed, for a process that ends at once while parts of it still write. */
  public void failAtOnce() {
    try {
      Files.move(current, failed, StandardCopyOption.ATOMIC_MOVE);
      current = failed;
      removeMarks();
    } catch (IOException | UncheckedIOException e) {
      LOG.error("temporary files stay behind in {}", current, e);
    }
  }

  /** Gives the folder its final name, since the run is whole. */
  public Path finish() throws IOException {
    removeMarks();
    Files.move(current, finished, StandardCopyOption.ATOMIC_MOVE);
    current = finished;
    return finished;
  }

  /** Removes the folder, unless another process had files in it before. */
  public void discard() throws IOException {
    if (foreign) {
      removeTemporary();
    } else {
      TemporaryFolder.removeTree(current);
    }
    discarded = true;
  }

  public void discardAll() throws IOException {
    foreign = false;
    discard();
  }

  /** Marks a folder as failed that was neither finished nor discarded. */
  @Override
  public void close() throws IOException {
    if (!discarded && !current.equals(finished)) {
      removeMarks();
      Files.move(current, failed, StandardCopyOption.ATOMIC_MOVE);
      current = failed;
    }
    if (lock != null) {
      lock.close();
    }
  }

  private void removeTemporary() throws IOException {
    TemporaryFolder.removeTree(temporary());
    Files.deleteIfExists(current.resolve(BROKER));
  }

  private void removeMarks() throws IOException {
    removeTemporary();
    Files.deleteIfExists(current.resolve(LOCK));
  }

  /**
   * Points the link {@code latest} to a finished run, unless the system has no links, a run is
   * itself called so, or the run is part of a series that goes on.
   */
  public static void pointLatest(Path finished) {
    if (isRunning(finished.toAbsolutePath().getParent())) {
      return;
    }
    Path link = finished.resolveSibling(LATEST);
    if (Files.exists(link) && !Files.isSymbolicLink(link)) {
      return;
    }
    Path fresh = finished.resolveSibling("." + LATEST + "-" + ProcessHandle.current().pid());
    try {
      Files.deleteIfExists(fresh);
      Files.createSymbolicLink(fresh, Objects.requireNonNull(finished.getFileName()));
      Files.move(fresh, link, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | UnsupportedOperationException e) {
      LOG.debug("no link {}", link, e);
    }
  }

  public static void removeDanglingLatest(Path results) throws IOException {
    Path link = results.resolve(LATEST);
    if (Files.isSymbolicLink(link) && !Files.exists(link)) {
      Files.delete(link);
    }
  }

  public static boolean isLatest(Path path) {
    return path.endsWith(LATEST) && Files.isSymbolicLink(path);
  }

  /** Writes what a person says of a run beside its other files, if it is not null. */
  public static void writeNote(Path folder, @Nullable String note) throws IOException {
    if (note != null) {
      Files.writeString(folder.resolve(FolderFiles.NOTE), note.strip() + "\n");
    }
  }

  /** What a person said of a run. */
  public static Optional<String> note(Path folder) throws IOException {
    Path file = folder.resolve(FolderFiles.NOTE);
    return Files.exists(file) ? Optional.of(Files.readString(file).strip()) : Optional.empty();
  }

  /** Removes all folders that runs of an id have left, whatever came of them. */
  public static void removeAll(Path results, String runId) throws IOException {
    for (String end : List.of("", RUNNING, FAILED)) {
      TemporaryFolder.removeTree(results.resolve(runId + end));
    }
  }
}
