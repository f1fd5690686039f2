package dev.sluice.layers.parameters;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** What a training changes in its folder, one operation at a time. */
class Disk {
  /** Writes a file from its start; what stood there is lost. */
  void write(Path file, List<ByteBuffer> content) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      for (ByteBuffer piece : content) {
        writeFully(channel, piece.duplicate(), channel.position());
        channel.position(channel.size());
      }
    }
  }

  /** Writes behind the first bytes of a file, and cuts off what stood there. */
  void replaceEnd(Path file, long keptBytes, ByteBuffer end) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.truncate(keptBytes);
      writeFully(channel, end.duplicate(), keptBytes);
    }
  }

  private static void writeFully(FileChannel channel, ByteBuffer piece, long offset)
      throws IOException {
    long at = offset;
    while (piece.hasRemaining()) {
      at += channel.write(piece, at);
    }
  }

  /** Waits until a file's content, or a folder's names, would survive a loss of power. */
  void sync(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Renames a file, at once and in place of the one that has the name. */
  void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }
}
