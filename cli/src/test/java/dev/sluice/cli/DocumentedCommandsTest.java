package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every command of the documents is parsed here. {@code .ci/commands} says beside it whether {@code
 * .ci/run} runs it too, or which test does.
 */
final class DocumentedCommandsTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern COMMAND = Pattern.compile("\\s*(\\./(?:sluice|mvnw) \\S.*)");

  /** Lines of {@code .ci/commands}: command to how it is held. */
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
  void areThoseOfTheList() throws IOException {
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
      } else {
        assertUnderstoodByMaven(entry.getKey());
      }
    }
  }

  private static List<String> argumentsOf(String command) {
    List<String> words = List.of(command.split(" +"));
    return words.subList(1, words.size());
  }

  private static void assertUnderstood(String command) {
    List<String> words = argumentsOf(command);
    assertThatCode(() -> Sluice.commandLine().parseArgs(words.toArray(String[]::new)))
        .as(command)
        .doesNotThrowAnyException();
    assertThat(words)
        .as(command)
        .filteredOn(word -> word.startsWith("configs/"))
        .allSatisfy(word -> assertThat(ROOT.resolve(word)).isRegularFile());
  }

  /** Words for Maven are phases, profiles of the parent, and values of their own. */
  private static void assertUnderstoodByMaven(String command) throws IOException {
    String parent = Files.readString(ROOT.resolve("pom.xml"));
    for (String word : argumentsOf(command)) {
      if (word.startsWith("-P")) {
        assertThat(parent).as(command).contains("<id>" + word.substring(2) + "</id>");
      } else {
        assertThat(word).as(command).matches("test|package|verify|process-test-classes|-D\\S+");
      }
    }
  }

  @Test
  void areRunByTheBuildsOwnTest_orByCi() throws IOException {
    List<String> ci = Files.readAllLines(ROOT.resolve(".ci/run"));
    for (var entry : run().entrySet()) {
      String how = entry.getValue();
      if (how.startsWith("test ")) {
        Path test = Path.of("src/test/java/dev/sluice/cli", how.substring(5) + ".java");
        assertThat(test).isRegularFile();
        assertThat(Files.readString(test)).contains(nameOf(entry.getKey()));
      } else if (how.equals("here")) {
        assertThat(ci)
            .as("a line of .ci/run with %s", entry.getKey())
            .anyMatch(line -> isRunBy(line, entry.getKey()));
      } else {
        assertThat(how).matches("parsed|(& )?\\+.*");
      }
    }
  }

  /** Tells whether a line has the program, its command, and its first option. */
  private static boolean isRunBy(String line, String command) {
    return !line.strip().startsWith("#")
        && line.contains(command.split(" ")[0] + " ")
        && line.contains(nameOf(command))
        && argumentsOf(command).stream()
            .limit(2)
            .filter(word -> word.matches("[a-z]+"))
            .allMatch(word -> line.contains(" " + word));
  }

  /** What a test that runs the command has: its first option, or else its name. */
  private static String nameOf(String command) {
    List<String> words = argumentsOf(command);
    return words.stream().filter(word -> word.startsWith("--")).findFirst().orElse(words.get(0));
  }
}
