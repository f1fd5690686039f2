package dev.sluice.analytics.statistic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Orders of rows. */
final class OrderTest {
  @Property(tries = 100)
  void sortsAsAStableSortDoes(@ForAll @Size(max = 300) List<@IntRange(max = 20) Integer> keys) {
    IntColumn rows = Order.rows(keys.size(), row -> keys.get(row) != 7);
    List<Integer> sorted =
        rows.stream().boxed().sorted(Comparator.comparing(keys::get)).toList(); // stable
    assertThat(rows.stream()).doesNotHaveDuplicates().noneMatch(row -> keys.get(row) == 7);
    IntColumn inOrder =
        Order.sorted(rows, (row, other) -> keys.get(row).compareTo(keys.get(other)));
    assertThat(inOrder.stream().boxed().toList()).isEqualTo(sorted);
  }
}
