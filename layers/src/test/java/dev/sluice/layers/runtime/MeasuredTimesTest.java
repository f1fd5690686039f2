package dev.sluice.layers.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.layers.engine.LayerTrace.Row;
import dev.sluice.layers.schedule.Layers;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Times of layers, by what was traced over three passes. */
final class MeasuredTimesTest {
  @Test
  void areMediansOfThePasses_andABackwardHasItsUpdate() {
    var times = new MeasuredTimes(2);
    for (int pass = 1; pass <= 3; pass++) {
      times.add(row("on_pre_forward", Row.READ, 0, 7 * pass));
      times.add(row("on_pre_forward", Row.FETCH, 0, 1000));
      times.add(row("on_pre_forward", Row.COMPUTE, 0, 10 * pass));
      times.add(row("on_pre_backward", Row.COMPUTE, 0, 100 * pass));
      times.add(row("on_pre_backward", Row.UPDATE, 0, pass));
      times.add(row("on_post_backward", Row.RELEASE, 0, 1000));
    }
    assertThat(times.medians())
        .isEqualTo(new Layers.Times(List.of(14L, 0L), List.of(20L, 0L), List.of(202L, 0L)));
  }

  private static Row row(String hook, String operation, int layer, long tookNs) {
    return new Row(1, hook, operation, layer, "thread", 50, 50 + tookNs, 8, 8);
  }
}
