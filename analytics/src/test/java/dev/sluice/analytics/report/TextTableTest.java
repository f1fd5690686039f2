package dev.sluice.analytics.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Rows of cells below each other. */
final class TextTableTest {
  @Test
  void aWiderCellMovesTheRestOfItsRowAlone() {
    var table = new TextTable("%-6s %4s  %s");
    assertThat(table.row("name", "jobs", "note")).isEqualTo("name   jobs  note");
    assertThat(table.row("much wider", 7, "x")).isEqualTo("much wider    7  x");
    assertThat(table.row("a", 12345, "x")).isEqualTo("a      12345  x");
  }

  @Test
  void noRowEndsInSpaces() {
    assertThat(new TextTable("  %-6s %-6s").row("a", "")).isEqualTo("  a");
  }

  @Test
  void aFittedColumnIsAsWideAsItsWidestCell_alsoIfAllItsCellsAreEmpty() {
    List<List<String>> rows =
        List.of(List.of("name", "", "jobs"), List.of("100 % of all", "", "7"));
    assertThat(TextTable.fitted(rows, Set.of(0)))
        .isEqualTo("name            jobs\n100 % of all       7\n");
  }
}
