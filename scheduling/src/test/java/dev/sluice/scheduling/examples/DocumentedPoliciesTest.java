package dev.sluice.scheduling.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The policies that documents show are the ones that tests compile and run, word by word. */
final class DocumentedPoliciesTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern CODE = Pattern.compile("(?ms)^( *)```java\n(.*?)^ *```$");
  private static final Pattern CLASS = Pattern.compile("(?m)^(?:public )?final class (\\w+)");

  @ParameterizedTest
  @CsvSource({"docs/policies.md, 7", "CONTRIBUTING.md, 1"})
  void showsTheTestedCode(String document, int policies) throws IOException {
    List<String> shown = new ArrayList<>();
    for (MatchResult code :
        CODE.matcher(Files.readString(ROOT.resolve(document))).results().toList()) {
      String text =
          code.group(2)
              .lines()
              .map(line -> without(code.group(1), line))
              .collect(Collectors.joining("\n", "", "\n"));
      String name = CLASS.matcher(text).results().findFirst().orElseThrow().group(1);
      assertThat(tested(name)).as(document + " shows " + name).endsWith(text);
      shown.add(name);
    }
    assertThat(shown).hasSize(policies).doesNotHaveDuplicates();
  }

  private static String without(String indent, String line) {
    return line.startsWith(indent) ? line.substring(indent.length()) : line;
  }

  private static String tested(String policy) throws IOException {
    for (String module : List.of("scheduling", "cli")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
        List<Path> found = files.filter(file -> file.endsWith(policy + ".java")).toList();
        if (!found.isEmpty()) {
          return Files.readString(found.get(0));
        }
      }
    }
    throw new AssertionError("no test has the class " + policy);
  }
}
