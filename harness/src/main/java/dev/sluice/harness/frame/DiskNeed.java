package dev.sluice.harness.frame;

import dev.sluice.harness.process.News;
import dev.sluice.harness.terminal.Console;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * What a run needs of its folder's disk, and what is said where the disk has less. Safe for any
 * thread.
 */
public final class DiskNeed {
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

  /**
   * A need that is not known yet.
   *
   * @param folder folder of all results
   */
  public DiskNeed(Path folder, Console console) {
    this.folder = folder.toAbsolutePath().normalize();
    this.console = console;
  }

  /**
   * Reckons what the run will need, and warns if there is less.
   *
   * @param jobs number of the run's jobs
   * @param broker true if the run's broker has its log in the folder, while the run goes on
   */
  public void expect(long jobs, boolean broker) {
    bytes =
        LEFT_BYTES
            + jobs * LEFT_BYTES_A_JOB
            + (broker ? BROKER_BYTES + jobs * TOPIC_BYTES_A_JOB : 0);
    OptionalLong free = DiskSpace.freeBytes(folder);
    if (free.isPresent() && free.getAsLong() < bytes) {
      console.line(
          "warning: this run needs about "
              + DiskSpace.mib(bytes)
              + " in "
              + folder
              + ", and "
              + DiskSpace.mib(free.getAsLong())
              + " are free there.");
    }
  }

  /** Says that the run failed because the disk is full, and what it needs. */
  public void sayFull() {
    console.endLiveLine();
    OptionalLong free = DiskSpace.freeBytes(folder);
    News.error(
        "sluice: error: the run failed: the disk of its folder is full ("
            + folder
            + (free.isPresent() ? ": " + free.getAsLong() + " bytes are free" : "")
            + (bytes == 0
                ? ""
                : (free.isPresent() ? ", and" : ":")
                    + " the run needs about "
                    + bytes
                    + " bytes, "
                    + DiskSpace.mib(bytes))
            + ").\n  Maybe make room there, or name a folder on another disk: --results DIR.");
  }

  /** True if a failure comes of the disk: it says so, or nothing can be written any more. */
  public boolean explains(Throwable failure) {
    return DiskSpace.isFull(failure) || DiskSpace.isFull(folder);
  }

  /** True if nothing can be written any more. */
  public boolean isFull() {
    return DiskSpace.isFull(folder);
  }
}
