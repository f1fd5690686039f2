package dev.sluice.planning.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Tree;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Value;
import dev.sluice.planning.plan.PlanTable.YamlList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of hosts in YAML. */
final class YamlListTest {
  @Test
  void writesUsualNames_asTheyAre() {
    assertThat(YamlList.name("mb-0")).isEqualTo("mb-0");
    assertThat(YamlList.name("10.0.0.1")).isEqualTo("10.0.0.1");
    assertThat(YamlList.name("gpu.example.org:8080")).isEqualTo("gpu.example.org:8080");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "yes",
        "Null",
        "1",
        "1.5",
        "1e5",
        "0x10",
        "12:30",
        "*a",
        "a: b",
        "a #b",
        "it's",
        "- a",
        " a",
        "a\nb\t\"c\\",
        "[a]",
        "{",
        "é",
        "::1",
        "~",
        "a:"
      })
  void writesOtherNames_soThatTheyAreReadAsTheyAre(String name) throws UserMistakeException {
    var problems = new Problems("t");
    try (Tree tree =
        Tree.ofYaml(YamlList.name(name) + ": 1", l -> new Place("t", l), Tree.Limits.BY_HAND)) {
      Value.Mapping read = (Value.Mapping) tree.whole(problems);
      assertThat(read).isNotNull();
      assertThat(read.entries()).containsOnlyKeys(name);
    }
  }
}
