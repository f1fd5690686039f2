package dev.sluice.layers.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.harness.machine.Console;
import dev.sluice.harness.machine.MachineClock;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The text of the demo, times aside. */
final class DemoRunTest {
  private static final long UNIT_NS = 1_000_000;

  private static final String TEXT =
      """
      A toy model of 3 layers that wait and return x: one training step, twice.

      Without prefetching, a layer is fetched when it is needed.

      hook operation start ms end ms
      on_step_start t
      fetch L1 t t
      on_pre_forward L1 t
      compute L1 t t
      on_post_forward L1 t
      release L1 t t
      on_pre_forward L2 t
      fetch L2 t t
      compute L2 t t
      on_post_forward L2 t
      release L2 t t
      on_pre_forward L3 t
      fetch L3 t t
      compute L3 t t
      on_post_forward L3 t
      on_pre_backward L3 t
      compute L3 t t
      on_post_backward L3 t
      release L3 t t
      on_pre_backward L2 t
      fetch L2 t t
      compute L2 t t
      on_post_backward L2 t
      release L2 t t
      on_pre_backward L1 t
      fetch L1 t t
      compute L1 t t
      on_post_backward L1 t
      on_step_end t

      With prefetching, the next layer is fetched while this one is computed.

      hook operation start ms end ms
      on_step_start t
      fetch L1 t t
      on_pre_forward L1 t
      prefetch L2 t t
      compute L1 t t
      on_post_forward L1 t
      release L1 t t
      on_pre_forward L2 t
      fetch L2 t t
      prefetch L3 t t
      compute L2 t t
      on_post_forward L2 t
      release L2 t t
      on_pre_forward L3 t
      fetch L3 t t
      compute L3 t t
      on_post_forward L3 t
      prefetch L2 t t
      on_pre_backward L3 t
      compute L3 t t
      on_post_backward L3 t
      release L3 t t
      on_pre_backward L2 t
      fetch L2 t t
      prefetch L1 t t
      compute L2 t t
      on_post_backward L2 t
      release L2 t t
      on_pre_backward L1 t
      fetch L1 t t
      compute L1 t t
      on_post_backward L1 t
      on_step_end t

      Without prefetching t ms, with prefetching t ms.
      """;

  private static String printed() throws InterruptedException {
    var bytes = new ByteArrayOutputStream();
    var console = new Console(new PrintStream(bytes, true, StandardCharsets.UTF_8), false);
    new DemoRun(console, MachineClock::monotonicNs, MachineClock.pacer(), UNIT_NS).execute();
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void holdsItsText() throws InterruptedException {
    String text =
        printed()
            .replaceAll("[0-9]+\\.[0-9]", "t")
            .replaceAll("#+", "")
            .replaceAll(" +", " ")
            .replaceAll("(?m)^ | $", "");
    assertThat(text.replace("\r", "")).isEqualTo(TEXT);
  }

  @Test
  void withoutPrefetching_oneOperationEndsBeforeTheNextBegins() throws InterruptedException {
    String first = printed().split("With prefetching", 2)[0];
    List<Double> times = new ArrayList<>();
    first
        .lines()
        .filter(line -> line.matches(" {3,}(fetch|compute|release) .*"))
        .forEach(
            line -> {
              String[] words = line.strip().split(" +");
              times.add(Double.valueOf(words[2]));
              times.add(Double.valueOf(words[3]));
            });
    assertThat(times).hasSize(2 * 15).isSorted();
  }
}
