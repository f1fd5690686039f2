package dev.sluice.harness.frame;

import dev.sluice.harness.machine.Console;
import dev.sluice.harness.process.News;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The disk of a folder: its room, and what a run needs of it. Safe for any thread. */
public final class DiskSpace {
  /** Below this, bytes, a disk is full: no block of most file systems is left for another file. */
  private static final long FULL_BYTES = 64 * 1024;

  private static final long MIB = 1024 * 1024;

  /** What systems say of a disk, or of a person's share of it, that takes nothing more. */
  private static final List<String> FULL =
      List.of("no space left on device", "disk quota exceeded", "not enough space on the disk");

  /** Rows, log.jsonl.gz, pictures and the page, bytes of a job; measured, and rounded up. */
  private static final long LEFT_BYTES_A_JOB = 800;

  /** Records of the topics on an embedded broker, bytes of a job; measured, and rounded up. */
  private static final long TOPIC_BYTES_A_JOB = 1_600;

  private static final long LEFT_BYTES = 2 << 20;

  /** What a broker and its topics take before the first job, with their indexes. */
  private static final long BROKER_BYTES = 6 << 20;

  private final Path folder;
  private final Console console;
  private volatile long bytes;

  public DiskSpace(Path folder, Console console) {
    this.folder = folder.toAbsolutePath().normalize();
    this.console = console;
  }

  /** Reckons what the run will need, with its own broker's log if it has one, and warns of less. */
  public void expect(long jobs, boolean broker) {
    bytes =
        LEFT_BYTES
            + jobs * LEFT_BYTES_A_JOB
            + (broker ? BROKER_BYTES + jobs * TOPIC_BYTES_A_JOB : 0);
    OptionalLong free = freeBytes(folder);
    if (free.isPresent() && free.getAsLong() < bytes) {
      console.line(
          "warning: this run needs about %s in %s, and %s are free there."
              .formatted(mib(bytes), folder, mib(free.getAsLong())));
    }
  }

  /** Says that the run failed because the disk is full, and what it needs. */
  public void sayFull() {
    console.endLiveLine();
    List<String> known = new ArrayList<>();
    freeBytes(folder).ifPresent(free -> known.add(free + " bytes are free"));
    if (bytes != 0) {
      known.add("the run needs about " + bytes + " bytes, " + mib(bytes));
    }
    News.error(
        "sluice: error: the run failed: the disk of its folder is full ("
            + folder
            + (known.isEmpty() ? "" : ": ")
            + String.join(", and ", known)
            + ").\n  Maybe make room there, or name a folder on another disk: --results DIR.");
  }

  /** True if a failure comes of the disk: it says so, or nothing can be written any more. */
  public boolean explains(Throwable failure) {
    return isFull(failure) || isFull(folder);
  }

  public boolean isFull() {
    return isFull(folder);
  }

  public static boolean isFull(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String said = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
      if (FULL.stream().anyMatch(said::contains)) {
        return true;
      }
    }
    return false;
  }

  public static boolean isFull(Path folder) {
    OptionalLong free = freeBytes(folder);
    return free.isPresent() && free.getAsLong() < FULL_BYTES;
  }

  /** Room that this process may still fill, bytes; empty: the system does not say. */
  public static OptionalLong freeBytes(Path folder) {
    try {
      return OptionalLong.of(Files.getFileStore(folder).getUsableSpace());
    } catch (IOException e) {
      return OptionalLong.empty();
    }
  }

  /**
   * An error's two lines for a failure of which nothing more is known; null: it is no full disk.
   */
  public static @Nullable String words(Throwable failure) {
    if (!isFull(failure)) {
      return null;
    }
    String where = "";
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof FileSystemException named && named.getFile() != null) {
        where = " (" + named.getFile() + ")";
      }
    }
    return "sluice: error: a disk is full"
        + where
        + ": what was written before is there.\n"
        + "  Maybe make room there, or name a folder on another disk.";
  }

  public static String mib(long bytes) {
    return String.format(Locale.ROOT, "%,d MiB", (bytes + MIB - 1) / MIB);
  }
}
