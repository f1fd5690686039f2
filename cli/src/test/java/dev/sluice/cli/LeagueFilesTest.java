package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.experiment.ExperimentFile;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.harness.frame.Registries;
import dev.sluice.harness.simulate.SimulatedCapacity;
import dev.sluice.sweep.workspace.Grid;
import dev.sluice.sweep.workspace.Grid.Axis;
import dev.sluice.sweep.workspace.Grid.KeyValue;
import dev.sluice.sweep.workspace.Grid.Setting;
import dev.sluice.sweep.workspace.GridFile;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The leagues that come with Sluice. */
final class LeagueFilesTest {
  private static final Path FOLDER = Path.of("../configs/league");

  private static Grid grid(String name) throws UserMistakeException {
    return GridFile.read(FOLDER.resolve(name), null, 2);
  }

  private static List<Setting> values(Grid grid, String key) {
    return grid.axes().stream()
        .filter(axis -> axis.key().equals(key))
        .map(Axis::values)
        .findFirst()
        .orElseThrow();
  }

  private static List<String> overrides(Setting... settings) {
    return Stream.of(settings)
        .flatMap(setting -> setting.overrides().stream().map(KeyValue::written))
        .toList();
  }

  /** Each cell is sound, with the first policy; and each policy is, in the first cell. */
  @Test
  void everyCellAndEveryPolicyIsSound() throws UserMistakeException {
    Grid league = grid("league.yaml");
    List<Setting> cells = values(league, "setting");
    List<Setting> policies = values(league, "policy");
    for (Setting cell : cells) {
      check(league, cell, policies.get(0));
    }
    for (Setting policy : policies) {
      check(league, cells.get(0), policy);
    }
  }

  private static void check(Grid grid, Setting... settings) throws UserMistakeException {
    var unused =
        new SimulatedCapacity(
            ExperimentFile.read(grid.base(), overrides(settings), Registries.vocabulary()));
  }

  @Test
  void halfOfSixtyCellsOrMoreAreHeldOut_andNoneOfThemIsATrainingCell() throws UserMistakeException {
    List<String> names =
        values(grid("league.yaml"), "setting").stream().map(Setting::text).toList();
    List<String> training = tagged(names, "training ");
    List<String> heldOut = tagged(names, "held-out ");
    assertThat(names).hasSizeGreaterThanOrEqualTo(60);
    assertThat(training.size() + heldOut.size()).isEqualTo(names.size());
    assertThat(heldOut)
        .hasSizeBetween(names.size() / 2 - 1, names.size() / 2 + 1)
        .doesNotContainAnyElementsOf(training);
  }

  private static List<String> tagged(List<String> names, String word) {
    return names.stream()
        .filter(name -> name.startsWith(word))
        .map(name -> name.substring(word.length()))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"live.yaml", "live-simulated.yaml", "mine.yaml", "real.yaml"})
  void theOtherGridsAreSound(String name) throws UserMistakeException {
    Grid grid = grid(name);
    Axis cells = grid.axes().get(0);
    for (Setting cell : cells.values()) {
      assertThat(ExperimentFile.read(grid.base(), overrides(cell), Registries.vocabulary()))
          .isNotNull();
    }
  }
}
