package dev.sluice.cli.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A reader that gets inputs which are nearly right.
 *
 * @param examples right inputs
 */
record FuzzedReader(String name, List<String> examples, Read read) {
  static final Path CONFIGS = Path.of("..", "configs");

  /** Reads one input; what it throws is what it has to say. */
  interface Read {
    /**
     * @param folder where the input may be written as a file
     */
    void accept(Path folder, byte[] input) throws Exception;
  }

  static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return name;
  }
}
