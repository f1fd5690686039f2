package dev.sluice.layers.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.layers.schedule.LayerSchedule.Kind;
import dev.sluice.layers.schedule.LayerSchedule.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Each fault by example: what is said, and of which line. */
final class ScheduleCheckTest {
  private static final Layers TWO = new Layers(List.of("a", "b"), List.of(10L, 20L), false);
  private static final Layers TRAINED = new Layers(List.of("a", "b"), List.of(10L, 20L), true);

  @Test
  void aListThatFitsHasNone() {
    assertThat(faults(TWO, 20, "", "fetch a, compute a, release a, fetch b, compute b, release b"))
        .isEmpty();
    assertThat(
            faults(
                TWO,
                30,
                "prefetch a",
                "fetch a, prefetch b, compute a, release a, fetch b, compute b, release b, prefetch"
                    + " a"))
        .isEmpty();
    assertThat(
            faults(TRAINED, 30, "fetch a, fetch b", "compute a, compute b, compute b, compute a"))
        .isEmpty();
  }

  @Test
  void aComputeWithoutItsLayer() {
    assertThat(faults(TWO, 20, "", "compute a, fetch b, compute b, release b"))
        .containsExactly("10: a compute of (a) stands where the layer is not there");
  }

  @Test
  void aReleaseBeforeItsUse() {
    assertThat(
            faults(
                TWO, 30, "fetch b", "fetch a, release a, fetch a, compute a, release a, compute b"))
        .containsExactly(
            "11: a release of (a) stands before the layer is computed (fetch in line 10)");
  }

  @Test
  void twoFetchesAndTwoReleases() {
    assertThat(
            faults(
                TWO, 30, "fetch b", "fetch a, fetch a, compute a, release a, release a, compute b"))
        .containsExactly(
            "11: a fetch of (a) stands where the layer is there already (fetch in line 10)",
            "14: a release of (a) stands where the layer is not there");
    assertThat(
            faults(TWO, 30, "fetch b", "prefetch a, prefetch a, compute a, release a, compute b"))
        .containsExactly(
            "11: a prefetch of (a) stands where the layer is there already (prefetch in line 10)");
  }

  @Test
  void aFetchThatOnlyTheSecondStepFindsTooMany() {
    assertThat(faults(TWO, 30, "prefetch a, fetch b", "fetch a, compute a, compute b"))
        .containsExactly(
            "10: a fetch of (a) stands where the layer is there already (prefetch in line 1)");
  }

  @Test
  void prefetchedAndNeverUsed() {
    assertThat(
            faults(
                TWO,
                30,
                "fetch b",
                "prefetch a, release a, fetch a, compute a, release a, compute b"))
        .containsExactly("10: (a) is prefetched and never used");
  }

  @Test
  void overTheBudget_byHowMuch() {
    assertThat(faults(TWO, 25, "fetch a", "compute a, fetch b, compute b, release b"))
        .containsExactly("11: with (b) there are 30 B, 5 B over the budget (25 B)");
    assertThat(faults(TWO, 12, "", "fetch a, compute a, release a, fetch b, compute b, release b"))
        .containsExactly(
            "0: the budget (12 B) is smaller than layer (b), which takes 20 B",
            "13: with (b) there are 20 B, 8 B over the budget (12 B)");
    assertThat(faults(TWO, 15, "fetch a, prefetch b", "compute a, compute b"))
        .contains("2: with (b) there are 30 B, 15 B over the budget (15 B)");
  }

  @Test
  void overTheBudget_isToldOnce_withANumberOfEntries() {
    assertThat(
            faults(
                TWO, 9, "fetch a", "compute a, release a, fetch b, compute b, release b, fetch a"))
        .containsExactly(
            "0: the budget (9 B) is smaller than layer (b), which takes 20 B",
            "1: with (a) there are 10 B, 1 B over the budget (9 B); 2 more entries are over it, by"
                + " 11 B at most");
  }

  @Test
  void aStepThatEndsWithOtherLayers() {
    assertThat(faults(TWO, 30, "fetch b", "fetch a, compute a, compute b"))
        .containsExactly("12: the step ends with (a), which it begins without");
    assertThat(faults(TWO, 30, "fetch a, fetch b", "compute a, release a, compute b"))
        .containsExactly("12: the step ends without (a), which it begins with");
  }

  @Test
  void aBackwardMissingOrOutOfOrder() {
    assertThat(faults(TRAINED, 30, "fetch a, fetch b", "compute a, compute b, compute b"))
        .containsExactly("12: the step ends without the backward of (a)");
    assertThat(
            faults(TRAINED, 30, "fetch a, fetch b", "compute a, compute b, compute a, compute b"))
        .containsExactly("12: a compute of (a) stands where the backward of (b) is due");
    assertThat(faults(TWO, 30, "fetch a, fetch b", "compute b, compute a"))
        .containsExactly("10: a compute of (b) stands where (a) is due");
    assertThat(faults(TWO, 30, "fetch a, fetch b", "compute a, compute b, compute a"))
        .containsExactly("12: a compute of (a) stands behind the last one of the step");
    assertThat(faults(TWO, 30, "fetch a, fetch b, compute a", "compute a, compute b"))
        .containsExactly("3: a compute of (a) stands before the first step");
  }

  @Test
  void schedulesThatAreMadePassWhereTheyFit() {
    for (int count = 1; count <= 6; count++) {
      for (boolean training : new boolean[] {false, true}) {
        List<String> names = new ArrayList<>();
        List<Long> sizes = new ArrayList<>();
        for (int layer = 0; layer < count; layer++) {
          names.add("l" + layer);
          sizes.add(1L);
        }
        var layers = new Layers(names, sizes, training);
        for (int ahead = 0; ahead <= layers.uses() + 1; ahead++) {
          assertThat(
                  ScheduleCheck.faults(
                      Schedules.prefetch(layers, ahead), layers, Math.min(count, ahead + 1)))
              .as("%s, %d ahead", layers, ahead)
              .isEmpty();
        }
        assertThat(Schedules.eager(layers).step()).hasSize(layers.uses());
        assertThat(ScheduleCheck.faults(Schedules.onDemand(layers), layers, 1)).isEmpty();
      }
    }
  }

  @Test
  void onDemandAndPrefetchAsPeopleWriteThem() {
    assertThat(text(Schedules.onDemand(TWO)))
        .isEqualTo("| fetch a, compute a, release a, fetch b, compute b, release b");
    assertThat(
            text(
                Schedules.prefetch(
                    new Layers(List.of("a", "b", "c"), List.of(1L, 1L, 1L), false), 1)))
        .isEqualTo(
            "prefetch a | fetch a, prefetch b, compute a, release a, fetch b, prefetch c, compute"
                + " b, release b, fetch c, prefetch a, compute c, release c");
    assertThat(text(Schedules.onDemand(TRAINED)))
        .as("what the next compute uses again stays")
        .isEqualTo(
            "fetch a | compute a, release a, fetch b, compute b, compute b, release b, fetch a,"
                + " compute a");
  }

  private static String text(LayerSchedule schedule) {
    return (words(schedule.first()) + " | " + words(schedule.step())).strip();
  }

  private static String words(List<Operation> operations) {
    return String.join(
        ", ",
        operations.stream().map(o -> o.kind().text() + " " + (char) ('a' + o.layer())).toList());
  }

  private static List<String> faults(Layers layers, long budgetBytes, String first, String step) {
    return ScheduleCheck.faults(
            new LayerSchedule(operations(first, 1), operations(step, 10)), layers, budgetBytes)
        .stream()
        .map(fault -> fault.line() + ": " + fault.what())
        .toList();
  }

  private static List<Operation> operations(String list, int line) {
    List<Operation> operations = new ArrayList<>();
    for (String text : list.isEmpty() ? new String[0] : list.split(", ", -1)) {
      String[] words = text.split(" ", -1);
      operations.add(
          new Operation(
              Kind.valueOf(words[0].toUpperCase(Locale.ROOT)),
              words[1].charAt(0) - 'a',
              line + operations.size()));
    }
    return operations;
  }
}
