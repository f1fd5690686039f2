package dev.sluice.harness.frame;

import dev.sluice.contract.file.UserMistakeException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A folder held by this process, until it ends however it ends. Others are told who holds it. */
public final class FolderHold implements AutoCloseable {
  /** Name of the file that is locked, and that holds the process id. */
  public static final String FILE = ".held";

  private static final int PID_BYTES_MAX = 20;

  private final Path file;
  private final FileChannel channel;

  private FolderHold(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Makes the folder, which an option names, if it is missing, and holds it.
   *
   * @throws UserMistakeException if it is held by another process, or this one, or cannot be
   *     written
   */
  public static FolderHold take(Path folder, String option) throws UserMistakeException {
    Path file = folder.resolve(FILE);
    try {
      Files.createDirectories(folder);
      var channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      try {
        if (!locked(channel)) {
          throw new UserMistakeException(
              option,
              "another process (%s) works in the folder (%s)".formatted(text(channel), folder),
              "you want another folder, or to wait until that process has ended");
        }
        String pid = Long.toString(ProcessHandle.current().pid());
        channel.truncate(0);
        channel.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)), 0);
        return new FolderHold(file, channel);
      } catch (IOException | UserMistakeException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw unwritable(folder, option, e);
    }
  }

  /** The mistake of which a user is told whose folder cannot be written. */
  public static UserMistakeException unwritable(Path folder, String option, IOException e) {
    return new UserMistakeException(
        option,
        "the folder (%s) cannot be written (%s)".formatted(folder, UserMistakeException.reason(e)),
        "you want another folder, or lack the right or the room to write there",
        e);
  }

  private static boolean locked(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false; // this process holds it
    }
  }

  private static String text(FileChannel channel) throws IOException {
    ByteBuffer pid = ByteBuffer.allocate(PID_BYTES_MAX);
    channel.read(pid, 0);
    String text = StandardCharsets.US_ASCII.decode(pid.flip()).toString().strip();
    return text.isEmpty() ? "it has just begun" : "pid " + text;
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(file);
    channel.close();
  }
}
