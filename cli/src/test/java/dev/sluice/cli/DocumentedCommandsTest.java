package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every command of the documents is run: by {@code .ci/run}, or by the test that {@code
 * .ci/commands} names beside it.
 */
final class DocumentedCommandsTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern COMMAND = Pattern.compile("\\s*(\\./(?:sluice|mvnw) \\S.*)");

  /** Lines of {@code .ci/commands}: command to how it is run. */
  private static Map<String, String> run() throws IOException {
    Map<String, String> run = new LinkedHashMap<>();
    for (String line : Files.readAllLines(ROOT.resolve(".ci/commands"))) {
      if (!line.startsWith("#")) {
        String[] sides = line.split(" => ", 2);
        assertThat(sides).as(line).hasSize(2);
        assertThat(run.put(sides[0], sides[1])).as(line).isNull();
      }
    }
    return run;
  }

  private static List<Path> documents() throws IOException {
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      List<Path> all =
          Stream.concat(top, docs)
              .filter(path -> path.toString().endsWith(".md"))
              .sorted()
              .toList();
      assertThat(all).hasSizeGreaterThan(10);
      return all;
    }
  }

  @Test
  void areThoseThatAreRun() throws IOException {
    Set<String> documented = new TreeSet<>();
    for (Path document : documents()) {
      for (String line : Files.readAllLines(document)) {
        var command = COMMAND.matcher(line);
        if (command.matches()) {
          documented.add(command.group(1).strip());
        }
      }
    }
    assertThat(documented).containsExactlyInAnyOrderElementsOf(run().keySet());
  }

  @Test
  void areUnderstood_asTheyStandAndAsTheyAreRun() throws IOException {
    for (var entry : run().entrySet()) {
      if (entry.getKey().startsWith("./sluice ")) {
        assertUnderstood(entry.getKey());
        if (entry.getValue().contains("+")) {
          assertUnderstood(entry.getKey() + entry.getValue().replaceFirst("^(& )?\\+", ""));
        }
      }
    }
  }

  private static void assertUnderstood(String command) {
    List<String> words = new ArrayList<>(List.of(command.split(" +")));
    words.remove(0);
    assertThatCode(() -> Sluice.commandLine().parseArgs(words.toArray(String[]::new)))
        .as(command)
        .doesNotThrowAnyException();
    assertThat(words)
        .filteredOn(word -> word.startsWith("configs/"))
        .allSatisfy(word -> assertThat(ROOT.resolve(word)).isRegularFile());
  }

  @Test
  void namesTestsThatAreThere_andRunTheCommand() throws IOException {
    for (var entry : run().entrySet()) {
      String how = entry.getValue();
      if (how.startsWith("test ")) {
        Path test = Path.of("src/test/java/dev/sluice/cli", how.substring(5) + ".java");
        assertThat(test).isRegularFile();
        List<String> words = List.of(entry.getKey().split(" +"));
        String option = words.stream().filter(w -> w.startsWith("--")).findFirst().orElseThrow();
        assertThat(Files.readString(test)).contains(option);
      } else {
        assertThat(how).matches("here|(& )?\\+.*");
      }
    }
  }
}
