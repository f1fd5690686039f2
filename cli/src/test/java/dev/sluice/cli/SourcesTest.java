package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules of the layout about texts: how long a file may be, and words that nobody has to guess. */
final class SourcesTest {
  private static final Path ROOT = Path.of("..");
  private static final int LINES_MAX = 800;

  private static final Pattern RIDDLES =
      Pattern.compile("\\b(?:can not|so many|whoever|the lesser the sooner)\\b");

  private static List<Path> files(String suffix, String... folders) throws IOException {
    try (Stream<Path> all = Stream.of(folders).map(ROOT::resolve).flatMap(SourcesTest::walk)) {
      List<Path> found = all.filter(path -> path.toString().endsWith(suffix)).sorted().toList();
      assertThat(found).hasSizeGreaterThan(10);
      return found;
    }
  }

  private static Stream<Path> walk(Path folder) {
    try {
      return Files.walk(folder).filter(Files::isRegularFile);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the sources of all modules. */
  private static List<Path> sources() throws IOException {
    try (Stream<Path> modules = Files.list(ROOT)) {
      return files(
          ".java",
          modules
              .map(module -> module.resolve("src"))
              .filter(Files::isDirectory)
              .map(source -> ROOT.relativize(source).toString())
              .toArray(String[]::new));
    }
  }

  @Test
  void noClassIsLong() throws IOException {
    for (Path source : sources()) {
      if (!source.toString().contains("/src/test/")) {
        assertThat(Files.readAllLines(source).size())
            .as(source + ": lines")
            .isLessThanOrEqualTo(LINES_MAX);
      }
    }
  }

  @Test
  void sayWhatIsMeant() throws IOException {
    List<Path> texts =
        Stream.concat(
                sources().stream().filter(path -> !path.endsWith("SourcesTest.java")),
                Stream.concat(
                    files(".md", "docs").stream(),
                    Stream.of("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
                        .map(ROOT::resolve)))
            .toList();
    assertThat(texts)
        .allSatisfy(
            path ->
                assertThat(Files.readAllLines(path))
                    .as(path.toString())
                    .noneMatch(line -> RIDDLES.matcher(line).find()));
  }
}
