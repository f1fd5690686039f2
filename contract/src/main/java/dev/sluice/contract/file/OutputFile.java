package dev.sluice.contract.file;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A file that a command writes at a path which a person gave. A regular file has a temporary name
 * beside it until it is whole, and replaces what stood there then. A symbolic link is followed, and
 * stays. Anything else, such as a device or a FIFO, is never replaced: the bytes go into it. Not
 * safe for threads.
 */
public final class OutputFile implements Closeable {
  private static final int LINKS_MAX = 40;

  private final @Nullable Path file;
  private final @Nullable Path unfinished;
  private final OutputStream stream;
  private boolean finished;

  @FunctionalInterface
  public interface Test {
    boolean passes(Path file) throws IOException;
  }

  /**
   * A kind of file that commands write.
   *
   * @param kept true if {@code --force} is needed to replace a file of the kind, since nothing else
   *     may hold its content
   */
  public record Kind(String noun, boolean kept, Test test) {
    /** A kind whose files begin with these bytes, and are made again by the same command. */
    public static Kind madeAgain(String noun, byte[] beginning) {
      return new Kind(
          noun,
          false,
          file -> {
            try (InputStream in = Files.newInputStream(file)) {
              return Arrays.equals(in.readNBytes(beginning.length), beginning);
            }
          });
    }
  }

  private OutputFile(@Nullable Path file, @Nullable Path unfinished, OutputStream stream) {
    this.file = file;
    this.unfinished = unfinished;
    this.stream = stream;
  }

  /**
   * Refuses to replace a file that the command did not make. An empty file may be replaced.
   *
   * @throws UserMistakeException if the path is that of a folder, of a file of another kind, or of
   *     a kept file without {@code force}
   */
  public static void check(Path named, Kind kind, boolean force) throws UserMistakeException {
    if (Files.isDirectory(named)) {
      throw new UserMistakeException(
          named.toString(),
          "this is a folder, and a file is to be written",
          "you meant a file inside it");
    }
    if (!Files.isRegularFile(named)) {
      return;
    }
    try {
      if (Files.size(named) == 0) {
        return;
      }
      if (!kind.test().passes(named)) {
        throw new UserMistakeException(
            named.toString(),
            "this file is no " + kind.noun() + ", and is not replaced",
            "you want another name, or to move the file away first");
      }
    } catch (IOException e) {
      throw new UserMistakeException(
          named.toString(),
          "this file cannot be read, and is not replaced (" + UserMistakeException.reason(e) + ")",
          "you want another name, or to move the file away first",
          e);
    }
    if (kind.kept() && !force) {
      throw new UserMistakeException(
          named.toString(),
          "there is a " + kind.noun() + " already, and it is not replaced",
          "you want another name, or --force, which replaces it");
    }
  }

  public static OutputFile begin(Path named) throws IOException {
    if (Files.exists(named) && !Files.isRegularFile(named)) {
      return new OutputFile(null, null, Files.newOutputStream(named, StandardOpenOption.WRITE));
    }
    Path file = followed(named);
    Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
    return new OutputFile(file, unfinished, Files.newOutputStream(unfinished));
  }

  public static void write(Path named, byte[] bytes) throws IOException {
    try (OutputFile output = begin(named)) {
      output.stream().write(bytes);
      output.finish();
    }
  }

  /** The file that a path leads to, over all links; it need not exist. */
  private static Path followed(Path named) throws IOException {
    Path path = named.toAbsolutePath();
    for (int links = 0; Files.isSymbolicLink(path); links++) {
      if (links == LINKS_MAX) {
        throw new FileSystemLoopException(named.toString());
      }
      path = path.resolveSibling(Files.readSymbolicLink(path));
    }
    return path;
  }

  /** Takes the bytes. It is closed by {@link #finish} and {@link #close}. */
  public OutputStream stream() {
    return stream;
  }

  /** Gives a regular file its name, since it is whole. */
  public void finish() throws IOException {
    stream.close();
    if (file != null && unfinished != null) {
      Files.move(
          unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
    finished = true;
  }

  /** Removes a regular file that was not finished; what stood there before is still there. */
  @Override
  public void close() throws IOException {
    try {
      stream.close();
    } finally {
      if (!finished && unfinished != null) {
        Files.deleteIfExists(unfinished);
      }
    }
  }
}
