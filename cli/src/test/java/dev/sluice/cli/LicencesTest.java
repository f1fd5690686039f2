package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** THIRD-PARTY.md beside the runtime class path that the build wrote down before the tests. */
final class LicencesTest {
  private static final Pattern ENTRY =
      Pattern.compile("^\\| `(.+\\.jar)` \\| [^|]+ \\| [^|]+ \\| [^|]+ \\|$", Pattern.MULTILINE);

  /** The jar in which systems differ; the list names one of them and says so. */
  private static final Pattern OF_ANOTHER_SYSTEM =
      Pattern.compile("(pytorch-native-cpu-.+)-(linux-aarch64|osx-aarch64|win-x86_64)\\.jar");

  @Test
  void theListNamesEveryJarOfTheRuntimeClassPathAndNoOther() throws IOException {
    String listed = Files.readString(Path.of("../THIRD-PARTY.md"));
    List<String> entries = ENTRY.matcher(listed).results().map(row -> row.group(1)).toList();

    assertThat(entries)
        .as("jars in THIRD-PARTY.md: add, remove or renew the row with its licence")
        .containsExactlyInAnyOrderElementsOf(runtimeJars());
  }

  private static List<String> runtimeJars() throws IOException {
    String classPath = Files.readString(Path.of("target/runtime-class-path.txt")).strip();
    return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
        .splitAsStream(classPath)
        .map(jar -> Path.of(jar).getFileName().toString())
        .map(jar -> OF_ANOTHER_SYSTEM.matcher(jar).replaceFirst("$1-linux-x86_64.jar"))
        .toList();
  }
}
