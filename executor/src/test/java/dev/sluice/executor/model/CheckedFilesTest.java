package dev.sluice.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Files that are checked ahead of their use. */
final class CheckedFilesTest {
  private final List<String> checked = new CopyOnWriteArrayList<>();

  private CheckedFiles.Check check(String name) {
    return () -> {
      checked.add(name);
      return Path.of(name);
    };
  }

  @Test
  void filesComeInTheOrderOfTheirChecks() throws Exception {
    try (var files = new CheckedFiles(List.of(check("a"), check("b")))) {
      assertThat(files.next()).isEqualTo(Path.of("a"));
      assertThat(files.next()).isEqualTo(Path.of("b"));
    }
    assertThat(checked).containsExactly("a", "b");
  }

  @Test
  void aMistakeIsThrownInItsTurn_andWhatIsCheckedByThenIsNoMatter() throws Exception {
    CheckedFiles.Check damaged =
        () -> {
          throw new UserMistakeException("b", "it is damaged", "copy it again");
        };
    try (var files = new CheckedFiles(List.of(check("a"), damaged, check("c")))) {
      assertThat(files.next()).isEqualTo(Path.of("a"));
      assertThatThrownBy(files::next)
          .isInstanceOf(UserMistakeException.class)
          .hasMessageContaining("it is damaged");
    }
  }
}
