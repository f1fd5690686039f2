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
  private static final int LINES_MAX = 450;

  /** Words of the first comment of a file that may be longer, before the reason. */
  private static final String REASON = "One file, for ";

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

  private static List<Path> sources() throws IOException {
    return files(
        ".java",
        "contract/src",
        "scheduling/src",
        "producer/src",
        "scheduler-stream/src",
        "executor/src",
        "analytics/src",
        "harness/src",
        "cli/src");
  }

  @Test
  void noClassIsLong_withoutAReasonInItsFirstComment() throws IOException {
    for (Path source : sources()) {
      String text = Files.readString(source);
      boolean ofTests = source.toString().contains("/src/test/");
      if (!ofTests && text.lines().count() > LINES_MAX) {
        assertThat(text).as(source + ": lines").contains(REASON);
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
