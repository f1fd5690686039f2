package dev.sluice.harness.frame;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Room on the disk of a folder: whether it has run out, how much is left, and words for both. */
public final class DiskSpace {
  /** Below this, bytes, a disk is full: no block of most file systems is left for another file. */
  private static final long FULL_BYTES = 64 * 1024;

  private static final long MIB = 1024 * 1024;

  /** What systems say of a disk, or of a person's share of it, that takes nothing more. */
  private static final List<String> FULL =
      List.of("no space left on device", "disk quota exceeded", "not enough space on the disk");

  private DiskSpace() {}

  /** True if a failure, or one of its causes, is a disk without room. */
  public static boolean isFull(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String said = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
      if (FULL.stream().anyMatch(said::contains)) {
        return true;
      }
    }
    return false;
  }

  /** True if the disk of a folder has no room now. */
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
   * Words for a failure of a command of which nothing more is known than that a disk was full.
   *
   * @return an error's two lines; null if the failure is another one
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

  /** A number of bytes in whole MiB, rounded up, as text. */
  public static String mib(long bytes) {
    return String.format(Locale.ROOT, "%,d MiB", (bytes + MIB - 1) / MIB);
  }
}
